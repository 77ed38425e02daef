// SPDX-License-Identifier: BSD-3-Clause
#include "../../cli/time_left.h"

#include <gtest/gtest.h>

namespace gckn::cli {
namespace {

TEST(TimeLeft, IsOfTheRestAndNeverRises) {
  TimeLeft left;
  EXPECT_FALSE(left.update(100, 0.2).has_value());  // a resumed search
  EXPECT_FALSE(left.update(101, 0.5).has_value()) << "a second says little";
  EXPECT_NEAR(*left.update(110, 0.4), 30, 1e-9);  // 0.2 in 10 s
  EXPECT_NEAR(*left.update(120, 0.4), 30, 1e-9) << "held, not raised to 60";
  EXPECT_NEAR(*left.update(121, 0.9), 3, 1e-9);
  EXPECT_NEAR(*left.update(130, 0.9), 3, 1e-9);
}

}  // namespace
}  // namespace gckn::cli
