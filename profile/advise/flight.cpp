// SPDX-License-Identifier: BSD-3-Clause
// The first part of Judge: the flight of each message.
#include "advise/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace weft::advise {
namespace {

// The share of a step in which the rank waited for a core because moving its messages kept the core busy. The messages
// did so in the replay, too; other programs took the same share of both.
double waited_because_of_messages(double waited, double step, double waited_alone, double alone) {
  const double most = std::min({waited, waited_alone * alone / std::max(1e-12, step), 0.9});
  return step <= alone ? most : std::clamp((waited_alone - waited) * alone / (step - alone), 0.0, most);
}

bool leaves(const Event& event) {
  return event.kind == Kind::send || event.kind == Kind::exchange || event.kind == Kind::post_send;
}

}  // namespace

double Path::time_of(double size) const {
  std::size_t i = 1;
  while (i + 1 < sizes && bytes[i] < size) ++i;
  const double slope = (seconds[i] - seconds[i - 1]) / (bytes[i] - bytes[i - 1]);
  return std::max(seconds[0], seconds[i - 1] + slope * (size - bytes[i - 1]));
}

Judge::Judge(const Recorder& recorder, const Steps& steps, const NetworkModel& network, const TickScale& scale,
             std::vector<OtherSide> others, double waited_for_core, const ReplayTime& replay)
    : recorder_(recorder), steps_(steps), network_(network), scale_(scale), others_(std::move(others)),
      first_(steps.starts.front()), end_(steps.starts.back()), completed_(end_ - first_) {
  others_.resize(end_ - first_);
  for (auto n = first_; n < end_; ++n) {
    const Event& event = *recorder_.log().find(n);
    if (!is_message(event) || event.completer < first_ || event.completer >= end_) continue;
    auto& all = completed_[event.completer - first_];
    const auto f = started(n);
    all.last_start = ++all.messages == 1 ? f.start : std::max(all.last_start, f.start);
    const double latency = latency_of(event), rest = std::max(0.0, f.needed - latency);
    all.latency = std::max(all.latency, latency);
    const bool both = is_collective(event.kind) || event.kind == Kind::exchange;
    if (both || leaves(event)) all.sent += rest;
    if (both || !leaves(event)) all.received += rest;
  }
  double inside = 0;
  for (auto n = first_; n < end_; ++n) {
    const Event& event = *recorder_.log().find(n);
    const double start = scale_.seconds(event.start), finish = scale_.seconds(event.finish);
    inside += in_vain(n);
    calls_.push_back({start, finish, inside});
    if (n + 1 == end_ || !recorder_.log().find(n + 1)->same_call) inside += finish - start;
  }
  const auto& log = recorder_.log();
  const Event* last = log.find(end_ - 1);
  const Event* before = first_ > 0 ? log.find(first_ - 1) : nullptr;
  const double began = scale_.seconds(before ? before->finish : log.find(first_) ? log.find(first_)->start : 0);
  seconds_ = last != nullptr && end_ > first_ ? scale_.seconds(last->finish) - began : 0;
  const double count = std::max<double>(1, static_cast<double>(steps_.count()));
  computation_ = std::max(0.0, seconds_ - inside) / count;
  if (replay.seconds < 0) return;
  // The last steps may have more or fewer messages than others.
  const auto all = needed_in(first_, end_), last_steps = needed_in(replay.from, end_);
  const auto of_replay = std::ranges::lower_bound(steps_.starts, replay.from);
  const auto replayed = static_cast<double>(steps_.starts.end() - 1 - of_replay);
  alone_a_second_ = last_steps > 0 ? replay.seconds * replayed / last_steps
                    : all > 0      ? replay.seconds * count / all
                                   : 0;
  waited_for_core_ =
      waited_because_of_messages(waited_for_core, seconds_ / count, replay.waited, alone_a_second_ * all / count);
}

std::uint64_t Judge::begin_of_block(std::size_t block) const {
  return steps_.starts[block * static_cast<std::size_t>(steps_.count()) / Blocks::count];
}

void Judge::compare_with_replay(double longest_computation) {
  if (alone_a_second_ <= 0) return;
  const auto inside_before = [&](std::uint64_t n) {
    return n < end_ ? calls_[n - first_].before : calls_.back().before + calls_.back().finish - calls_.back().start;
  };
  const auto began = [&](std::uint64_t n) {
    return n == first_ ? calls_.back().finish - seconds_ : calls_[n - 1 - first_].finish;
  };
  const std::size_t blocks = steps_.count() < 2 * Blocks::count ? 1 : Blocks::count;
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto from = begin_of_block(block), end = begin_of_block(block + 1 < blocks ? block + 1 : Blocks::count);
    const double outside = std::max(0.0, began(end) - began(from) - (inside_before(end) - inside_before(from)));
    const double steps = std::max<double>(1, static_cast<double>(steps_.count())) / static_cast<double>(blocks);
    alone_.push_back(compared(from, end, steps, outside, longest_computation));
  }
}

