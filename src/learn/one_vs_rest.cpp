// SPDX-License-Identifier: BSD-3-Clause
#include "learn/one_vs_rest.h"

#include "learn/squared_hinge.h"
#include "learn/standardise.h"
#include "linalg/vector_ops.h"

namespace gckn {

std::vector<std::vector<std::int32_t>> train_and_predict(const Matrix& vectors,
                                                         std::span<const std::int32_t> class_of_row,
                                                         std::int32_t num_classes, std::span<const std::uint32_t> train,
                                                         std::span<const std::uint32_t> test,
                                                         std::span<const double> grid) {
  const Standardiser standardiser(vectors, train);
  const DoubleMatrix train_rows = standardiser.apply(vectors, train);
  const DoubleMatrix test_rows = standardiser.apply(vectors, test);
  // With two classes the score of class 0 is minus that of class 1.
  const std::int32_t first_class = num_classes == 2 ? 1 : 0;
  std::vector<std::vector<std::int32_t>> predicted(grid.size(), std::vector<std::int32_t>(test.size(), 0));
  DoubleMatrix best(grid.size(), test.size());  // score of the class predicted so far
  for (std::int32_t c = first_class; c < num_classes; ++c) {
    SquaredHingeProblem problem;
    problem.rows = &train_rows;
    for (const std::uint32_t i : train) problem.labels.push_back(class_of_row[i] == c ? 1.0 : -1.0);
    const std::vector<SquaredHingeSolution> solutions = solve_squared_hinge(problem, grid);
    for (std::size_t g = 0; g < grid.size(); ++g) {
      for (std::size_t i = 0; i < test.size(); ++i) {
        const double score = dot(test_rows.row(i), solutions[g].w.data(), test_rows.cols());
        const bool first = c == 0;
        if (first || score > best(g, i)) {  // best is 0 for class 0 of two
          best(g, i) = score;
          predicted[g][i] = c;
        }
      }
    }
  }
  return predicted;
}

}  // namespace gckn
