// SPDX-License-Identifier: BSD-3-Clause
// Run-time choice among the versions of a function that Highway compiles, one for every instruction set. Highway has a
// choice of its own, in a library whose loading measures a clock (in version 1.0), which takes longer than all of a
// short command; this needs no library.
#pragma once

#include <type_traits>

namespace gckn {

// Those with a version of their own: AVX2 with fused multiply-add, and AVX-512 (AVX2 and AVX3 to Highway). Others, and
// all of other processors, have what the compiler takes for granted.
enum class InstructionSet { baseline, avx2, avx512 };

// The best one that processor and operating system have.
InstructionSet instruction_set();

// The version for this processor; null stands for one that was not compiled.
template <typename Function>
Function* best_version(std::type_identity_t<Function>* avx512, std::type_identity_t<Function>* avx2,
                       Function* baseline) {
  static const InstructionSet best = instruction_set();
  if (best == InstructionSet::avx512 && avx512 != nullptr) return avx512;
  if (best != InstructionSet::baseline && avx2 != nullptr) return avx2;
  return baseline;
}

}  // namespace gckn

// Within the part of a file that HWY_ONCE guards: the best version of a function in HWY_NAMESPACE.
#define GCKN_BEST_VERSION(function) \
  (gckn::best_version(HWY_CHOOSE_AVX3(function), HWY_CHOOSE_AVX2(function), &HWY_STATIC_DISPATCH(function)))
