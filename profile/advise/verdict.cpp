// SPDX-License-Identifier: BSD-3-Clause
// The second part of Judge: sums over the flights.
#include "advise/verdict.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

namespace weft::advise {

Verdict Judge::verdict() const {
  Verdict v;
  v.sites.resize(recorder_.sites().size());
  v.regions.resize(recorder_.regions().size());
  const auto& log = recorder_.log();
  double messages = 0, known = 0;
  for (auto n = first_; n < end_; ++n) {
    const Event& event = *log.find(n);
    if (const auto& tests = log.in_vain(n); tests.sixteens > 0) {
      v.sites[tests.site].inside_seconds += in_vain(n);
      v.step.mpi_seconds += in_vain(n);
    }
    if (event.kind == Kind::region) continue;
    auto& site = v.sites[event.site];
    if (!event.same_call) {
      const double inside = scale_.seconds(event.finish) - scale_.seconds(event.start);
      site.calls += event.kind == Kind::mark ? 0 : 1;
      site.inside_seconds += inside;
      v.step.calls += event.kind == Kind::mark ? 0 : 1;
      v.step.mpi_seconds += inside;
    }
    if (!is_message(event)) continue;
    const auto f = flight(n);
    site.messages += 1;
    site.bytes += bytes_of(n);
    site.flight_seconds += f.finish - f.start;
    site.late_seconds += f.late;
    // An eager send completes at once: only the receiver can wait for the message.
    if (!is_eager_send(event, f)) {
      site.needed_seconds += f.needed;
      site.overlapped_seconds += f.overlapped;
      v.step.needed_seconds += f.needed;
      v.step.overlapped_seconds += f.overlapped;
      site.overlappable_seconds += overlappable(n, f);
      v.step.overlappable_seconds += overlappable(n, f);
      // Of a rendezvous message both sides wait; of the time of a replay each has its share.
      v.step.exposed_seconds += (f.needed - f.overlapped) / (f.eager || !alone_.empty() ? 1 : 2);
    }
    messages += 1;
    known += others_[n - first_].known ? 1 : 0;
  }
  v.step.matched = messages > 0 ? known / messages : 0;
  judge_calls(v);
  judge_regions(v);
  judge_waits(v);
  judge_messages(v);
  judge_sync_points(v);

  const double steps = std::max<double>(1, static_cast<double>(steps_.count()));
  auto& s = v.step;
  s.seconds = seconds_;
  for (double* sum : {&s.seconds, &s.mpi_seconds, &s.calls, &s.messages, &s.messages_to_a_peer, &s.packed_to_a_peer,
                      &s.coalesce_seconds, &s.sync_points, &s.sync_seconds, &s.helper_seconds, &s.needed_seconds,
                      &s.overlappable_seconds, &s.overlapped_seconds, &s.exposed_seconds, &s.late_seconds})
    *sum /= steps;
  s.steps = static_cast<double>(steps_.count());
  s.replayed = !alone_.empty() ? 1 : 0;
  return v;
}

namespace {
template <class Sums>
Sums& add(Sums& to, const Sums& from) {
  using All = std::array<double, sizeof(Sums) / sizeof(double)>;
  auto sums = std::bit_cast<All>(to);
  const auto more = std::bit_cast<All>(from);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += more[i];
  return to = std::bit_cast<Sums>(sums);
}
}  // namespace
SiteVerdict& operator+=(SiteVerdict& to, const SiteVerdict& from) { return add(to, from); }
Blocks& operator+=(Blocks& to, const Blocks& from) { return add(to, from); }
RegionVerdict& RegionVerdict::operator+=(const RegionVerdict& other) { return add(*this, other); }

std::optional<std::array<double, 2>> interval_of(const Blocks& blocks) {
  constexpr double t = 2.365;  // Student's, 7 degrees of freedom, 97.5 %
  static_assert(Blocks::count == 8);
  double sum = 0, squares = 0, overlapped = 0, overlappable = 0;
  for (std::size_t k = 0; k < Blocks::count; ++k) {
    if (!(blocks.overlappable[k] > 0)) return {};
    const double fraction = overlap_fraction(blocks.overlapped[k], blocks.overlappable[k]);
    sum += fraction;
    squares += fraction * fraction;
    overlapped += blocks.overlapped[k];
    overlappable += blocks.overlappable[k];
  }
  const double n = Blocks::count, mean = overlap_fraction(overlapped, overlappable);
  const double half = t * std::sqrt(std::max(0.0, squares - sum * sum / n) / (n - 1) / n);
  return std::array{std::max(0.0, mean - half), std::min(1.0, mean + half)};
}

// A message belongs to the region that posted it, a wait for a late rank to that of the waiting call.
void Judge::judge_regions(Verdict& v) const {
  const auto& names = recorder_.regions();
  v.regions.resize(names.size());
  const auto& log = recorder_.log();
  const Event* begins = first_ < end_ ? log.find(first_) : nullptr;
  std::size_t block = 0, current = begins != nullptr ? begins->region : 0;
  if (begins != nullptr && begins->kind == Kind::region && begins->bytes == 1) current = names[current].parent;
  const bool has_blocks = steps_.count() >= 2 * Blocks::count;
  double since = calls_.empty() ? 0 : calls_.back().finish - seconds_;
  const auto spent_until = [&](double time) {
    v.regions[current].seconds += std::max(0.0, time - since);
    since = std::max(since, time);
  };
  for (auto n = first_; n < end_; ++n) {
    const Event& event = *log.find(n);
    v.regions[current].sums.inside_seconds += in_vain(n);
    if (event.kind == Kind::region) {
      spent_until(scale_.seconds(event.start));
      v.regions[event.region].sums.calls += static_cast<double>(event.bytes);
      current = event.region;
      continue;
    }
    auto& region = v.regions[event.region];
    if (!event.same_call) region.sums.inside_seconds += scale_.seconds(event.finish) - scale_.seconds(event.start);
    if (!is_message(event)) continue;
    const auto f = flight(n);
    region.sums.messages += 1;
    region.sums.bytes += bytes_of(n);
    if (is_eager_send(event, f)) continue;
    const double most = overlappable(n, f);
    region.sums.needed_seconds += f.needed;
    region.sums.overlapped_seconds += f.overlapped;
    region.sums.overlappable_seconds += most;
    region.sums.exposed_seconds += (f.needed - f.overlapped) / (f.eager || !alone_.empty() ? 1 : 2);
    while (has_blocks && block + 1 < Blocks::count && n >= begin_of_block(block + 1)) ++block;
    if (!has_blocks) continue;
    region.blocks.overlapped[block] += f.overlapped;
    region.blocks.overlappable[block] += most;
  }
  if (!calls_.empty()) spent_until(calls_.back().finish);
  for (std::size_t k = names.size(); k-- > 1;) {
    auto& around = v.regions[names[k].parent];
    const double times = around.sums.calls;
    around += v.regions[k];
    around.sums.calls = times;
  }
}

// Splits the waiting time of each call: first the wait for late ranks, then the wait for messages in flight.
void Judge::judge_calls(Verdict& v) const {
  struct Wait {
    double late = 0, exposed = 0;
  };
  std::map<std::uint64_t, Wait> waits;
  for (auto n = first_; n < end_; ++n) {
    const Event& event = *recorder_.log().find(n);
    if (!is_message(event) || event.completer < first_ || event.completer >= end_) continue;
    const auto f = flight(n);
    auto& wait = waits[event.completer];
    wait.late = std::max(wait.late, f.late);
    if (is_eager_send(event, f)) continue;
    wait.exposed += f.needed - f.overlapped;
  }
  for (const auto& [number, wait] : waits) {
    const Event& call = *recorder_.log().find(number);
    const double inside = scale_.seconds(call.finish) - scale_.seconds(call.start);
    const double late = std::min(wait.late, inside);
    // Without a replay each message counts as if it were alone.
    const double most = alone_.empty() ? std::min(inside - late, completed_[number - first_].needed()) : inside - late;
    const double exposed = std::clamp(wait.exposed, 0.0, most);
    v.sites[call.site].wait_late_seconds += late;
    v.sites[call.site].exposed_seconds += exposed;
    v.regions[call.region].sums.wait_late_seconds += late;
    v.step.late_seconds += late;
  }
}

// Estimates the gain of a progress thread: for each wait, the part after start + transfer time, limited by the transfer
// time and by the time between post and wait.
void Judge::judge_waits(Verdict& v) const {
  struct Wait {
    double start = 0, in = 0, out = 0;
    bool needs_driving = false;
  };
  std::map<std::uint64_t, Wait> waits;
  const auto& log = recorder_.log();
  for (auto n = first_; n < end_; ++n) {
    const Event& event = *log.find(n);
    if (!is_message(event) || !is_post(event.kind) || event.completer == n || event.completer < first_ ||
        event.completer >= end_)
      continue;
    const auto f = flight(n);
    auto& wait = waits.try_emplace(event.completer).first->second;
    if (f.eager && event.kind == Kind::post_send) continue;
    wait.start = std::max(wait.start, f.start);
    (event.kind == Kind::post_send ? wait.out : wait.in) += f.needed;
    // If the other side is not known, it may have been late.
    wait.needs_driving = wait.needs_driving || (!f.eager && others_[n - first_].known);
  }
  for (const auto& [number, wait] : waits) {
    const Event& call = *log.find(number);
    if (!wait.needs_driving || call.kind != Kind::wait) continue;
    const double began = scale_.seconds(call.start), ended = scale_.seconds(call.finish);
    const double needed = !alone_.empty() ? wait.in + wait.out : std::max(wait.in, wait.out);
    const double gain = std::min({ended - std::max(began, wait.start + needed), needed, began - wait.start});
    if (ended - began <= 3 * network_.wait_seconds || gain <= 0) continue;
    v.sites[call.site].helper_seconds += gain;
    v.step.helper_seconds += gain;
  }
  if (v.step.helper_seconds <= 0) return;
  // It can't overlap more than the computation that is left.
  const double computation = computation_ * static_cast<double>(steps_.count());
  const double most = std::max(0.0, std::min(v.step.overlappable_seconds, computation) - v.step.overlapped_seconds);
  const double share = std::min(1.0, most / v.step.helper_seconds);
  v.step.helper_seconds *= share;
  for (auto& site : v.sites) site.helper_seconds *= share;
}

// Messages to one peer between two waits could be aggregated. That saves the cost of each further message, less two
// copies of the packed data.
void Judge::judge_messages(Verdict& v) const {
  struct Peer {
    double messages = 0, packed = 0;  // of the whole step
    double now = 0, bytes = 0;        // since the last wait
  };
  std::map<int, Peer> peers;
  const auto close = [&] {
    for (auto& [rank, peer] : peers) {
      if (peer.now > 0) peer.packed += 1;
      const Path& path = network_.path_to(rank);
      const double saved = (peer.now - 1) * path.message_seconds - 2 * peer.bytes * network_.copy_seconds_a_byte;
      // No aggregation if the packed message would need the rendezvous protocol while the separate ones are eager.
      const bool grows_out = peer.bytes > path.eager_bytes && peer.bytes / std::max(1.0, peer.now) <= path.eager_bytes;
      if (peer.now > 1 && !grows_out) v.step.coalesce_seconds += std::max(0.0, saved);
      peer.now = peer.bytes = 0;
    }
  };
  for (auto n = first_; n < end_; ++n) {
    const Event& event = *recorder_.log().find(n);
    if (is_synchronising(event.kind) && event.kind != Kind::exchange && !event.same_call) close();
    if (event.kind != Kind::send && event.kind != Kind::exchange && event.kind != Kind::post_send) continue;
    if (event.stream == no_stream) continue;
    auto& peer = peers[recorder_.streams()[event.stream].peer];
    peer.messages += 1;
    peer.now += 1;
    peer.bytes += static_cast<double>(event.bytes);
    v.step.messages += 1;
    if (event.kind == Kind::exchange) close();
  }
  close();
  v.step.peers = static_cast<double>(peers.size());
  for (const auto& [rank, peer] : peers) {
    v.step.messages_to_a_peer = std::max(v.step.messages_to_a_peer, peer.messages);
    v.step.packed_to_a_peer = std::max(v.step.packed_to_a_peer, peer.packed);
  }
}

// Each wait costs one latency (a collective one per round), at most its duration; only the longest would remain.
void Judge::judge_sync_points(Verdict& v) const {
  double all = 0, longest = 0;
  for (const auto& point : sync_points(recorder_.log(), first_, end_)) {
    const Event& event = *recorder_.log().find(point.first);
    double inside = 0;
    for (auto n = point.first; n <= point.last; ++n) {
      const Event& call = *recorder_.log().find(n);
      if (!call.same_call) inside += scale_.seconds(call.finish) - scale_.seconds(call.start);
    }
    const double cost = std::min(rounds_of(event) * network_.near.seconds[0], inside);
    v.sites[point.site].sync_points += 1;
    v.step.sync_points += 1;
    all += cost;
    longest = std::max(longest, cost);
  }
  const double steps = std::max<double>(1, static_cast<double>(steps_.count()));
  v.step.sync_seconds = std::max(0.0, all - steps * longest);
}

}  // namespace weft::advise
