// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/single_threaded_blas.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <optional>
#include <thread>

#include "linalg/openblas.h"
#include "linalg/symmetric.h"
#include "util/parallel.h"

namespace gckn {
namespace {

// A program that has chosen three threads for its own use of BLAS.
class SingleThreadedBlasTest : public testing::Test {
 protected:
  void SetUp() override { openblas().set_num_threads(3); }
  void TearDown() override { openblas().set_num_threads(before_); }

 private:
  const int before_ = openblas().get_num_threads();
};

TEST_F(SingleThreadedBlasTest, GivesTheThreadsBack) {
  ASSERT_EQ(openblas().get_num_threads(), 3);
  {
    const SingleThreadedBlas outer;
    EXPECT_EQ(openblas().get_num_threads(), 1);
    { const SingleThreadedBlas inner; }
    EXPECT_EQ(openblas().get_num_threads(), 1) << "the outer scope goes on";
  }
  EXPECT_EQ(openblas().get_num_threads(), 3);
  openblas().set_num_threads(2);
  { const SingleThreadedBlas again; }
  EXPECT_EQ(openblas().get_num_threads(), 2) << "what was set last, not what was set first";
}

TEST_F(SingleThreadedBlasTest, TheLastOfSeveralThreadsGivesThemBack) {
  std::optional<SingleThreadedBlas> mine(std::in_place);
  std::barrier both_in(2);
  std::barrier one_out(2);
  int seen = 0;
  std::jthread other([&] {
    const SingleThreadedBlas theirs;
    both_in.arrive_and_wait();
    one_out.arrive_and_wait();
    seen = openblas().get_num_threads();
  });
  both_in.arrive_and_wait();
  mine.reset();
  one_out.arrive_and_wait();
  other.join();
  EXPECT_EQ(seen, 1) << "after the first had left";
  EXPECT_EQ(openblas().get_num_threads(), 3);
}

TEST_F(SingleThreadedBlasTest, IsUsedByWhatCallsLapack) {
  RunOptions options;
  options.threads = 4;
  const ThreadScope threads(options);
  std::atomic<int> solved{0};
  parallel_for(40, [&](std::size_t i) {
    DoubleMatrix m(20, 20);
    for (std::size_t j = 0; j < 20; ++j) m(j, j) = static_cast<double>(1 + (i + j) % 20);
    const std::vector<double> values = eigenvectors(m);
    if (values.front() == 1 && values.back() == 20) ++solved;
    DoubleMatrix indefinite(1, 1);
    indefinite(0, 0) = -2;
    double x = 4;
    if (solve_indefinite(indefinite, &x) && x == -2) ++solved;
  });
  EXPECT_EQ(solved, 80);
  EXPECT_EQ(openblas().get_num_threads(), 3);
}

}  // namespace
}  // namespace gckn
