// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/stream.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace weft::insitu {

Stream::Stream(std::vector<int> to, std::vector<int> from, std::size_t chunk_bytes)
    : to_(std::move(to)), from_(std::move(from)), chunk_bytes_(std::max<std::size_t>(chunk_bytes, 64)),
      out_(to_.size()), in_(from_.size()), sent_(to_.size()),
      leaving_(to_.size(), std::vector<std::byte>(chunk_bytes_)),
      arriving_(from_.size(), std::vector<std::byte>(chunk_bytes_)) {}

void Stream::load(std::size_t i, std::vector<std::byte> bytes) {
  out_[i] = std::move(bytes);
  sent_[i] = 0;
}

std::int64_t Stream::steps() const {
  std::size_t most = 0;
  for (std::size_t i = 0; i < out_.size(); ++i) most = std::max(most, out_[i].size() - sent_[i]);
  return static_cast<std::int64_t>((most + room() - 1) / room());
}

std::vector<std::byte> Stream::take(std::size_t i) { return std::exchange(in_[i], {}); }

void Stream::request(Requests& requests) {
  for (std::size_t i = 0; i < to_.size(); ++i)
    requests.send(to_[i], 0, contiguous(std::span<const std::byte>(leaving_[i])));
  for (std::size_t i = 0; i < from_.size(); ++i)
    requests.receive(from_[i], 0, contiguous(std::span<std::byte>(arriving_[i])));
}

void Stream::before(Step&) {
  for (std::size_t i = 0; i < out_.size(); ++i) {
    const std::uint64_t bytes = std::min(room(), out_[i].size() - sent_[i]);
    std::memcpy(leaving_[i].data(), &bytes, sizeof bytes);
    if (bytes > 0) std::memcpy(leaving_[i].data() + sizeof bytes, out_[i].data() + sent_[i], bytes);
    sent_[i] += bytes;
  }
}

void Stream::after(Step&) {
  for (std::size_t i = 0; i < in_.size(); ++i) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, arriving_[i].data(), sizeof bytes);
    const auto* first = arriving_[i].data() + sizeof bytes;
    in_[i].insert(in_[i].end(), first, first + std::min<std::uint64_t>(bytes, room()));
  }
}

}  // namespace weft::insitu
