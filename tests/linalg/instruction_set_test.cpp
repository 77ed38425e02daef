// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/instruction_set.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>

namespace gckn {
namespace {

// Highway's own library is the oracle: it must not have better instructions than we use, nor miss those we use.
TEST(InstructionSet, IsWhatHighwayFinds) {
  const auto supported = hwy::SupportedTargets();
  InstructionSet expected = InstructionSet::baseline;
  if ((supported & HWY_AVX2) != 0) expected = InstructionSet::avx2;
  if ((supported & HWY_AVX3) != 0) expected = InstructionSet::avx512;
  EXPECT_EQ(instruction_set(), expected);
}

int for_avx512() {
  return 512;
}
int for_avx2() {
  return 256;
}
int for_all() {
  return 0;
}

TEST(InstructionSet, ChoosesTheBestVersionThatThereIs) {
  const InstructionSet best = instruction_set();
  const int of_avx2 = best == InstructionSet::baseline ? 0 : 256;
  EXPECT_EQ(best_version(for_avx512, for_avx2, &for_all)(), best == InstructionSet::avx512 ? 512 : of_avx2);
  EXPECT_EQ(best_version(nullptr, for_avx2, &for_all)(), of_avx2);
  EXPECT_EQ(best_version(nullptr, nullptr, &for_all)(), 0);
}

}  // namespace
}  // namespace gckn
