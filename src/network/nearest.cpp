// SPDX-License-Identifier: BSD-3-Clause
// Tiles of vectors are multiplied with a packed group of queries, and the best of a tile merged with the best of those
// before it. Order (similarity, then index) is total, so it does not matter which tile comes first.
#include "gckn/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "gckn/error.h"
#include "linalg/product.h"
#include "util/parallel.h"

namespace gckn {

namespace {

// A tile of vectors and its products with a group of queries stay in the cache.
constexpr std::size_t kTileVectors = 1024;
constexpr std::size_t kGroupQueries = 256;

bool is_better(const Neighbour& a, const Neighbour& b) {
  return a.similarity != b.similarity ? a.similarity > b.similarity : a.index < b.index;
}

bool stands_for_nothing(const float* vector, std::size_t size) {
  return std::all_of(vector, vector + size, [](float value) { return std::isnan(value); });
}

// Copies a vector, scaled to unit length for the cosine. False if it has a number that is not finite. The sum of
// squares is in double, which no float overflows.
bool prepare(const float* vector, std::size_t size, Similarity similarity, float* out) {
  double square_sum = 0;
  for (std::size_t j = 0; j < size; ++j) square_sum += static_cast<double>(vector[j]) * static_cast<double>(vector[j]);
  if (!std::isfinite(square_sum)) return false;
  const double length = std::sqrt(square_sum);
  if (similarity == Similarity::inner_product || length == 0) {
    std::copy_n(vector, size, out);
  } else {
    for (std::size_t j = 0; j < size; ++j) out[j] = static_cast<float>(static_cast<double>(vector[j]) / length);
  }
  return true;
}

// The best k seen so far; a heap with the worst of them first.
class BestK {
 public:
  explicit BestK(std::size_t k) : k_(k) {}

  [[nodiscard]] bool is_full() const { return found_.size() == k_; }
  [[nodiscard]] const Neighbour& worst() const { return found_.front(); }
  [[nodiscard]] const std::vector<Neighbour>& found() const { return found_; }

  void offer(const Neighbour& neighbour) {
    if (is_full()) {
      if (!is_better(neighbour, worst())) return;
      std::ranges::pop_heap(found_, is_better);
      found_.back() = neighbour;
    } else {
      found_.push_back(neighbour);
    }
    std::ranges::push_heap(found_, is_better);
  }

 private:
  std::size_t k_;
  std::vector<Neighbour> found_;
};

struct QueryGroup {
  std::size_t first = 0;       // query
  PackedMatrix<float> packed;  // vector size x queries
  std::mutex mutex;            // of what follows
  std::vector<BestK> best;
};

}  // namespace

struct NearestSearch::Impl {
  NearestOptions options;
  std::size_t queries = 0;
  std::size_t size = 0;
  std::vector<std::unique_ptr<QueryGroup>> groups;
  std::uint64_t vectors = 0;                  // so far
  std::atomic<std::uint64_t> passed_over{0};  // of them

  void compare(const Matrix& rows, std::size_t begin, std::size_t end) {
    auto prepared = Matrix::uninitialised(end - begin, size);
    std::vector<const float*> row;
    std::vector<std::uint64_t> index;
    for (std::size_t i = begin; i < end; ++i) {
      if (prepare(rows.row(i), size, options.similarity, prepared.row(row.size()))) {
        row.push_back(prepared.row(row.size()));
        index.push_back(vectors + i);
      } else if (!stands_for_nothing(rows.row(i), size)) {
        throw InputError(fmt::format("vector {} has a number that is not finite", vectors + i));
      }
    }
    passed_over += end - begin - row.size();
    for (const std::unique_ptr<QueryGroup>& group : groups) {
      check_cancelled();
      compare(*group, row, index);
    }
  }

  void compare(QueryGroup& group, const std::vector<const float*>& rows,
               const std::vector<std::uint64_t>& index) const {
    const std::size_t columns = group.packed.cols();
    auto products = Matrix::uninitialised(rows.size(), columns);
    multiply_rows(rows.data(), rows.size(), group.packed, products.data(), columns, false);
    std::vector<BestK> best(columns, BestK(options.k));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t q = 0; q < columns; ++q) {
        float similarity = products(i, q);
        if (options.similarity == Similarity::cosine) {
          similarity = std::clamp(similarity, -1.0F, 1.0F);  // rounding
        } else if (!std::isfinite(similarity)) {
          throw InputError(fmt::format("the inner product of vector {} with query {} is beyond all bounds", index[i],
                                       group.first + q));
        }
        if (best[q].is_full() && similarity <= best[q].worst().similarity) continue;  // later ones lose against equals
        best[q].offer({index[i], similarity});
      }
    }
    const std::lock_guard lock(group.mutex);
    for (std::size_t q = 0; q < columns; ++q) {
      for (const Neighbour& neighbour : best[q].found()) group.best[q].offer(neighbour);
    }
  }
};

NearestSearch::NearestSearch(const Matrix& queries, const NearestOptions& options) : impl_(std::make_unique<Impl>()) {
  if (options.k == 0) throw UsageError("k is 0; at least one vector must be looked for");
  impl_->options = options;
  impl_->queries = queries.rows();
  impl_->size = queries.cols();
  std::vector<float> prepared(queries.cols());
  for (std::size_t first = 0; first < queries.rows(); first += kGroupQueries) {
    const std::size_t count = std::min(kGroupQueries, queries.rows() - first);
    auto transposed = Matrix::uninitialised(queries.cols(), count);
    for (std::size_t q = 0; q < count; ++q) {
      if (!prepare(queries.row(first + q), queries.cols(), options.similarity, prepared.data())) {
        throw InputError(fmt::format("query {} has a number that is not finite", first + q));
      }
      for (std::size_t j = 0; j < queries.cols(); ++j) transposed(j, q) = prepared[j];
    }
    auto group = std::make_unique<QueryGroup>();
    group->first = first;
    group->packed.pack(transposed.data(), queries.cols(), count, count);
    group->best.assign(count, BestK(options.k));
    impl_->groups.push_back(std::move(group));
  }
}

NearestSearch::~NearestSearch() = default;
NearestSearch::NearestSearch(NearestSearch&&) noexcept = default;
NearestSearch& NearestSearch::operator=(NearestSearch&&) noexcept = default;

void NearestSearch::add(const Matrix& vectors, const RunOptions& options) {
  if (vectors.rows() == 0) return;
  if (impl_->queries > 0 && vectors.cols() != impl_->size) {
    throw UsageError(fmt::format("the vectors have length {} and the queries {}", vectors.cols(), impl_->size));
  }
  const ThreadScope scope(options);
  parallel_tiles(vectors.rows(), kTileVectors, options, "comparing",
                 [&](std::size_t begin, std::size_t end) { impl_->compare(vectors, begin, end); });
  impl_->vectors += vectors.rows();
}

std::uint64_t NearestSearch::passed_over() const {
  return impl_->passed_over;
}

std::vector<std::vector<Neighbour>> NearestSearch::found() const {
  std::vector<std::vector<Neighbour>> result;
  result.reserve(impl_->queries);
  for (const std::unique_ptr<QueryGroup>& group : impl_->groups) {
    for (const BestK& best : group->best) {
      result.push_back(best.found());
      std::ranges::sort(result.back(), is_better);
    }
  }
  return result;
}

std::vector<std::vector<Neighbour>> nearest(const Matrix& vectors, const Matrix& queries, const NearestOptions& nearest,
                                            const RunOptions& options) {
  NearestSearch search(queries, nearest);
  search.add(vectors, options);
  return search.found();
}

}  // namespace gckn
