// SPDX-License-Identifier: BSD-3-Clause
#include "fft/pass.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "weft/clock.hpp"

namespace weft::fft {
namespace {

template <class T>
void copy(const T* from, std::size_t from_stride, T* to, std::size_t to_stride, std::size_t rows, std::size_t length) {
  if (length == 0) return;  // what is empty may lie nowhere
  if (from_stride == length && to_stride == length) {
    length *= rows;
    rows = std::min<std::size_t>(rows, 1);
  }
  for (std::size_t i = 0; i < rows; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, length * sizeof(T));
}

// Adds the time of its life to a sum.
class Watch {
 public:
  explicit Watch(double& sum) : sum_(sum), from_(now_seconds()) {}
  ~Watch() { sum_ += now_seconds() - from_; }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  double& sum_;
  double from_;
};

std::size_t tiles_for(std::size_t planes, std::size_t tile) { return (planes + tile - 1) / tile; }

}  // namespace

template <class Real>
void Pass<Real>::Messages::start() {
  for (auto& o : operations) o->start();
}

template <class Real>
bool Pass<Real>::Messages::test() {
  if (!active) return true;
  bool all = true;
  for (auto& o : operations) all = o->test() && all;
  return all;
}

template <class Real>
Pass<Real>::Pass(Transport& transport, PassPlan<Real> plan, const PassOptions& options)
    : transport_(transport), plan_(std::move(plan)), options_(options) {
  if (plan_.lanes.empty()) return;
  tiles_ = tiles_for(plan_.most_planes, options_.tile);
  std::size_t fewest = plan_.planes;
  for (const auto& lane : plan_.lanes) fewest = std::min(fewest, lane.planes);
  if (options_.carrier == Carrier::collective) fewest = plan_.most_planes - std::min<std::size_t>(1, plan_.most_planes);
  full_tiles_ = std::min(fewest / options_.tile, tiles_);
  options_.window = std::min(options_.window, std::max<std::size_t>(tiles_, 1) - (tiles_ > 0 ? 1 : 0));
  slots_.resize(options_.window + 1);
  std::size_t send = 0, receive = 0;
  for (const auto& lane : plan_.lanes) {
    if (lane.peer == transport.rank()) continue;
    if (!from_planes(lane)) send += lane.give.size();
    receive += std::min(options_.tile, lane.planes) * lane.taken();
  }
  for (auto& slot : slots_) {
    if (plan_.before) {
      slot.planes = Buffer<Complex>(options_.tile * plan_.plane);
      std::fill_n(slot.planes.data(), slot.planes.size(), Complex{});  // rows are scaled and sent with their padding
    }
    slot.send = Buffer<Complex>(options_.tile * send);
    slot.receive = Buffer<Complex>(receive);
  }
  for (std::size_t k = 0; k < std::min(slots_.size(), full_tiles_); ++k) messages_.push_back(make_messages(k));
  for (std::size_t k = full_tiles_; k < tiles_; ++k) messages_.push_back(make_messages(k));
}

// Blocks of an axis differ by one plane at most, so that all but the last two tiles are alike on all ranks.
template <class Real>
typename Pass<Real>::Messages& Pass<Real>::messages(std::size_t tile) {
  const auto shared = std::min(slots_.size(), full_tiles_);
  return *messages_[tile < full_tiles_ ? tile % slots_.size() : shared + (tile - full_tiles_)];
}

template <class Real>
std::size_t Pass<Real>::planes_of(std::size_t planes, std::size_t tile) const {
  return std::min(options_.tile, planes - std::min(planes, tile * options_.tile));
}

// A single plane's share for a peer leaves from where it was computed if it lies in one piece there.
template <class Real>
bool Pass<Real>::from_planes(const Lane& lane) const {
  return plan_.before && options_.tile == 1 && options_.carrier == Carrier::messages && lane.give.contiguous();
}

template <class Real>
std::unique_ptr<typename Pass<Real>::Messages> Pass<Real>::make_messages(std::size_t tile) {
  auto result = std::make_unique<Messages>();
  auto& slot = slots_[tile % slots_.size()];
  const auto mine = planes_of(plan_.planes, tile);
  const auto size = static_cast<std::size_t>(transport_.size());
  std::vector<std::size_t> in_bytes(size), out_bytes(size);
  std::size_t send = 0, receive = 0;
  for (const auto& lane : plan_.lanes) {
    result->send_at.push_back(send);
    result->receive_at.push_back(receive);
    if (lane.peer == transport_.rank()) continue;
    const auto out = mine * lane.give.size(), in = planes_of(lane.planes, tile) * lane.taken();
    const auto peer = static_cast<std::size_t>(lane.peer);
    in_bytes[peer] = out * sizeof(Complex);
    out_bytes[peer] = in * sizeof(Complex);
    const std::span to(slot.receive.data() + receive, in);
    const bool in_place = from_planes(lane);
    const std::span from(in_place ? slot.planes.data() + lane.give.first : slot.send.data() + send, out);
    if (options_.carrier == Carrier::messages) {
      // On a network in pieces that leave at once: what asks its receiver first costs two more latencies.
      const auto piece = transport_.piece_bytes() > 0 ? transport_.piece_bytes() : std::max(in, out) * sizeof(Complex);
      const auto taken = std::as_writable_bytes(to);
      const auto given = std::as_bytes(from);
      for (std::size_t at = 0; at < taken.size(); at += piece)
        result->operations.push_back(
            transport_.receive(taken.subspan(at, std::min(piece, taken.size() - at)), lane.peer, options_.tag));
      for (std::size_t at = 0; at < given.size(); at += piece)
        result->operations.push_back(
            transport_.send(given.subspan(at, std::min(piece, given.size() - at)), lane.peer, options_.tag));
    }
    if (!in_place) send += out;
    receive += in;
  }
  if (options_.carrier == Carrier::collective)
    result->operations.push_back(
        transport_.collective({.kind = Collective::Kind::all_to_all,
                               .in = std::as_bytes(std::span(slot.send.data(), send)),
                               .out = std::as_writable_bytes(std::span(slot.receive.data(), receive)),
                               .in_bytes = std::move(in_bytes),
                               .out_bytes = std::move(out_bytes)}));
  return result;
}

template <class Real>
void Pass<Real>::scale(const Run& r, Complex* plane) const {
  if (!plan_.scaled || r.factor == 1) return;
  const auto factor = static_cast<Real>(r.factor);
  for (std::size_t i = 0; i < plan_.plane; ++i) plane[i] *= factor;
}

template <class Real>
void Pass<Real>::put(const Run& r, const Lane& lane, std::size_t plane, const Complex* from, std::size_t stride) const {
  if (plan_.arrive) {
    plan_.arrive.execute(from, static_cast<std::byte*>(r.out) + (lane.first + plane) * plan_.out_bytes);
    return;
  }
  auto* to = static_cast<Complex*>(plan_.after ? r.work : r.out) + lane.take.first + plane * lane.take_stride;
  copy(from, stride, to, lane.take.stride, lane.take.rows, lane.take.length);
}

template <class Real>
void Pass<Real>::compute(const Run& r, const Tile& tile, Slot& slot) {
  const auto& at = messages(tile.index).send_at;
  for (std::size_t i = 0; i < tile.count; ++i) {
    const void* input = static_cast<const std::byte*>(r.in) + (tile.first + i) * plan_.in_bytes;
    const auto* plane = static_cast<const Complex*>(input);
    if (plan_.before) {
      const Watch watch(r.seconds->transform);
      auto* result = slot.planes.data() + i * plan_.plane;
      plan_.before.execute(input, result);
      scale(r, result);
      plane = result;
      tile.progress();
    }
    const Watch watch(r.seconds->pack);
    for (std::size_t k = 0; k < plan_.lanes.size(); ++k) {
      const auto& lane = plan_.lanes[k];
      const auto* from = plane + lane.give.first;
      if (lane.peer == transport_.rank()) {
        put(r, lane, tile.first + i, from, lane.give.stride);
      } else if (!from_planes(lane)) {
        copy(from, lane.give.stride, slot.send.data() + at[k] + i * lane.give.size(), lane.give.length, lane.give.rows,
             lane.give.length);
      }
    }
    tile.progress();
  }
}

template <class Real>
void Pass<Real>::consume(const Run& r, const Tile& tile, Slot& slot) {
  const auto& at = messages(tile.index).receive_at;
  for (std::size_t k = 0; k < plan_.lanes.size(); ++k) {
    const auto& lane = plan_.lanes[k];
    if (lane.peer == transport_.rank()) continue;
    const Watch watch(plan_.arrive ? r.seconds->transform : r.seconds->unpack);
    for (std::size_t i = 0; i < planes_of(lane.planes, tile.index); ++i) {
      put(r, lane, tile.index * options_.tile + i, slot.receive.data() + at[k] + i * lane.taken(), lane.row);
      tile.progress();
    }
  }
  if (!plan_.after) return;
  const Watch watch(r.seconds->transform);
  for (auto p = tile.first; p < tile.end(); ++p) {
    plan_.after.execute(static_cast<const Complex*>(r.work) + p * plan_.lanes.front().take_stride,
                        static_cast<std::byte*>(r.out) + p * plan_.out_bytes);
    tile.progress();
  }
}

template <class Real>
void Pass<Real>::run_locally(const Run& r) const {
  const Watch watch(r.seconds->transform);
  for (std::size_t p = 0; p < plan_.planes; ++p) {
    auto* out = static_cast<std::byte*>(r.out) + p * plan_.out_bytes;
    plan_.before.execute(static_cast<const std::byte*>(r.in) + p * plan_.in_bytes, out);
    if (plan_.scaled) scale(r, static_cast<Complex*>(static_cast<void*>(out)));
  }
}

template <class Real>
void Pass<Real>::run(const Run& r) {
  if (plan_.lanes.empty()) {
    if (r.compute) run_locally(r);
    return;
  }
  if (tiles_ == 0) return;
  const auto& s = *r.seconds;
  const double from = now_seconds(), busy = s.transform + s.pack + s.unpack;
  const PipelineOptions options{.tile = options_.tile, .window = options_.window, .progress = r.progress, .tiles = tiles_};
  pipeline(
      transport_, plan_.planes, options, std::span(slots_),
      [&](const Tile& tile, Slot& slot) {
        if (r.compute) compute(r, tile, slot);
      },
      [&](const Tile& tile, Slot&) -> Messages& {
        auto& m = messages(tile.index);
        m.active = r.communicate;
        if (m.active) m.start();
        return m;
      },
      [&](const Tile& tile, Slot& slot) {
        if (r.compute) consume(r, tile, slot);
      });
  r.seconds->wait += now_seconds() - from - (s.transform + s.pack + s.unpack - busy);
}

template class Pass<double>;
template class Pass<float>;

}  // namespace weft::fft
