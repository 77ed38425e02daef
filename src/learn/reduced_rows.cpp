// SPDX-License-Identifier: BSD-3-Clause
#include "learn/reduced_rows.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace gckn {
namespace {

constexpr std::uint32_t kNoRow = ~std::uint32_t{0};

// Zeros may be stored, but are none of a row's entries here.
template <typename Body>
void for_nonzeros(const SparseRows<double>& rows, std::span<const std::uint32_t> train, const Body& body) {
  for (std::uint32_t i = 0; i < train.size(); ++i) {
    const auto row = rows.row(train[i]);
    for (std::size_t e = 0; e < row.size(); ++e) {
      if (row.weight[e] != 0) body(i, row.index[e], row.weight[e]);
    }
  }
}

// Parts of the columns that are equal in all training rows, by refinement: every row takes its columns out of the
// parts that they are in, those of the value that comes first to one new part and each of the others, for simplicity,
// to one of its own. (Where all values of a row are equal, as they usually are, no two equal columns are parted.)
std::vector<std::uint32_t> equal_columns(const SparseRows<double>& rows, std::span<const std::uint32_t> train,
                                         const std::vector<std::uint32_t>& count) {
  struct Split {
    std::uint32_t row = kNoRow;
    std::uint32_t to = 0;
    double value = 0;
  };
  std::vector<std::uint32_t> part(rows.columns, 0);
  std::vector<Split> splits(1);  // by part
  const auto new_part = [&] {
    splits.emplace_back();
    return static_cast<std::uint32_t>(splits.size() - 1);
  };
  for_nonzeros(rows, train, [&](std::uint32_t i, std::uint32_t column, double x) {
    if (count[column] == 1) return;
    const std::uint32_t from = part[column];
    if (splits[from].row != i) {
      const std::uint32_t to = new_part();
      splits[from] = {i, to, x};
    }
    part[column] = splits[from].value == x ? splits[from].to : new_part();
  });
  return part;
}

// Nothing if some row has several. Rows without entries have 0.
std::vector<double> one_value_by_row(const SparseRows<double>& rows, std::span<const std::uint32_t> train) {
  std::vector<double> values(train.size(), 0.0);
  bool one = true;
  for_nonzeros(rows, train, [&](std::uint32_t i, std::uint32_t, double x) {
    if (values[i] == 0) values[i] = x;
    one = one && values[i] == x;
  });
  if (!one) values.clear();
  return values;
}

}  // namespace

ReducedRows::ReducedRows(const SparseRows<double>& rows, std::span<const std::uint32_t> train)
    : own_(train.size(), 0.0) {
  std::vector<std::uint32_t> count(rows.columns, 0);  // of training rows, by column
  for_nonzeros(rows, train, [&](std::uint32_t, std::uint32_t column, double) { ++count[column]; });
  std::vector<std::uint32_t> part = equal_columns(rows, train, count);
  number_parts(part, count);

  for_nonzeros(rows, train, [&](std::uint32_t i, std::uint32_t column, double x) {
    if (count[column] == 1) own_[i] += x * x;
  });
  for (double& s : own_) s = std::sqrt(s);
  row_value_ = one_value_by_row(rows, train);
  begin_.push_back(0);
  std::vector<std::pair<std::uint32_t, double>> entries;
  for (std::uint32_t i = 0; i < train.size(); ++i) {
    for_nonzeros(rows, train.subspan(i, 1), [&](std::uint32_t, std::uint32_t column, double x) {
      if (count[column] == 1) {
        origins_.push_back({column, shared_ + i, x / own_[i]});
      } else if (first_[part[column]] == column) {
        entries.emplace_back(part[column], x * scale_[part[column]]);
      }
    });
    std::ranges::sort(entries);
    for (const auto& [k, x] : entries) {
      index_.push_back(k);
      if (has_values()) value_.push_back(x);
    }
    entries.clear();
    begin_.push_back(index_.size());
  }
  for (std::uint32_t column = 0; column < rows.columns; ++column) {
    if (count[column] > 1) origins_.push_back({column, part[column], 1.0 / scale_[part[column]]});
  }
}

void ReducedRows::begin_product(const std::vector<double>& p, std::vector<InAndOut>& columns) const {
  for (std::size_t k = 0; k < shared_; ++k) columns[k] = {has_values() ? p[k] : p[k] * scale_[k], 0.0};
}

void ReducedRows::end_product(const std::vector<double>& p, const std::vector<InAndOut>& columns,
                              std::vector<double>& h) const {
  for (std::size_t k = 0; k < shared_; ++k) h[k] = p[k] + (has_values() ? columns[k].out : columns[k].out * scale_[k]);
}

std::vector<double> ReducedRows::outputs(const std::vector<double>& z) const {
  std::vector<double> f(rows());
  for (std::size_t i = 0; i < f.size(); ++i) f[i] = product(i, z.data()) + own_[i] * z[shared_ + i];
  return f;
}

void ReducedRows::spread(const std::vector<double>& z, std::vector<double>& w) const {
  for (const Origin& origin : origins_) w[origin.column] = origin.share * z[origin.place];
}

// Numbers the parts by falling frequency, so that passes over rows find what they need most often side by side.
void ReducedRows::number_parts(std::vector<std::uint32_t>& part, const std::vector<std::uint32_t>& count) {
  std::vector<std::uint32_t> first;  // column of every part
  const std::uint32_t parts = part.empty() ? 0 : *std::ranges::max_element(part) + 1;
  std::vector<std::uint32_t> size(parts, 0);
  for (std::uint32_t column = 0; column < part.size(); ++column) {
    if (count[column] > 1 && size[part[column]]++ == 0) first.push_back(column);
  }
  std::ranges::stable_sort(first, std::ranges::greater(), [&](std::uint32_t column) { return count[column]; });
  shared_ = first.size();
  std::vector<std::uint32_t> number(parts, 0);
  for (std::uint32_t k = 0; k < shared_; ++k) {
    number[part[first[k]]] = k;
    scale_.push_back(std::sqrt(static_cast<double>(size[part[first[k]]])));
  }
  for (std::uint32_t column = 0; column < part.size(); ++column) {
    if (count[column] > 1) part[column] = number[part[column]];
  }
  first_ = std::move(first);
}

}  // namespace gckn
