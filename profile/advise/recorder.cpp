// SPDX-License-Identifier: BSD-3-Clause
#include "advise/recorder.hpp"

#include <algorithm>
#include <utility>

namespace weft::advise {
namespace {

constexpr std::size_t most_streams = 65536;
constexpr std::size_t requests_as_a_call = 16;  // cost of recording so many requests, relative to one call

}  // namespace

std::uint8_t Regions::enter(const char* name) {
  if (!open_.empty() && open_.back().name == name) {
    ++open_.back().times;
    return current();
  }
  const auto parent = current();
  const auto path = (parent == 0 ? "" : all_[parent].name + "/") + name;
  auto found = std::ranges::find_if(all_, [&](const Region& r) { return r.parent == parent && r.name == path; });
  if (found == all_.end() && all_.size() <= most) found = all_.insert(all_.end(), {path, parent});
  const auto number = found == all_.end() ? parent : static_cast<std::uint8_t>(found - all_.begin());
  open_.push_back({.name = name, .number = number});
  return number;
}

std::uint8_t Regions::leave(const char* name) {
  const auto last = std::ranges::find(open_.rbegin(), open_.rend(), name, &Open::name);
  if (last == open_.rbegin() && last != open_.rend() && last->times > 1)
    --last->times;
  else if (last != open_.rend())
    open_.erase(std::prev(last.base()), open_.end());
  return current();
}

void Recorder::change_region(std::uint8_t to, bool enters, std::uint64_t now, bool recorded) {
  if (!recorded) return;
  auto& event = add(last_site_, Kind::region, now, now, 0, no_stream);
  event.region = to;
  event.bytes = enters ? 1 : 0;
}

Recorder::Recorder(std::size_t events, Site* sites)
    : site_numbers_(256), own_sites_(sites == nullptr ? std::make_unique<Site[]>(most_sites) : nullptr),
      sites_(sites == nullptr ? own_sites_.get() : sites), stream_numbers_(256), requests_(1024), log_(events) {
  callers_.resize(1);
  streams_.reserve(256);
}

std::size_t Recorder::bytes() const {
  return log_.bytes() + most_sites * sizeof(Site) + callers_.size() * sizeof(Callers) +
         streams_.size() * (sizeof(Stream) + 24) + requests_.size() * (sizeof(Request) + 16);
}

// Beyond the limit all call sites share the last entry.
std::uint16_t Recorder::site(std::uint64_t address, const char* call, Kind kind) {
  fresh_ = true;
  sample_.event = log_.count();
  if (const auto* found = site_numbers_.find(address)) {
    if (sites_[*found].kind == Kind::other) sites_[*found].kind = kind;  // its first call failed
    return last_site_ = *found;
  }
  if (site_count_ == most_sites) return last_site_ = most_sites - 1;
  const auto number = static_cast<std::uint16_t>(site_count_++);
  Site& site = sites_[number];
  site = {};
  site.address = address;
  site.call = call;
  site.kind = kind;
  site_numbers_[address] = number;
  if (callers_.size() < site_count_) callers_.resize(site_count_);
  if (on_new_site) on_new_site(number, site);
  return last_site_ = number;
}

std::uint32_t Recorder::stream(std::uint64_t communicator, int peer, int tag, bool outgoing) {
  const auto low = static_cast<std::uint64_t>(static_cast<std::uint32_t>(tag)) << 1 | (outgoing ? 1u : 0u);
  const auto key = mixed(mixed(communicator, static_cast<std::uint32_t>(peer)), low) | 1;
  if (const auto* found = stream_numbers_.find(key)) return *found;
  if (streams_.size() == most_streams) return no_stream;
  const auto number = static_cast<std::uint32_t>(streams_.size());
  streams_.push_back({communicator, peer, tag, outgoing});
  return stream_numbers_[key] = number;
}

Event& Recorder::add(std::uint16_t site, Kind kind, std::uint64_t start, std::uint64_t finish, std::uint64_t bytes,
                     std::uint32_t stream) {
  ++effort_;
  Event& event = log_.add();
  log_.in_vain(log_.count() - 1) = InVain::of(std::exchange(in_vain_, 0), spin_.site);
  event = {};
  event.start = start;
  event.finish = finish;
  event.bytes = bytes;
  event.stream = stream;
  event.site = site;
  event.kind = kind;
  event.region = regions_.current();
  if (stream != no_stream) {
    event.sequence = streams_[stream].messages++;
    streams_[stream].bytes += bytes;
  }
  auto& sums = sites_[site];
  sums.bytes += bytes;
  sums.last = finish;
  return event;
}

std::uint64_t Recorder::called(std::uint64_t address, const char* call, Kind kind, std::uint64_t start,
                               std::uint64_t finish, std::uint64_t bytes, std::uint32_t stream) {
  const auto at = site(address, call, kind);
  Event& event = add(at, kind, start, finish, bytes, stream);
  event.waited = start;
  event.complete = finish;
  event.completer = log_.count() - 1;
  ++sites_[at].calls;
  sites_[at].ticks += finish - start;
  return event.completer;
}

void Recorder::also(Kind kind, std::uint64_t bytes, std::uint32_t stream) {
  const auto number = log_.count() - 1;
  const Event call = *log_.find(number);
  Event& event = add(call.site, kind, call.start, call.finish, bytes, stream);
  event.waited = call.start;
  event.complete = call.finish;
  event.completer = number;
  event.same_call = true;
}

void Recorder::posted(std::uint64_t address, const char* call, Kind kind, std::uint64_t start, std::uint64_t finish,
                      std::uint64_t bytes, std::uint32_t stream, std::uint64_t request, std::uint64_t open) {
  const auto at = site(address, call, kind);
  add(at, kind, start, finish, bytes, stream);
  ++sites_[at].calls;
  sites_[at].ticks += finish - start;
  auto& known = requests_[request];
  // An MPI library may use one handle for all messages that completed when they were posted, and another thread's wait
  // may not be recorded yet. So the previous message with this handle is complete.
  if (known.active) {
    if (auto* before = log_.find(known.event)) complete(known.event, before->finish, before->finish, known.event);
  } else {
    ++outstanding_;
  }
  known = {log_.count() - 1, none, bytes, open, stream, kind, false, true};
}

void Recorder::posted_too(Kind kind, std::uint64_t bytes, std::uint32_t stream, std::uint64_t request,
                          std::uint64_t open) {
  auto* known = requests_.find(request);
  const auto* before = log_.find(log_.count() - 1);
  if (known == nullptr || before == nullptr) return;
  add(before->site, kind, before->start, before->finish, bytes, stream).same_call = true;
  known->second = log_.count() - 1;
  known->open = open;
}

void Recorder::forgotten(std::uint64_t request) {
  if (const auto* known = requests_.find(request); known != nullptr && known->active) --outstanding_;
  requests_.erase(request);
}

void Recorder::prepared(Kind kind, std::uint64_t bytes, std::uint32_t stream, std::uint64_t request,
                        std::uint64_t open) {
  requests_[request] = {0, none, bytes, open, stream, kind, true, false};
}

void Recorder::started(std::uint64_t address, const char* call, std::uint64_t start, std::uint64_t finish,
                       std::span<const std::uint64_t> requests) {
  const auto at = site(address, call, Kind::post_send);
  bool first = true;
  for (const auto request : requests) {
    auto* known = requests_.find(request);
    if (known == nullptr || !known->persistent) continue;  // a persistent collective, or created before recording began
    add(at, known->kind, start, finish, known->bytes, known->stream).same_call = !first;
    known->event = log_.count() - 1;
    if (!known->active) ++outstanding_;
    known->active = true;
    first = false;
  }
  ++sites_[at].calls;
  sites_[at].ticks += finish - start;
}

void Recorder::complete(std::uint64_t number, std::uint64_t waited, std::uint64_t finish, std::uint64_t completer) {
  if (auto* event = log_.find(number)) {
    event->waited = waited;
    event->complete = finish;
    event->completer = completer;
  }
}

void Recorder::completed(std::uint64_t address, const char* call, Kind kind, std::uint64_t start, std::uint64_t finish,
                         std::span<const std::uint64_t> requests, std::span<const Arrived> arrived) {
  const auto number = called(address, call, kind, start, finish);
  if (kind == Kind::test && spun(log_.find(number)->site, start)) {
    log_.find(number)->kind = Kind::wait;
    log_.find(number)->start = start = spin_.start;
    log_.in_vain(number) = {};
  }
  end_spin();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    auto* known = requests_.find(requests[i]);
    const auto of = !arrived.empty() && arrived[i].of.event != none ? arrived[i].of : in_flight(requests[i]);
    if (!arrived.empty() && of.receive != none) correct(of.receive, arrived[i]);
    if (known == nullptr || !known->active || known->event != of.event) continue;
    complete(known->event, start, finish, number);
    if (known->second != none) complete(known->second, start, finish, number);
    --outstanding_;
    known->active = false;
    if (!known->persistent) requests_.erase(requests[i]);
  }
}

