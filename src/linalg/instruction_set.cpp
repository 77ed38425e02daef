// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/instruction_set.h"

namespace gckn {

InstructionSet instruction_set() {
#if defined(__x86_64__)
  // The compilers' own check, which asks the operating system, too, whether it saves the wide registers.
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  if (!has_avx2) return InstructionSet::baseline;
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512cd");
  return has_avx512 ? InstructionSet::avx512 : InstructionSet::avx2;
#else
  return InstructionSet::baseline;
#endif
}

}  // namespace gckn
