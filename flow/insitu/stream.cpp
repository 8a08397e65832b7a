// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/stream.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace weft::insitu {

Stream::Stream(std::vector<int> to, std::vector<int> from, std::size_t chunk_bytes)
    : to_(std::move(to)), from_(std::move(from)), chunk_bytes_(std::max<std::size_t>(chunk_bytes, 64)),
      out_(to_.size()), in_(from_.size()), sent_(to_.size()) {}

void Stream::load(std::size_t i, std::vector<std::byte> bytes) {
  out_[i] = std::move(bytes);
  sent_[i] = 0;
}

std::int64_t Stream::steps() const {
  std::size_t most = 0;
  for (std::size_t i = 0; i < out_.size(); ++i) most = std::max(most, out_[i].size() - sent_[i]);
  return static_cast<std::int64_t>((most + chunk_bytes_ - 1) / chunk_bytes_);
}

std::vector<std::byte> Stream::take(std::size_t i) { return std::exchange(in_[i], {}); }

void Stream::request(Requests& requests) {
  sends_.clear();
  receives_.clear();
  for (const int peer : to_) sends_.push_back(requests.send_up_to(peer, 0, given(chunk_bytes_)));
  for (const int peer : from_) receives_.push_back(requests.receive_up_to(peer, 0, given(chunk_bytes_)));
}

void Stream::before(Step& step) {
  for (std::size_t i = 0; i < out_.size(); ++i) {
    const auto chunk = std::span<const std::byte>(out_[i]).subspan(sent_[i]);
    const auto bytes = std::min(chunk_bytes_, chunk.size());
    step.ready(sends_[i], contiguous(chunk.first(bytes)));
    sent_[i] += bytes;
  }
}

void Stream::after(Step& step) {
  for (std::size_t i = 0; i < in_.size(); ++i) {
    const auto chunk = step.take_received(receives_[i]);
    in_[i].insert(in_[i].end(), chunk.begin(), chunk.end());
  }
}

}  // namespace weft::insitu
