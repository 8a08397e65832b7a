// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace weft::view {

struct Picture {
  std::int64_t step = 0;
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  ///< row by row from the top, 3 bytes per pixel
};

/// The step in 8 bytes, little-endian, then a JPEG. Throws Error if it can't be encoded.
std::string encode(const Picture& picture, int quality);

/// A thread that encodes pictures. While it is busy, only the newest added picture is kept.
class Encoder {
 public:
  /// `done` is called in the encoder's thread; not for a picture that can't be encoded.
  Encoder(int quality, std::function<void(std::string)> done);
  /// Returns after the last added picture.
  ~Encoder();
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  void add(Picture picture);
  /// Also true while `done` is called.
  bool busy() const;

 private:
  void run();

  int quality_;
  std::function<void(std::string)> done_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Picture> next_;
  bool working_ = false, stop_ = false;
  std::thread thread_;
};

}  // namespace weft::view
