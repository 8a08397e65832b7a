// SPDX-License-Identifier: BSD-3-Clause
#include "view/encoder.hpp"

#include <turbojpeg.h>
#include <exception>
#include <memory>
#include <utility>

#include "weft/error.hpp"

namespace weft::view {

std::string encode(const Picture& picture, int quality) {
  const auto pixels = static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height);
  if (picture.width < 1 || picture.height < 1 || picture.rgb.size() != 3 * pixels) {
    throw Error("The size of a picture differs from its number of pixels. Give three bytes per pixel.");
  }
  const std::unique_ptr<void, int (*)(void*)> jpeg(tjInitCompress(), tjDestroy);
  unsigned char* made = nullptr;
  unsigned long bytes = 0;
  // Full colour resolution, since the colours carry the information.
  const int status = jpeg == nullptr ? -1
                                     : tjCompress2(jpeg.get(), picture.rgb.data(), picture.width, 0, picture.height,
                                                   TJPF_RGB, &made, &bytes, TJSAMP_444, quality, 0);
  const std::unique_ptr<unsigned char, void (*)(unsigned char*)> owner(made, tjFree);
  if (status != 0)
    throw Error(std::string("A picture could not be encoded as JPEG (") + tjGetErrorStr2(jpeg.get()) + ").");
  std::string message;
  message.reserve(8 + bytes);
  for (int byte = 0; byte < 8; ++byte) {
    message.push_back(static_cast<char>(static_cast<std::uint64_t>(picture.step) >> (8 * byte) & 0xff));
  }
  message.append(reinterpret_cast<const char*>(made), bytes);
  return message;
}

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
