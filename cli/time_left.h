// SPDX-License-Identifier: BSD-3-Clause
// How long a computation is still going to take, from its share done so far.
#pragma once

#include <algorithm>
#include <optional>

namespace gckn::cli {

// What it says never rises: where the rest turns out to be slower than what is done, it stays where it is.
class TimeLeft {
 public:
  // seconds: on a clock that does not go back; share: 0 to 1. Nothing while it would be a guess.
  std::optional<double> update(double seconds, double share) {
    if (!begin_) begin_ = Begin{seconds, share};
    constexpr double kLeastSeconds = 2;
    constexpr double kLeastShare = 0.02;
    const double elapsed = seconds - begin_->seconds;
    const double done = share - begin_->share;  // a resumed search does not begin at 0
    if (elapsed < kLeastSeconds || done < kLeastShare) return shown_;
    const double estimate = elapsed / done * (1 - share);
    shown_ = std::min(shown_.value_or(estimate), estimate);
    return shown_;
  }

 private:
  struct Begin {
    double seconds;
    double share;
  };
  std::optional<Begin> begin_;
  std::optional<double> shown_;
};

}  // namespace gckn::cli
