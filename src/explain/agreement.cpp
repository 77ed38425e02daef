// SPDX-License-Identifier: BSD-3-Clause
// Explanations beside what is known.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "gckn/explain.h"
#include "learn/metrics.h"

namespace gckn {
namespace {

// Of two ascending lists; 1 if both are empty.
double jaccard_index(const std::vector<std::uint32_t>& x, const std::vector<std::uint32_t>& y) {
  std::vector<std::uint32_t> common;
  std::ranges::set_intersection(x, y, std::back_inserter(common));
  const std::size_t all = x.size() + y.size() - common.size();
  return all == 0 ? 1 : static_cast<double>(common.size()) / static_cast<double>(all);
}

std::optional<double> auc_of_nodes(const std::vector<double>& node_scores, const NodeTruth& truth) {
  std::vector<std::int32_t> is_true(node_scores.size());
  for (const std::vector<std::uint32_t>& alternative : truth) {
    for (const std::uint32_t u : alternative) is_true[u] = 1;
  }
  DoubleMatrix scores(node_scores.size(), 1);
  std::ranges::copy(node_scores, scores.data());
  const double auc = classification_metrics({is_true, is_true, &scores, nullptr, 2}).roc_auc;
  return std::isnan(auc) ? std::nullopt : std::optional(auc);
}

}  // namespace

std::vector<std::uint32_t> Explanation::selected_nodes() const {
  std::vector<std::uint32_t> nodes;
  for (const Substructure& part : parts) nodes.insert(nodes.end(), part.nodes.begin(), part.nodes.end());
  std::ranges::sort(nodes);
  return nodes;
}

std::vector<double> Explanation::carrying_scores() const {
  std::vector<double> scores = node_scores;
  if (explained_class < 0 && !minimisation && score < empty_score) {
    for (double& value : scores) value = -value;
  }
  return scores;
}

std::optional<TruthAgreement> agreement(const Explanation& explanation, const NodeTruth& truth) {
  if (truth.empty() || !explanation.error.empty()) return std::nullopt;
  TruthAgreement result;
  result.node_auc = auc_of_nodes(explanation.carrying_scores(), truth);
  const std::vector<std::uint32_t> selected = explanation.selected_nodes();
  for (const std::vector<std::uint32_t>& alternative : truth) {
    result.jaccard = std::max(result.jaccard, jaccard_index(selected, alternative));
  }
  return result;
}

}  // namespace gckn
