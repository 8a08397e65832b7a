// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/streamlines.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <span>
#include <tuple>
#include <utility>

#include "insitu/cell.hpp"
#include "weft/clock.hpp"

namespace weft::insitu {

LineDrawing::LineDrawing(const Bricks& bricks, const Projection& projection, std::vector<LinePoint> points,
                         std::function<Float4(float)> colour)
    : bricks_(bricks), projection_(projection), points_(std::move(points)), colour_(std::move(colour)),
      radius_(std::max(0.9F, 1.5F * static_cast<float>(std::min(projection.width, projection.height)) / 512)),
      fragments_(bricks.size()) {
  std::sort(points_.begin(), points_.end(), [](const LinePoint& a, const LinePoint& b) {
    return std::tie(a.line, a.number) < std::tie(b.line, b.number);
  });
}

bool LineDrawing::draw_next() {
  constexpr std::size_t some = 32;
  const auto end = std::min(points_.size(), drawn_ + some);
  if (drawn_ >= end) return false;
  for (; drawn_ < end; ++drawn_) {
    const auto &from = points_[drawn_ - 1], &to = points_[drawn_];
    if (to.line == from.line && to.number == from.number + 1) draw(from, to, colour_(to.speed));
  }
  return true;
}

std::span<const LineFragment> LineDrawing::of_brick(std::size_t brick) {
  auto& list = fragments_[brick];
  std::sort(list.begin(), list.end(), [](const LineFragment& a, const LineFragment& b) {
    return std::tie(a.pixel, a.depth, a.line) < std::tie(b.pixel, b.depth, b.line);
  });
  return list;
}

void LineDrawing::draw(const LinePoint& from, const LinePoint& to, const Float4& colour) {
  const auto a = projection_.project(from.at), b = projection_.project(to.at);
  const auto d = b - a;
  const float squared = d[0] * d[0] + d[1] * d[1], reach = radius_ + 1;
  const auto low = [&](std::size_t axis) {
    return static_cast<std::int32_t>(std::ceil(std::min(a[axis], b[axis]) - reach));
  };
  const auto high = [&](std::size_t axis) {
    return static_cast<std::int32_t>(std::floor(std::max(a[axis], b[axis]) + reach));
  };
  for (auto row = std::max(0, low(1)); row <= std::min(projection_.height - 1, high(1)); ++row)
    for (auto column = std::max(0, low(0)); column <= std::min(projection_.width - 1, high(0)); ++column) {
      const float x = static_cast<float>(column) - a[0], y = static_cast<float>(row) - a[1];
      const float s = squared > 0 ? std::clamp((x * d[0] + y * d[1]) / squared, 0.0F, 1.0F) : 0;
      const float distance = std::hypot(x - s * d[0], y - s * d[1]);
      const float opacity = std::clamp(radius_ + 0.5F - distance, 0.0F, 1.0F);
      if (!(opacity > 0)) continue;
      const float across = std::min(1.0F, distance / radius_);
      auto c = (1 - 0.55F * across * across) * colour;
      c[3] = 1;
      put(column, row, from.line, a[2] + s * d[2], distance, opacity * c);
    }
}

void LineDrawing::put(std::int32_t column, std::int32_t row, std::uint32_t line, float depth, float distance,
                      const Float4& colour) {
  const auto at =
      projection_.start(static_cast<float>(column), static_cast<float>(row)) + depth * projection_.direction;
  BlockPosition b{};
  for (std::size_t a = 0; a < 3; ++a)
    b[a] = static_cast<std::int32_t>(std::floor((at[a] + 0.5F) / geometry::block_width));
  if (b != block_) {
    block_ = b;
    place_ = bricks_.find(b);
  }
  if (place_.owner != bricks_.rank()) return;
  // Pieces of a line overlap at their ends: of each line a pixel gets the fragment nearest to the line's middle.
  auto& list = fragments_[place_.brick];
  const auto pixel = static_cast<std::uint32_t>(row * projection_.width + column);
  const auto recent = static_cast<std::ptrdiff_t>(12 * (radius_ + 1) * (radius_ + 1));  // fragments of some pieces
  const LineFragment fragment{pixel, line, depth, distance, colour};
  for (auto it = list.rbegin(); it != list.rend() && it - list.rbegin() < recent && it->line == line; ++it)
    if (it->pixel == pixel) {
      if (distance < it->distance) *it = fragment;
      return;
    }
  list.push_back(fragment);
}

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
