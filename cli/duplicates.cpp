// SPDX-License-Identifier: BSD-3-Clause
#include "duplicates.h"

#include <fmt/format.h>

namespace gckn::cli {

void add_duplicate_option(CLI::App& command, DuplicateFlags& flags) {
  command.add_flag("--drop-duplicates", flags.drop,
                   "Keep one of graphs that are equal, and none of those whose\ntargets contradict each other");
}

std::string equal_text(const EqualGraphs& equal) {
  if (equal.repeated == 0) return "";
  std::string text = fmt::format("{} an equal one before {}",
                                 equal.repeated == 1 ? "1 graph has" : grouped(equal.repeated) + " graphs have",
                                 equal.repeated == 1 ? "it" : "them");
  if (equal.contradictory > 0) {
    text += fmt::format("; {} equals with another target",
                        equal.contradictory == 1 ? "1 graph has" : grouped(equal.contradictory) + " graphs have");
  }
  return text;
}

EqualGraphs treat_equal_graphs(const DuplicateFlags& flags, GraphSet& graphs, Console& console, const RunOptions& run,
                               nlohmann::ordered_json& json) {
  EqualGraphs equal = find_equal_graphs(graphs, run);
  json = {{"repeated", equal.repeated}, {"contradictory", equal.contradictory}};
  if (!flags.drop || equal.repeated == 0) return equal;
  const std::vector<std::uint32_t> kept = without_duplicates(graphs, equal);
  json["dropped"] = graphs.num_graphs() - kept.size();
  console.say("Left out {} of {}: {}.", grouped(graphs.num_graphs() - kept.size()),
              counted(graphs.num_graphs(), "graph"), equal_text(equal));
  graphs = select_graphs(graphs, kept);
  return find_equal_graphs(graphs, run);
}

void say_seen_test_graphs(Console& console, const EqualGraphs& equal, const std::vector<Fold>& folds,
                          nlohmann::ordered_json& json) {
  const std::uint64_t seen = count_seen_test_graphs(equal, folds);
  json["tested_and_trained"] = seen;
  if (equal.repeated == 0) return;
  std::uint64_t tested = 0;
  for (const Fold& fold : folds) tested += fold.test.size();
  console.say("Note: {}; {} of {} have an equal one in the training part of their fold{}.", equal_text(equal),
              grouped(seen), counted(tested, "test graph"),
              seen == 0 ? "" : " (--drop-duplicates or --folds-by equal mends it)");
}

}  // namespace gckn::cli
