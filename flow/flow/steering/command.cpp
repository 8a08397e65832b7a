// SPDX-License-Identifier: BSD-3-Clause
#include "flow/steering/command.hpp"

namespace weft::flow {

bool Inbox::push(const Command& command) {
  {
    const std::lock_guard lock(mutex_);
    auto& last = ring_[(first_ + size_ + capacity - 1) % capacity];
    if (size_ > 0 && command.kind == Command::Kind::scene && last.kind == Command::Kind::scene) {
      last = command;
    } else if (size_ == capacity) {
      return false;
    } else {
      ring_[(first_ + size_++) % capacity] = command;
    }
  }
  filled_.notify_one();
  return true;
}

std::optional<Command> Inbox::take() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || size_ == 0) return std::nullopt;
  const auto command = ring_[first_];
  first_ = (first_ + 1) % capacity;
  --size_;
  return command;
}

void Inbox::wait(std::chrono::milliseconds longest) {
  std::unique_lock lock(mutex_);
  filled_.wait_for(lock, longest, [this] { return size_ > 0; });
}

std::size_t Inbox::size() const {
  const std::lock_guard lock(mutex_);
  return size_;
}

}  // namespace weft::flow