// Before it arrives, only the size of a receive's memory is known.
void Recorder::correct(std::uint64_t number, const Arrived& arrived) {
  auto* event = log_.find(number);
  if (event == nullptr) return;
  if (arrived.cancelled && event->stream != no_stream) {
    for (auto later = number + 1; later < log_.count(); ++later)
      if (auto* other = log_.find(later); other != nullptr && other->stream == event->stream) --other->sequence;
    --streams_[event->stream].messages;
    event->stream = no_stream;
  }
  if (arrived.stream != no_stream) {
    event->stream = arrived.stream;
    event->sequence = streams_[arrived.stream].messages++;
  }
  const auto bytes = std::min(event->bytes, arrived.bytes);
  sites_[event->site].bytes -= event->bytes - bytes;
  event->bytes = bytes;
}

// Many samples at first, then ever fewer.
bool Recorder::is_sampled(std::uint64_t took) {
  constexpr std::uint64_t worth_it = 100, sampled_all = 32, most = 1024;
  auto& callers = callers_[last_site_];
  sample_.took = took;
  sample_.stands_for = 1;
  if (took / worth_it >= sample_.least) return true;
  ++callers.calls;
  if (++callers.passed < callers.gap) return false;
  sample_.stands_for = std::exchange(callers.passed, 0);
  sample_.random ^= sample_.random << 13;
  sample_.random ^= sample_.random >> 7;
  sample_.random ^= sample_.random << 17;
  const auto mean = std::clamp<std::uint64_t>(callers.calls / sampled_all, 1, most);
  callers.gap = static_cast<std::uint32_t>(1 + sample_.random % (2 * mean - 1));
  return true;
}

