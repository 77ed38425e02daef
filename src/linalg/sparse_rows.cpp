// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse_rows.h"

#include <algorithm>
#include <numeric>

namespace gckn {

template <typename Weight>
void SparseRows<Weight>::add_row(std::vector<std::pair<std::uint32_t, Weight>>& entries) {
  // By weight, too, so that those of equal indices are added in an order that follows from what they are.
  std::ranges::sort(entries);
  for (const auto& [i, w] : entries) {
    if (index.size() > begin.back() && index.back() == i) {
      weight.back() += w;
    } else {
      index.push_back(i);
      weight.push_back(w);
    }
  }
  begin.push_back(index.size());
  entries.clear();
}

template <typename Weight>
void SparseRows<Weight>::append(const SparseRows& other) {
  const std::uint64_t first = begin.back();
  for (std::size_t i = 1; i < other.begin.size(); ++i) begin.push_back(first + other.begin[i]);
  index.insert(index.end(), other.index.begin(), other.index.end());
  weight.insert(weight.end(), other.weight.begin(), other.weight.end());
}

template <typename Weight>
SparseRows<Weight> SparseRows<Weight>::transposed() const {
  SparseRows result;
  result.columns = rows();
  result.begin.assign(columns + 1, 0);
  for (const std::uint32_t i : index) ++result.begin[i + std::size_t{1}];
  std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
  result.index.resize(entries());
  result.weight.resize(entries());
  std::vector<std::uint64_t> next(result.begin.begin(), result.begin.end() - 1);
  for (std::size_t r = 0; r < rows(); ++r) {
    for (std::uint64_t e = begin[r]; e < begin[r + 1]; ++e) {
      const std::uint64_t place = next[index[e]]++;
      result.index[place] = static_cast<std::uint32_t>(r);
      result.weight[place] = weight[e];
    }
  }
  return result;
}

template struct SparseRows<float>;
template struct SparseRows<double>;
template struct SparseRows<std::uint32_t>;

}  // namespace gckn
