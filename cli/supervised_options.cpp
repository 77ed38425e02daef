// SPDX-License-Identifier: BSD-3-Clause
#include "supervised_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gckn::cli {

void add_supervised_options(CLI::App& command, SupervisedFlags& flags) {
  SupervisedOptions& options = flags.options;
  flags.flag = command
                   .add_flag("--supervised", flags.wanted,
                             "Learn the anchors with the linear model, by back-\npropagation; --learner chooses the "
                             "loss. Unless said\notherwise with 32 filters, paths of 3 edges, mean pooling")
                   ->group(kSupervisedGroup);
  add_supervised_option(command, flags, "--epochs", options.epochs, "Passes over the training graphs, at most", "N")
      ->capture_default_str();
  flags.penalty_flag =
      add_supervised_option(command, flags, "--penalty", options.penalties,
                            "Weight of the squared weights of the linear model;\nseveral, as in 1e-3,1e-5, are tried",
                            "L")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->default_str(fmt::format("{}", fmt::join(options.penalties, ",")));
  add_supervised_option(command, flags, "--learning-rate", options.learning_rate, "Of the first epochs", "R")
      ->capture_default_str();
  add_supervised_option(command, flags, "--halve-every", options.halve_every,
                        "Epochs after which the learning rate is halved", "N")
      ->capture_default_str();
  add_supervised_option(command, flags, "--batch-size", options.batch_size, "Graphs per step", "N")
      ->capture_default_str();
  command
      .add_flag(
          "--standardise", options.standardised,
          "Bring the columns of the vectors to variance 1 at the\nstart: for means over nodes, or a small penalty")
      ->needs(flags.flag)
      ->group(kSupervisedGroup);
}

}  // namespace gckn::cli
