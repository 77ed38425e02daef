// SPDX-License-Identifier: BSD-3-Clause
// gckn kernel: exact graph kernels as a matrix.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "commands.h"
#include "console.h"
#include "data.h"
#include "files.h"
#include "gckn/error.h"
#include "gckn/io.h"
#include "gckn/kernels.h"
#include "model_options.h"
#include "output.h"
#include "values.h"

namespace gckn::cli {

namespace {

struct KernelCommand {
  CommonOptions common;
  ReadingOptions reading;
  KernelOptions kernel;
  std::string word;
  std::uint64_t max_paths = RunOptions{}.max_paths;
  std::string data;
  std::string against;
  std::string out;
};

constexpr std::array<std::pair<std::string_view, ExactKernel>, 7> kWords = {{
    {"path", ExactKernel::path},
    {"walk", ExactKernel::walk},
    {"wl-subtree", ExactKernel::wl_subtree},
    {"path-oa", ExactKernel::path_oa},
    {"wl-oa", ExactKernel::wl_oa},
    {"gaussian-path", ExactKernel::gaussian_path},
    {"gaussian-walk", ExactKernel::gaussian_walk},
}};

ExactKernel parse_kernel(std::string_view word) {
  for (const auto& [name, kernel] : kWords) {
    if (name == word) return kernel;
  }
  std::string words;
  for (const auto& [name, kernel] : kWords) words += fmt::format("{}{}", words.empty() ? "" : ", ", name);
  throw UsageError(fmt::format("--kernel {}: choose one of {}", word, words));
}

bool is_assignment(ExactKernel kernel) {
  return kernel == ExactKernel::path_oa || kernel == ExactKernel::wl_oa;
}

void run_kernel(const KernelCommand& options) {
  Console console(options.common);
  check_matrix_output(options.out);
  check_files({{"DATA", options.data}, {"--against", options.against}}, {{"--out", options.out}});
  if (is_standard_output(options.out)) {
    if (options.common.json) throw UsageError("--out - and --json both want the standard output");
    console.keep_output_for_data();
  }
  RunOptions run = console.run_options();
  run.max_paths = options.max_paths;
  Stopwatch watch;
  const GraphSet graphs = read_data(options.data, options.reading, console, run);
  const bool is_rectangular = !options.against.empty();
  const GraphSet others = is_rectangular ? read_data(options.against, options.reading, console, run) : GraphSet();
  const double read_seconds = watch.lap();
  const DoubleMatrix matrix =
      is_rectangular ? kernel_matrix(graphs, others, options.kernel, run) : kernel_matrix(graphs, options.kernel, run);
  const double kernel_seconds = watch.lap();
  write_matrix(matrix, options.out, run);

  console.say("Read {} in {:.2f} s, computed the {} kernel in {:.2f} s.",
              counted(graphs.num_graphs() + others.num_graphs(), "graph"), read_seconds, options.word, kernel_seconds);
  console.say("Wrote the matrix ({} x {}) to {}.", matrix.rows(), matrix.cols(),
              is_standard_output(options.out) ? "standard output" : options.out);
  console.result({{"command", "kernel"},
                  {"data", options.data},
                  {"against", is_rectangular ? nlohmann::ordered_json(options.against) : nlohmann::ordered_json()},
                  {"kernel", options.word},
                  {"path_length", options.kernel.path_length},
                  {"normalised", options.kernel.normalised},
                  {"out", options.out},
                  {"rows", matrix.rows()},
                  {"columns", matrix.cols()},
                  {"seconds", {{"read", read_seconds}, {"kernel", kernel_seconds}}}});
}

}  // namespace

void add_kernel_command(CLI::App& program) {
  auto options = std::make_shared<KernelCommand>();
  KernelOptions& kernel = options->kernel;
  CLI::App* command = program.add_subcommand("kernel", "Compare all pairs of graphs with an exact kernel.");
  add_data_argument(*command, options->data);
  CLI::Option* word = command
                          ->add_option("--kernel", options->word,
                                       "path, walk: equal label sequences; wl-subtree: equal\n"
                                       "Weisfeiler-Lehman colours; path-oa, wl-oa: the best\n"
                                       "assignment of nodes to nodes by the paths that start at\n"
                                       "them, or by colours; gaussian-path, gaussian-walk:\n"
                                       "similar sequences")
                          ->type_name("WORD")
                          ->required();
  std::vector<std::string> words;
  for (const auto& [name, kernel_of_name] : kWords) words.emplace_back(name);
  takes_words(word, words);
  add_output_option(*command, options->out, "File for the matrix")->required();
  CLI::Option* against =
      command
          ->add_option("--against", options->against,
                       "path-oa, wl-oa: compare with these graphs, one column\neach, instead of with one another")
          ->type_name("DATA");
  command->add_option("--path-length,--rounds", kernel.path_length, "Edges of the paths and walks; rounds of WL")
      ->type_name("K")
      ->capture_default_str();
  CLI::Option* summed =
      command->add_flag("--summed", kernel.summed, "path, walk: add up the lengths 0 to K instead of K alone");
  CLI::Option* sigma = command->add_option("--sigma", kernel.sigma, "gaussian-...: width of the similarity")
                           ->type_name("S")
                           ->capture_default_str();
  command->add_flag("--normalise,--normalize", kernel.normalised, "Divide so that every graph has 1 with itself");
  add_features_option(*command, kernel.features);
  command->add_flag("--edge-labels", kernel.edge_labels, "Read edge labels along the paths");
  command->add_option("--max-paths", options->max_paths, "Give up once this many paths were visited")
      ->type_name("N")
      ->capture_default_str();
  add_molecule_options(*command, options->reading.molecules, OnError::fail);
  add_common_options(*command, options->common);
  command->footer(R"(Examples:
  gckn kernel MUTAG.zip --kernel path --path-length 4 --out K.npy
  gckn kernel MUTAG.zip --kernel wl-subtree --rounds 3 --normalise --out K.csv
  gckn kernel new.jsonl --against MUTAG.zip --kernel path-oa --normalise --out K.npy)");
  command->callback([options, summed, sigma, against] {
    KernelOptions& chosen = options->kernel;
    chosen.kernel = parse_kernel(options->word);
    const bool dirac = chosen.kernel == ExactKernel::path || chosen.kernel == ExactKernel::walk;
    if (summed->count() > 0 && !dirac) throw UsageError("--summed goes with --kernel path or walk only");
    const bool is_gaussian = chosen.kernel == ExactKernel::gaussian_path || chosen.kernel == ExactKernel::gaussian_walk;
    if (sigma->count() > 0 && !is_gaussian) throw UsageError("--sigma goes with the Gaussian kernels only");
    if (against->count() > 0 && !is_assignment(chosen.kernel)) {
      throw UsageError("--against goes with --kernel path-oa or wl-oa only");
    }
    run_kernel(*options);
  });
}

}  // namespace gckn::cli
