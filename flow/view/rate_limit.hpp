// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <utility>

namespace weft::view {

/// Limits the messages per second, with a burst of the same number; a sender that continues is disconnected.
class RateLimit {
 public:
  enum class Verdict { take, refuse, drop, close };

  explicit RateLimit(double per_second) : per_second_(per_second), left_(per_second) {}

  /// Judges a message at this time, seconds from any start. The first message above the limit is refused, further ones
  /// are dropped.
  Verdict judge(double now_seconds) {
    left_ = std::min(per_second_, left_ + per_second_ * std::max(0.0, now_seconds - last_seconds_));
    last_seconds_ = now_seconds;
    if (left_ >= 1) {
      left_ -= 1;
      dropped_ = std::max(0.0, dropped_ - 0.5);  // decays while the sender keeps to the limit
      refused_ = refused_ && dropped_ > 0;
      return Verdict::take;
    }
    dropped_ += 1;
    if (dropped_ > 5 * per_second_) return Verdict::close;
    return std::exchange(refused_, true) ? Verdict::drop : Verdict::refuse;
  }

 private:
  double per_second_, left_, last_seconds_ = 0, dropped_ = 0;
  bool refused_ = false;
};

}  // namespace weft::view
