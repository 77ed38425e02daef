// SPDX-License-Identifier: BSD-3-Clause
// Instruction sets that are left out of run-time dispatch. Included before <hwy/foreach_target.h>; no include guard
// is needed, the macro is.
#ifndef GCKN_LINALG_HIGHWAY_TARGETS_H
#define GCKN_LINALG_HIGHWAY_TARGETS_H

#include <hwy/detect_targets.h>

// Vectors without a size known to the compiler cannot be kept in arrays, which the register blocking needs; those
// processors have a sized instruction set as well. SSE without fused multiply-add is not worth its compile time.
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3 | HWY_SSE4)
#endif

#endif  // GCKN_LINALG_HIGHWAY_TARGETS_H