const Judge::Alone& Judge::alone_of(std::uint64_t number) const {
  auto block = alone_.size() - 1;
  while (block > 0 && number < begin_of_block(block)) --block;
  return alone_[block];
}

// Of the messages between ranks, by the model of the network.
double Judge::needed_in(std::uint64_t from, std::uint64_t end) const {
  double needed = 0;
  for (auto n = from; n < end; ++n) {
    const Event& event = *recorder_.log().find(n);
    if (!is_message(event) || is_collective(event.kind)) continue;
    if (const auto f = modelled(n); !is_eager_send(event, f)) needed += f.needed;
  }
  return needed;
}

// Of the events [from, end), which are so many steps, with so many seconds outside of calls. needed: 0 without
// messages.
Judge::Alone Judge::compared(std::uint64_t from, std::uint64_t end, double steps, double outside,
                             double longest_computation) const {
  const double computation = outside * (1 - waited_for_core_);
  double needed = 0, between = 0, inside = outside - computation, late = 0;
  std::vector<bool> counts(end - from);
  std::map<std::uint64_t, double> late_of;  // of a call
  for (auto n = from; n < end; ++n) {
    const Event& event = *recorder_.log().find(n);
    counts[n - from] = counts[n - from] || event.kind == Kind::probe;
    if (!is_message(event) || is_collective(event.kind)) continue;
    const auto f = modelled(n);
    counts[n - from] = true;
    if (event.completer >= from && event.completer < end) {
      counts[event.completer - from] = true;
      late_of[event.completer] = std::max(late_of[event.completer], f.late);
    }
    if (is_eager_send(event, f)) continue;
    needed += f.needed;
    between += f.between;
  }
  const double alone = alone_a_second_ * needed;
  if (alone <= 0) return {.needed = 0};
  std::vector<std::uint64_t> others;  // calls
  for (auto n = from; n < end; ++n) {
    inside += in_vain(n);
    if (recorder_.log().find(n)->same_call) continue;
    if (counts[n - from])
      inside += calls_[n - first_].finish - calls_[n - first_].start;
    else
      others.push_back(n);
  }
  for (const auto& [call, seconds] : advancing(from, end, others)) {
    inside += seconds;
    const Event& event = *recorder_.log().find(call);
    if (is_message(event)) late_of[call] = std::min(seconds, modelled(call).late);
  }
  for (const auto& [call, seconds] : late_of) late += seconds;
  late = std::min(late, std::max(0.0, steps * longest_computation - computation));
  const double most = std::min({alone, computation, between});
  const double overlapped = std::min(most, std::max(0.0, alone - std::max(0.0, inside - late)));
  return {alone / needed, between > 0 ? overlapped / between : 0, alone > 0 ? std::min(1.0, computation / alone) : 1};
}

// How long messages between ranks advanced in which of these other calls: at most for as long as those in flight need
// together. An eager message advances from when it was sent, others in all calls. Neither is behind computation then.
std::map<std::uint64_t, double> Judge::advancing(std::uint64_t from, std::uint64_t end,
                                                 const std::vector<std::uint64_t>& calls) const {
  struct InFlight {
    double needed = 0, start = std::numeric_limits<double>::infinity();
    bool eager = true;
  };
  std::map<std::uint64_t, InFlight> during;
  constexpr std::ptrdiff_t most = 64;  // calls; after so many it has arrived
  const auto ends = [&](std::uint64_t call) { return calls_[call - first_].finish; };
  for (auto n = from; n < end && !calls.empty(); ++n) {
    const Event& event = *recorder_.log().find(n);
    if (!is_message(event) || is_collective(event.kind) || event.completer <= n || event.completer >= end_) continue;
    const auto f = modelled(n);
    if (is_eager_send(event, f)) continue;
    auto next = std::max(std::ranges::upper_bound(calls, n), std::ranges::upper_bound(calls, f.start, {}, ends));
    for (const auto stop = calls.end() - next > most ? next + most : calls.end();
         next != stop && *next < event.completer; ++next) {
      auto& all = during[*next];
      all.needed += f.needed * alone_a_second_;
      all.start = std::min(all.start, f.start);
      all.eager = all.eager && f.eager;
    }
  }
  std::map<std::uint64_t, double> seconds;
  for (const auto& [number, all] : during) {
    const auto& call = calls_[number - first_];
    const double advanced = all.eager ? call.start - all.start : call.before - inside_until(all.start, number - first_);
    const double longest =
        std::min(call.finish - std::max(call.start, all.start), all.needed - std::max(0.0, advanced));
    if (longest > 0) seconds[number] = longest;
  }
  return seconds;
}

bool Judge::is_eager_send(const Event& event, const Flight& flight) const {
  return flight.eager && (event.kind == Kind::send || event.kind == Kind::post_send);
}

