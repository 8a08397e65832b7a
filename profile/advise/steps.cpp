// SPDX-License-Identifier: BSD-3-Clause
#include "advise/steps.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <span>

namespace weft::advise {
namespace {

constexpr std::size_t most_compared = 16384;
constexpr std::size_t few = 20;  // waits

// The last elements, which the search looks at.
std::span<const std::uint16_t> tail(const std::vector<std::uint16_t>& all) {
  return std::span(all).last(std::min(all.size(), most_compared));
}

// Elements that differ from the one a period before; stops above `allowed`.
std::size_t different(std::span<const std::uint16_t> all, std::size_t period, std::size_t allowed) {
  std::size_t n = 0;
  for (std::size_t i = 0; i + period < all.size() && n <= allowed; ++i) n += all[i] != all[i + period] ? 1 : 0;
  return n;
}

double alike(std::span<const std::uint16_t> all, std::size_t period, std::size_t different) {
  return 1 - static_cast<double>(different) / static_cast<double>(all.size() - period);
}

// Sites that come about once in a period, or more often.
std::set<std::uint16_t> sites_of(std::span<const std::uint16_t> all, std::size_t period) {
  std::map<std::uint16_t, std::size_t> times;
  for (const auto site : all) ++times[site];
  std::set<std::uint16_t> sites;
  for (const auto& [site, n] : times)
    if (2 * n * period > all.size()) sites.insert(site);
  return sites;
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Whether `part` is in `whole`. Line 8 is not a part of line 88.
bool contains(const std::string& whole, const std::string& part) {
  for (auto at = whole.find(part); at != whole.npos; at = whole.find(part, at + 1)) {
    const auto end = at + part.size();
    if (end == whole.size() || !is_digit(part.back()) || !is_digit(whole[end])) return true;
  }
  return false;
}

}  // namespace

std::vector<SyncPoint> sync_points(const Log& log, std::uint64_t from, std::uint64_t end, bool tests) {
  std::vector<SyncPoint> points;
  bool waits = false;  // the previous call belongs to the last point and was a wait
  for (auto n = from; n < end; ++n) {
    const Event& event = *log.find(n);
    if (event.same_call) {
      if (!points.empty() && points.back().last + 1 == n && is_synchronising(event.kind)) points.back().last = n;
      continue;
    }
    if (event.kind == Kind::region || (event.kind == Kind::test && !tests)) continue;  // a test waits for nothing
    const bool wait = event.kind == Kind::wait || event.kind == Kind::test;
    if (wait && waits)
      points.back().last = n;
    else if (is_synchronising(event.kind) || wait)
      points.push_back({n, n, event.site});
    waits = wait;
  }
  return points;
}

namespace {

// A period of a sequence, and the share of elements that are the same as one period before; 0: none.
struct Period {
  std::size_t length = 0;
  double alike = 0;
};

// The smallest period of which at most one element in five differs.
Period smallest_period(const std::vector<std::uint16_t>& sequence) {
  const auto all = tail(sequence);
  for (std::size_t p = 1; p <= all.size() / 3; ++p) {
    const std::size_t allowed = (all.size() - p) / 5;
    if (const auto n = different(all, p, allowed); n <= allowed) return {p, alike(all, p, n)};
  }
  return {};
}

// The same, but of a loop inside an iteration the iteration's: a longer period that fits at least four times better,
// with more sites beside the loop's than in it. (A step that has more in every tenth round is no such loop.)
Period find_period(const std::vector<std::uint16_t>& sequence) {
  const auto shortest = smallest_period(sequence);
  if (shortest.length == 0) return shortest;
  const auto all = tail(sequence);
  const auto wrong = different(all, shortest.length, all.size());
  const auto inner = sites_of(all, shortest.length);
  for (std::size_t p = shortest.length + 1; p <= all.size() / 3 && wrong >= 4; ++p) {
    const auto n = different(all, p, wrong / 4);
    if (n > wrong / 4) continue;
    const auto sites = sites_of(all, p);
    const auto beside = static_cast<std::size_t>(
        std::ranges::count_if(sites, [&](std::uint16_t site) { return !inner.contains(site); }));
    if (beside > inner.size()) return {p, alike(all, p, n)};
  }
  return shortest;
}

// The element whose number is nearest to one per period.
std::uint16_t once_in(const std::vector<std::uint16_t>& sequence, std::size_t period) {
  std::map<std::uint16_t, double> times;
  for (const auto one : sequence) ++times[one];
  const double wanted = static_cast<double>(sequence.size()) / static_cast<double>(period);
  const auto less = [&](const auto& a, const auto& b) {
    return std::abs(a.second - wanted) < std::abs(b.second - wanted);
  };
  return std::min_element(times.begin(), times.end(), less)->first;
}

std::vector<std::size_t> places_of(std::uint16_t one, const std::vector<std::uint16_t>& sequence) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < sequence.size(); ++i)
    if (sequence[i] == one) places.push_back(i);
  return places;
}

// The places that come once in a period: of an element, or of an element after certain others. If there are none, those
// of the element that is nearest to that.
std::vector<std::size_t> ends_of(const std::vector<std::uint16_t>& sequence, std::size_t period) {
  const double wanted = static_cast<double>(sequence.size()) / static_cast<double>(period);
  auto pieces = sequence;  // numbers of the pieces that end at each element, of growing length
  for (std::size_t length = 1; length <= std::min<std::size_t>(period, 16); ++length) {
    const auto places = places_of(once_in(pieces, period), pieces);
    if (std::abs(static_cast<double>(places.size()) - wanted) <= 0.1 * wanted + 1) return places;
    std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint16_t> numbers;
    for (std::size_t i = pieces.size(); i-- > 1;) {
      const auto next = static_cast<std::uint16_t>(std::min<std::size_t>(numbers.size() + 1, 0xFFFF));
      pieces[i] = numbers.try_emplace({pieces[i - 1], sequence[i]}, next).first->second;
    }
    pieces[0] = 0;
  }
  return places_of(once_in(sequence, period), sequence);
}

std::uint16_t most_frequent(const std::vector<std::uint16_t>& sites) {
  std::map<std::uint16_t, int> times;
  for (const auto site : sites) ++times[site];
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  return std::max_element(times.begin(), times.end(), less)->first;
}

// The bytes that each event of [from, end) waits for.
std::vector<std::uint64_t> bytes_waited_for(const Log& log, std::uint64_t from, std::uint64_t end) {
  std::vector<std::uint64_t> bytes(end - from);
  for (auto n = from; n < end; ++n)
    if (const Event& event = *log.find(n); event.waited != 0 && event.completer >= from && event.completer < end)
      bytes[event.completer - from] += event.bytes;
  return bytes;
}

// A number for each pair of site and bytes: one place may exchange the halos of several grids in an iteration.
std::vector<std::uint16_t> sites_and_sizes(const std::vector<SyncPoint>& points,
                                           const std::vector<std::uint64_t>& bytes, std::uint64_t from) {
  std::map<std::pair<std::uint16_t, std::uint64_t>, std::uint16_t> numbers;
  std::vector<std::uint16_t> sequence;
  for (const auto& point : points) {
    std::uint64_t size = 0;
    for (auto n = point.first; n <= point.last; ++n) size += bytes[n - from];
    const auto next = static_cast<std::uint16_t>(std::min<std::size_t>(numbers.size(), 0xFFFF));
    sequence.push_back(numbers.try_emplace({point.site, size}, next).first->second);
  }
  return sequence;
}

// Merges consecutive calls from one site: a loop over neighbours is not a step.
std::vector<SyncPoint> without_loops(const std::vector<SyncPoint>& points, const Log& log) {
  std::vector<SyncPoint> joined;
  for (const auto& point : points) {
    bool next_to = !joined.empty() && joined.back().site == point.site;
    for (auto n = next_to ? joined.back().last + 1 : point.first; n < point.first && next_to; ++n)
      next_to = log.find(n)->same_call || log.find(n)->kind == Kind::test || log.find(n)->kind == Kind::region;
    next_to ? void(joined.back().last = point.last) : joined.push_back(point);
  }
  return joined;
}

}  // namespace