void Recorder::called_from(std::uint64_t address, std::uint64_t sample_ticks) {
  sample_.least = std::min(sample_.least, sample_ticks);
  const auto place = callers_[last_site_].add(address, sample_.took * sample_.stands_for);
  auto* event = log_.find(sample_.event);
  if (event == nullptr || event->site != last_site_) return;
  event->caller = place;
  event->stands_for = static_cast<std::uint16_t>(sample_.stands_for);
}

std::vector<std::vector<Callers::Caller>> Recorder::callers(std::uint64_t from, std::uint64_t end) const {
  std::vector<std::vector<Callers::Caller>> all(site_count_);
  std::vector<bool> is_found(site_count_);
  for (std::size_t i = 0; i < site_count_; ++i) {
    const auto& known = callers_[i];
    all[i].assign(known.all.begin(), known.all.begin() + static_cast<std::ptrdiff_t>(known.count));
  }
  for (auto n = from; n < end; ++n) {
    const auto* event = log_.find(n);
    if (event == nullptr || event->caller == 0) continue;
    if (!is_found[event->site])
      for (auto& caller : all[event->site]) caller.ticks = 0;
    is_found[event->site] = true;
    all[event->site][event->caller - 1u].ticks += event->stands_for * (event->finish - event->start);
  }
  return all;
}

