// SPDX-License-Identifier: BSD-3-Clause
// Expected numbers: tests/golden/.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace gckn::test {

// The contents of a file in tests/golden/.
nlohmann::json load_golden(const std::string& name);

}  // namespace gckn::test
