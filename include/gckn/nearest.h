// SPDX-License-Identifier: BSD-3-Clause
// The most similar of many vectors: exact, by inner products with all of them.
//
//   gckn::Matrix library = network.embed(graphs);
//   auto found = gckn::nearest(library, network.embed(queries), {.k = 10});
//   found[0][0].index  // the graph that is most like the first query
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gckn/matrix.h"
#include "gckn/run_options.h"

namespace gckn {

enum class Similarity {
  cosine,         // the inner product of vectors scaled to unit length, from -1 to 1; 0 for a vector of zeros
  inner_product,  // of the vectors as they are: larger graphs, which have longer vectors, are more like everything
};

struct NearestOptions {
  std::size_t k = 10;  // vectors to find for each query; fewer where there are fewer
  Similarity similarity = Similarity::cosine;
};

struct Neighbour {
  std::uint64_t index = 0;  // of the vector, in the order they were given
  float similarity = 0;

  bool operator==(const Neighbour&) const = default;
};

// Compares queries with vectors that come in blocks; takes the memory of a block and of what was found. Results have
// the same bits for any blocks and any number of threads.
class NearestSearch {
 public:
  // One query per row. Throws UsageError if k is 0, InputError for a query with a number that is not finite.
  explicit NearestSearch(const Matrix& queries, const NearestOptions& options = {});
  ~NearestSearch();
  NearestSearch(NearestSearch&&) noexcept;
  NearestSearch& operator=(NearestSearch&&) noexcept;

  // Compares with further vectors, one per row, as long as the queries. A vector of nothing but not-a-numbers, as
  // gckn embed writes it for a row without a graph, keeps its number and is never found. Throws UsageError if lengths
  // differ, InputError for any other vector with a number that is not finite or an inner product that is none.
  void add(const Matrix& vectors, const RunOptions& options = {});

  // How many vectors stand for no graph.
  [[nodiscard]] std::uint64_t passed_over() const;

  // By query, what is most similar of all vectors so far: the best first, of equals the one that came first.
  [[nodiscard]] std::vector<std::vector<Neighbour>> found() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The same for vectors that are all there.
std::vector<std::vector<Neighbour>> nearest(const Matrix& vectors, const Matrix& queries,
                                            const NearestOptions& nearest = {}, const RunOptions& options = {});

}  // namespace gckn
