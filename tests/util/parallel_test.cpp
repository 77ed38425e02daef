// SPDX-License-Identifier: BSD-3-Clause
#include "util/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "gckn/error.h"

namespace gckn {
namespace {

// A loop within a loop must not return as if it had run to its end when another body of the outer one fails.
TEST(ParallelFor, NoInnerLoopEndsHalfWay) {
  RunOptions options;
  options.threads = 4;
  const ThreadScope threads(options);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> half_way{0};
    const auto outer = [&](std::size_t i) {
      std::atomic<std::size_t> done{0};
      constexpr std::size_t kCount = 50;
      parallel_for(kCount, [&](std::size_t) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        ++done;
      });
      if (done != kCount) ++half_way;
      if (i == 5) throw std::runtime_error("five");
    };
    EXPECT_THROW(parallel_for(8, outer), std::runtime_error);
    EXPECT_EQ(half_way, 0);
  }
}

// A file with several mistakes must be refused with the same sentence every time.
TEST(ParallelForFirstError, RunsAllAndThrowsTheLowestIndex) {
  RunOptions options;
  options.threads = 4;
  const ThreadScope threads(options);
  for (int round = 0; round < 20; ++round) {
    std::atomic<std::size_t> runs{0};
    const auto body = [&](std::size_t i) {
      ++runs;
      if (i == 7) std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the others fail before it
      if (i >= 7) throw std::runtime_error(std::to_string(i));
    };
    try {
      parallel_for_first_error(40, body);
      ADD_FAILURE() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "7");
    }
    EXPECT_EQ(runs, 40u);
  }
  EXPECT_NO_THROW(parallel_for_first_error(0, [](std::size_t) { throw std::runtime_error("nothing to do"); }));
}

}  // namespace
}  // namespace gckn
