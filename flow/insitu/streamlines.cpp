// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/streamlines.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <span>
#include <utility>

#include "insitu/cell.hpp"
#include "weft/clock.hpp"

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

namespace {

constexpr float half_step = 0.5F;            // voxels
constexpr std::uint32_t most_points = 4000;  // of a line: a closed one must end

BlockPosition block_around(const Float3& at) {
  BlockPosition b{};
  for (std::size_t a = 0; a < 3; ++a)
    b[a] = static_cast<std::int32_t>(std::floor((at[a] + 0.5F) / geometry::block_width));
  return b;
}

}  // namespace

std::vector<Float3> seeds(const geometry::Domain& domain, std::size_t lines) {
  using geometry::operator*, geometry::operator+;  // not those of floats
  using geometry::Opening, geometry::Vector;
  std::size_t inlets = 0;
  for (const auto& opening : domain.openings) inlets += opening.kind == Opening::Kind::inlet ? 1 : 0;
  std::vector<Float3> result;
  for (const auto& opening : domain.openings) {
    if (opening.kind != Opening::Kind::inlet) continue;
    const auto& n = opening.normal;
    const Vector across =
        geometry::normalised(geometry::cross(n, std::abs(n[0]) < 0.7 ? Vector{1, 0, 0} : Vector{0, 1, 0}));
    const Vector other = geometry::cross(n, across);
    const auto count = std::max<std::size_t>(1, lines / inlets);
    for (std::size_t i = 0; i < count; ++i) {  // sunflower spiral
      const double r = 0.92 * opening.radius * std::sqrt((static_cast<double>(i) + 0.5) / static_cast<double>(count));
      const double angle = static_cast<double>(i) * std::numbers::pi * (3 - std::sqrt(5.0));
      const Vector p =
          opening.centre + 2 * domain.grid.voxel * n + r * std::cos(angle) * across + r * std::sin(angle) * other;
      Float3 seed{};
      for (std::size_t a = 0; a < 3; ++a)
        seed[a] = static_cast<float>((p[a] - domain.grid.origin[a]) / domain.grid.voxel);
      result.push_back(seed);
    }
  }
  return result;
}

Streamlines::Streamlines(const Bricks& bricks, const NodeField& velocity, std::vector<Float3> seeds)
    : bricks_(bricks), velocity_(velocity), seeds_(std::move(seeds)), leaving_(bricks.peers().size()) {
  const std::vector<std::byte> box(sizeof(std::uint64_t) + seeds_.size() * sizeof(Head));
  outgoing_.assign(leaving_.size(), box);
  incoming_.assign(leaving_.size(), box);
}

void Streamlines::start() {
  growing_.clear();
  points_.clear();
  for (std::uint32_t i = 0; i < seeds_.size(); ++i)
    if (bricks_.find(block_around(seeds_[i])).owner == bricks_.rank()) growing_.push_back({{i, 0, seeds_[i], 0}, 0});
}

void Streamlines::grow(double seconds) {
  const double until = now_seconds() + seconds;
  while (!growing_.empty() && now_seconds() < until) {
    for (int i = 0; i < 16 && !growing_.empty(); ++i)
      if (!advance(growing_.back())) growing_.pop_back();
  }
}

// Advances by half a voxel; false if the line ends here or continues elsewhere. The middle of the step lies less than
// half a voxel beyond the block, which the brick still covers.
bool Streamlines::advance(Head& head) {
  auto& p = head.point;
  const auto block = block_around(p.at);
  const auto place = bricks_.find(block);
  if (place.owner != bricks_.rank()) {
    if (place.owner >= 0) hand_on(head, place.owner);
    return false;
  }
  Float3 first{};
  for (std::size_t a = 0; a < 3; ++a) first[a] = static_cast<float>(geometry::block_width * block[a] - 1);
  const auto direction = [&](const Float3& at, float& speed) {
    const auto v = Cell(velocity_.brick(place.brick), at - first).value();
    const Float3 u{v[0], v[1], v[2]};
    const float size = std::sqrt(dot(u, u));
    speed = v[3] > 0.25F ? size / v[3] : 0;  // no line where most nodes are wall
    return size > 0 ? 1 / size * u : Float3{};
  };
  float speed = 0, unused = 0;
  const auto start = direction(p.at, speed);
  if (!(speed > 0)) return false;
  p.speed = speed;
  if (head.half == 0) {
    points_.push_back(p);
    if (++p.number > most_points) return false;
  }
  head.half ^= 1;
  p.at = p.at + half_step * direction(p.at + (0.5F * half_step) * start, unused);
  return true;
}

void Streamlines::hand_on(const Head& head, int rank) {
  const auto& peers = bricks_.peers();
  const auto peer = std::find_if(peers.begin(), peers.end(), [&](const auto& p) { return p.rank == rank; });
  if (peer == peers.end()) return;  // they share no site, so there is no vessel between them
  leaving_[static_cast<std::size_t>(peer - peers.begin())].push_back(head);
  has_leaving_ = true;
}

void Streamlines::request(Requests& requests) {
  for (std::size_t i = 0; i < outgoing_.size(); ++i) {
    requests.send(bricks_.peers()[i].rank, 0, contiguous(std::span<const std::byte>(outgoing_[i])));
    requests.receive(bricks_.peers()[i].rank, 0, contiguous(std::span<std::byte>(incoming_[i])));
  }
}

void Streamlines::before(Step&) {
  for (std::size_t i = 0; i < outgoing_.size(); ++i) {
    const std::uint64_t count = leaving_[i].size();
    std::memcpy(outgoing_[i].data(), &count, sizeof count);
    if (count > 0) std::memcpy(outgoing_[i].data() + sizeof count, leaving_[i].data(), count * sizeof(Head));
    leaving_[i].clear();
  }
  has_leaving_ = false;
}

void Streamlines::after(Step&) {
  for (const auto& box : incoming_) {
    std::uint64_t count = 0;
    std::memcpy(&count, box.data(), sizeof count);
    for (std::size_t i = 0; i < std::min<std::size_t>(count, seeds_.size()); ++i) {
      Head head;
      std::memcpy(&head, box.data() + sizeof count + i * sizeof head, sizeof head);
      growing_.push_back(head);
    }
  }
}

}  // namespace weft::insitu
