// SPDX-License-Identifier: BSD-3-Clause
#include "support/liblinear.h"

#include <linear.h>

namespace gckn::test {

std::vector<double> liblinear_weights(LiblinearLoss loss, const DoubleMatrix& rows, std::vector<double> labels,
                                      double c) {
  const std::size_t n = rows.rows();
  const std::size_t dimension = rows.cols();
  std::vector<feature_node> nodes(n * (dimension + 1));
  std::vector<feature_node*> row_nodes(n);
  for (std::size_t i = 0; i < n; ++i) {
    row_nodes[i] = nodes.data() + i * (dimension + 1);
    for (std::size_t k = 0; k < dimension; ++k) row_nodes[i][k] = {static_cast<int>(k) + 1, rows(i, k)};
    row_nodes[i][dimension] = {-1, 0};
  }
  problem data{};
  data.l = static_cast<int>(n);
  data.n = static_cast<int>(dimension);
  data.y = labels.data();
  data.x = row_nodes.data();
  data.bias = -1;
  parameter settings{};
  settings.solver_type = loss == LiblinearLoss::logistic ? L2R_LR : L2R_L2LOSS_SVC;
  settings.C = c;
  settings.eps = 1e-10;
  set_print_string_function([](const char*) {});
  model* trained = train(&data, &settings);
  std::vector<double> w(trained->w, trained->w + dimension);
  for (double& value : w) value *= trained->label[0];  // liblinear's first class is that of the first row
  free_and_destroy_model(&trained);
  return w;
}

}  // namespace gckn::test
