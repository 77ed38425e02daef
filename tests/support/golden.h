// SPDX-License-Identifier: BSD-3-Clause
// Expected numbers: tests/golden/.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "gckn/graph_set.h"
#include "gckn/matrix.h"
#include "gckn/network.h"

namespace gckn::test {

// The contents of a file in tests/golden/.
nlohmann::json load_golden(const std::string& name);

// The graphs of a case; x always as attributes, labels where the case has them.
GraphSet graphs_of(const nlohmann::json& golden);

// Its network, on attributes or, if x are one-hot labels, on these.
enum class Input { attributes, labels };
template <typename Real>
BasicNetwork<Real> network_of(const nlohmann::json& golden, Input input);

DoubleMatrix matrix_of(const nlohmann::json& rows);

}  // namespace gckn::test