bool Recorder::spun(std::uint16_t site, std::uint64_t now) const {
  constexpr int few = 4;
  return spin_.tests >= few && spin_.site == site && spin_.events + 1 == log_.count() &&
         now - spin_.start < 5 * spin_.inside;
}

void Recorder::unseen_in_vain(std::uint64_t address) {
  if (spin_.address == address) {
    ++spin_.unseen;
  } else if (const auto* found = site_numbers_.find(address)) {  // another thread has begun to test
    ++sites_[*found].calls;
    ++sites_[*found].fruitless;
  }
}

bool Recorder::awaits(std::span<const std::uint64_t> requests, std::uint64_t null) {
  return std::ranges::any_of(requests, [&](std::uint64_t request) {
    const auto* known = requests_.find(request);
    return request != null && (known == nullptr || known->active);
  });
}

void Recorder::end_spin() {
  sites_[spin_.site].calls += static_cast<std::uint64_t>(spin_.unseen);
  sites_[spin_.site].fruitless += static_cast<std::uint64_t>(spin_.unseen);
  spin_ = {};
}

void Recorder::in_vain(std::uint64_t address, const char* call, Kind kind, std::uint64_t start, std::uint64_t finish,
                       std::size_t requests) {
  effort_ += 1 + requests / requests_as_a_call;
  const auto at = site(address, call, kind);
  if (spin_.tests == 0 || spin_.site != at || spin_.events != log_.count()) {
    end_spin();
    spin_ = {.site = at, .start = start, .events = log_.count(), .address = address};
  }
  // The tests before it that were not recorded are assumed to take as long as this one.
  const int stands_for = 1 + std::exchange(spin_.unseen, 0);
  const auto took = static_cast<std::uint64_t>(stands_for) * (finish - start);
  spin_.tests += stands_for;
  spin_.inside += took;
  in_vain_ += took;
  spin_.finish = finish;
  auto& sums = sites_[at];
  sums.calls += static_cast<std::uint64_t>(stands_for);
  sums.fruitless += static_cast<std::uint64_t>(stands_for);
  sums.ticks += took;
}

void Recorder::rest() {
  if (windows_.size() == 1) first_rest_ = log_.count();
  windows_.push_back(log_.count());
}

void Recorder::wake() {
  KeyMap<Request> prepared(1024);
  requests_.for_each([&](std::uint64_t key, const Request& request) {
    if (!request.persistent) return;
    prepared[key] = request;
    prepared[key].active = false;
  });
  requests_ = std::move(prepared);
  outstanding_ = 0;
  windows_.push_back(log_.count());
  if (windows_.size() > 5) windows_.erase(windows_.begin(), windows_.begin() + 2);  // the log has no older events
}

std::pair<std::uint64_t, std::uint64_t> Recorder::last_window() const {
  constexpr std::uint64_t enough = 4096;
  const auto oldest = log_.last_part();
  std::pair<std::uint64_t, std::uint64_t> largest{oldest, oldest};
  for (std::size_t i = windows_.size(); i-- > 0;) {
    const bool is_start = i % 2 == 0;
    if (!is_start) continue;
    const auto end = i + 1 < windows_.size() ? windows_[i + 1] : log_.count();
    const auto start = std::max(windows_[i], oldest);
    if (start >= end) continue;
    if (end - start >= enough) return {start, end};
    if (end - start > largest.second - largest.first) largest = {start, end};
  }
  return largest;
}

Recorder::InFlight Recorder::in_flight(std::uint64_t request) {
  const auto* known = requests_.find(request);
  if (known == nullptr || !known->active) return {};
  return {known->event, known->kind == Kind::post_receive ? known->event : known->second, known->open};
}

}  // namespace weft::advise
