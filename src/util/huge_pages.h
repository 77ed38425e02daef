// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace gckn {

// Asks for large pages where a block of memory that was not written to yet spans any: getting hundreds of megabytes
// page by page takes longer than filling them. A wish only; nothing depends on it.
inline void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
  constexpr std::uintptr_t kHugePage = std::uintptr_t{1} << 21;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (address + kHugePage - 1) / kHugePage * kHugePage;
  const std::uintptr_t end = (address + bytes) / kHugePage * kHugePage;
  if (begin < end) ::madvise(static_cast<char*>(memory) + (begin - address), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace gckn
