// SPDX-License-Identifier: BSD-3-Clause
#include "support/golden.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace gckn::test {

nlohmann::json load_golden(const std::string& name) {
  std::ifstream file(std::filesystem::path(GCKN_TEST_GOLDEN_DIR) / name);
  EXPECT_TRUE(file) << name;
  return nlohmann::json::parse(file);
}

}  // namespace gckn::test
