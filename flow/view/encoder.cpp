// SPDX-License-Identifier: BSD-3-Clause
#include "view/encoder.hpp"

#include <exception>
#include <utility>

namespace weft::view {

Encoder::Encoder(int quality, std::function<void(std::string)> done)
    : quality_(quality), done_(std::move(done)), thread_([this] { run(); }) {}

Encoder::~Encoder() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Encoder::add(Picture picture) {
  {
    const std::lock_guard lock(mutex_);
    next_ = std::move(picture);
  }
  changed_.notify_one();
}

bool Encoder::busy() const {
  const std::lock_guard lock(mutex_);
  return working_ || next_.has_value();
}

void Encoder::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || next_; });
    if (!next_) return;
    auto picture = std::move(*next_);
    next_.reset();
    working_ = true;
    lock.unlock();
    try {
      done_(encode(picture, quality_));
    } catch (const std::exception&) {  // out of memory, or not a picture: the next one may succeed
    }
    lock.lock();
    working_ = false;
  }
}

}  // namespace weft::view