double Judge::overlappable(std::uint64_t number, const Flight& flight) const {
  const Event& event = *recorder_.log().find(number);
  const bool replayed = !alone_.empty() && !is_collective(event.kind);
  return replayed ? flight.needed * alone_of(number).overlappable : std::min(flight.needed, computation_);
}

// Unsuccessful tests and probes before a call.
double Judge::in_vain(std::uint64_t number) const {
  return scale_.seconds(recorder_.log().in_vain(number).ticks()) - scale_.seconds(0);
}

double Judge::inside_until(double time, std::size_t last) const {
  auto first = last;
  for (std::size_t reach = 1; first > 0 && calls_[first].start > time; reach *= 2) first -= std::min(first, reach);
  const auto from = calls_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = calls_.begin() + static_cast<std::ptrdiff_t>(last) + 1;
  const auto after = std::ranges::upper_bound(from, end, time, {}, &Inside::start);
  if (after == from) return 0;
  const auto& call = *std::prev(after);
  return call.before + std::min(time, call.finish) - call.start;
}

double Judge::outside_calls(double from, double to, std::uint64_t completer) const {
  const auto last = std::min(std::max(completer, first_), end_ - 1) - first_;
  return std::max(0.0, to - from - (inside_until(to, last) - inside_until(from, last)));
}

bool Judge::is_message(const Event& event) const {
  if (event.stream == no_stream || event.waited == 0) return false;
  return event.kind != Kind::wait && event.kind != Kind::test && event.kind != Kind::probe &&
         event.kind != Kind::mark && event.kind != Kind::region;
}

// Number of dependent rounds: of a collective, each of which must be progressed to start the next one; 1 for a message.
double Judge::rounds_of(const Event& event) const {
  return is_collective(event.kind) ? std::max(1.0, std::ceil(std::log2(static_cast<double>(network_.node.size())))) : 1;
}

double Judge::latency_of(const Event& event) const {
  return rounds_of(event) * network_.path_to(recorder_.streams()[event.stream].peer).seconds[0];
}

double Judge::bytes_of(std::uint64_t number) const {
  const Event& event = *recorder_.log().find(number);
  const bool comes = event.kind == Kind::receive || event.kind == Kind::post_receive;
  return static_cast<double>(comes ? std::min(event.bytes, others_[number - first_].bytes) : event.bytes);
}

Flight Judge::flight(std::uint64_t number) const {
  auto f = modelled(number);
  if (alone_.empty() || is_collective(recorder_.log().find(number)->kind)) return f;
  f.needed *= alone_of(number).needed;
  f.overlapped = f.between * alone_of(number).overlapped;
  return f;
}

// Without what its wait says.
Flight Judge::started(std::uint64_t number) const {
  const Event& event = *recorder_.log().find(number);
  const Stream& stream = recorder_.streams()[event.stream];
  const Path& path = network_.path_to(stream.peer);
  const OtherSide& other = others_[number - first_];
  const double rounds = rounds_of(event), bytes = bytes_of(number);
  const double own = scale_.seconds(event.start);
  const double theirs = other.known ? other.posted : own;
  Flight f;
  f.eager = bytes <= path.eager_bytes && rounds < 2;
  f.needed = rounds * path.time_of(bytes);
  f.start = !f.eager ? std::max(own, theirs) : leaves(event) ? own : theirs;
  return f;
}

Flight Judge::modelled(std::uint64_t number) const {
  const Event& event = *recorder_.log().find(number);
  const double own = scale_.seconds(event.start);
  auto f = started(number);
  double waited = scale_.seconds(event.waited), complete = scale_.seconds(event.complete);
  if (f.eager && event.kind == Kind::post_send) waited = complete = std::min(complete, scale_.seconds(event.finish));
  const bool is_known = event.completer >= first_ && event.completer < end_;
  const auto together = is_known ? completed_[event.completer - first_] : Completed{1, f.start, f.needed};
  const double at_once = 3 * network_.wait_seconds + 0.2e-6 * together.messages;
  const bool waited_for = complete - waited > at_once;
  const double share = std::min(1.0, f.needed / std::max(1e-12, together.needed()));
  const double exposed = waited_for ? share * std::max(0.0, complete - std::max(waited, together.last_start)) : 0;
  // On a busy machine the measured transfer time may be longer than the message took.
  f.needed = std::min(f.needed, std::max(0.0, complete - f.start));
  const double left = std::max(0.0, f.needed - exposed);
  const auto outside = [&](double from) { return from < waited ? outside_calls(from, waited, event.completer) : 0; };
  f.between = outside(std::min(own, f.start));
  f.overlapped = std::min(left, outside(f.start));
  f.late = waited_for ? std::clamp(f.start - waited, 0.0, complete - waited) : 0;
  f.finish = std::max(f.start, waited_for ? complete : std::min(f.start + f.needed, complete));
  return f;
}

}  // namespace weft::advise