Steps find_steps(const Recorder& recorder, const std::function<bool(const Site&)>& is_hint) {
  const Log& log = recorder.log();
  const auto window = recorder.last_window();
  const auto from = window.first, end = window.second;  // lambdas can't capture structured bindings
  Steps steps;
  const auto starts_at = [&](auto matches) {
    for (auto n = from; n < end; ++n)
      if (const Event& e = *log.find(n); !e.same_call && e.kind != Kind::region && matches(e))
        steps.starts.push_back(n + 1);
    return steps.starts.size() >= 2;
  };
  const auto reject = [&] { steps.starts.clear(); };
  // The user knows of the program's marks.
  if (is_hint && starts_at([&](const Event& e) { return is_hint(recorder.sites()[e.site]); })) {
    steps.by = Steps::By::hint;
  } else if (reject(); starts_at([](const Event& e) { return e.kind == Kind::mark; })) {
    steps.by = Steps::By::mark;
  }
  if (steps.by != Steps::By::nothing) {
    steps.site = log.find(steps.starts[0] - 1)->site;
    return steps;
  }
  reject();
  // A program may wait only by tests, with work between them.
  for (const bool tests : {false, true}) {
    const auto all = sync_points(log, from, end, tests);
    auto points = without_loops(all, log);
    std::vector<std::uint16_t> sites;
    Period period;
    const auto search = [&] {
      sites = sites_and_sizes(points, bytes_waited_for(log, from, end), from);
      period = find_period(sites);
      std::vector<std::uint16_t> places;
      for (const auto& point : points) places.push_back(point.site);
      // Sizes that do not change the period would hide waits: one for what a test found complete has none.
      if (const auto of_places = find_period(places); period.length == 0 || of_places.length == period.length)
        sites = places, period = of_places;
    };
    search();
    // If nearly all calls of the program are one call in a loop, each call is a step.
    if (period.length == 0 && points.size() < few && points.size() < all.size()) points = all, search();
    if (points.size() < 4) continue;
    if (period.length == 0 && steps.by != Steps::By::nothing) break;
    steps.by = period.length > 0 ? Steps::By::period : Steps::By::site;
    steps.alike = period.alike;
    const auto ends = period.length > 0 ? ends_of(sites, period.length) : places_of(most_frequent(sites), sites);
    if (const auto shorter = smallest_period(sites); shorter.length < period.length)
      steps.shorter = points[ends_of(sites, shorter.length)[0]].site;
    steps.site = points[ends[0]].site;
    steps.starts.clear();
    for (const auto i : ends) steps.starts.push_back(points[i].last + 1);
    if (period.length > 0) break;
  }
  return steps.starts.size() < 3 ? one_step(recorder) : steps;
}

