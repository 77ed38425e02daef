// SPDX-License-Identifier: BSD-3-Clause
#include "network/pattern_histograms.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "gckn/error.h"
#include "util/counted.h"
#include "util/parallel.h"

namespace gckn {

SparseRows<double> pattern_histograms(const ClassGraph& graph, const Patterns& patterns, std::size_t output,
                                      std::span<const double> norm_of_pattern, const RunOptions& options,
                                      std::uint64_t most_entries) {
  const StateTable& states = patterns.states[output];
  const std::vector<std::uint32_t>& state_of_class = *patterns.colouring[output].of_class;
  SparseRows<double> histograms;
  histograms.columns = patterns.levels[static_cast<std::size_t>(patterns.lengths[output]) - 1].size();
  std::vector<double> count(histograms.columns);  // of every pattern in the current graph
  std::vector<std::uint32_t> present;             // the patterns with a count
  const auto add = [&](std::uint32_t pattern, double number) {
    if (count[pattern] == 0) present.push_back(pattern);
    count[pattern] += number;
  };
  std::vector<std::pair<std::uint32_t, double>> entries;
  constexpr std::uint64_t kStepsToReport = 1 << 16;
  std::uint64_t steps = 0;
  for (std::size_t g = 0; g < graph.num_graphs(); ++g) {
    for (std::uint32_t c = graph.graph_begin[g]; c < graph.graph_begin[g + 1]; ++c) {
      const std::uint32_t s = state_of_class[c];
      const double size = graph.size[c];
      if (states.identity) {
        add(s, size);
        ++steps;
      } else {
        for (std::uint64_t e = states.begin[s]; e < states.begin[s + 1]; ++e) {
          add(states.pattern[e], size * states.multiplicity[e]);
        }
        steps += states.begin[s + 1] - states.begin[s];
      }
      if (steps >= kStepsToReport) {
        report_progress(options, "counting patterns", g, graph.num_graphs());
        steps = 0;
      }
    }
    for (const std::uint32_t pattern : present) {
      entries.emplace_back(pattern,
                           norm_of_pattern.empty() ? count[pattern] : count[pattern] * norm_of_pattern[pattern]);
      count[pattern] = 0;
    }
    present.clear();
    histograms.add_row(entries);
    if (histograms.entries() > most_entries) {
      throw LimitError(
          fmt::format("the graphs have more than {} distinct {}s of {}, those of each counted alone: shorten them or "
                      "compare fewer graphs at a time",
                      most_entries, to_string(patterns.kind),
                      counted(static_cast<std::uint64_t>(patterns.lengths[output] - 1), "edge")));
    }
  }
  report_progress(options, "counting patterns", graph.num_graphs(), graph.num_graphs());
  return histograms;
}

}  // namespace gckn
