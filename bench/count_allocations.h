// SPDX-License-Identifier: BSD-3-Clause
// A program that is linked with this counts its allocations.
#pragma once

#include <cstdint>

namespace gckn::bench {

// By operator new, so far, on all threads.
std::uint64_t num_allocations();

}  // namespace gckn::bench