Steps one_step(const Recorder& recorder) {
  const auto [from, end] = recorder.last_window();
  Steps steps;
  steps.starts = {from, end};
  return steps;
}

bool names(const std::string& text, const Name& place) {
  if (text.empty()) return false;
  const auto at = place.text.substr(0, place.text.find(' '));
  return contains(place.text, text) || (!place.function.empty() && contains(place.function + " (" + at + ")", text));
}

bool names(const std::string& text, const std::string& call, const Name& place) {
  if (text == call) return true;
  if (!text.starts_with(call + " ")) return names(text, place);
  auto rest = text.substr(call.size() + 1);
  for (const auto* word : {"in ", "at "})
    if (rest.starts_with(word)) rest.erase(0, 3);
  return names(rest, place);
}

StepHint::StepHint(const std::string& text, const Recorder& recorder, const Naming& naming) {
  const auto sites = recorder.sites();
  matches_.resize(sites.size());
  std::vector<CallSite> places;
  for (const auto& site : sites) places.push_back(call_site_of(site.address));
  const auto own = naming.names_of(places);
  for (std::size_t i = 0; i < sites.size(); ++i)
    if (names(text, sites[i].call, own[i])) matches_[i] = any_ = true;
  if (any_) return;
  std::vector<std::size_t> called;  // the site of each place
  places.clear();
  const auto of_sites = recorder.callers(0, 0);
  for (std::size_t i = 0; i < sites.size(); ++i)
    for (const auto& caller : of_sites[i]) {
      called.push_back(i);
      places.push_back(call_site_of(caller.address));
    }
  const auto callers = naming.names_of(places);
  for (std::size_t k = 0; k < called.size(); ++k)
    if (names(text, callers[k])) matches_[called[k]] = any_ = true;
  for (std::size_t k = 0; k < called.size(); ++k)
    if (matches_[called[k]] && !names(text, callers[k])) one_of_callers_ = true;
}

}  // namespace weft::advise
