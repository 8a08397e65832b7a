// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/inside/overlaps.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <tuple>

#include "weft/error.hpp"

namespace weft::inside {
namespace {

// A receive or a send, and the memory between its first and its last byte.
struct Place {
  Part part;
  const Request* request;
  const std::string* client;
  const Region* region = nullptr;
  std::uintptr_t first = 0, end = 0;

  auto order() const { return std::tie(request->round, request->peer, *client, request->key); }
  bool combines() const { return static_cast<bool>(request->combine); }
  bool is_sent() const { return request->kind == Request::Kind::send; }
};

// Strides may be negative, as numbers modulo 2^64.
void set_bounds(Place& place) {
  const auto layout = place.region->layout();
  place.first = reinterpret_cast<std::uintptr_t>(layout.base);
  place.end = place.first + layout.run_bytes;
  for (const auto& loop : layout.loops) {
    const auto reach = (loop.count - 1) * loop.stride_bytes;
    (static_cast<std::ptrdiff_t>(reach) < 0 ? place.first : place.end) += reach;
  }
  if (layout.offsets.empty()) return;
  const auto [least, most] = std::ranges::minmax(layout.offsets);
  place.first += least;
  place.end += most;
}

// The largest power of two that divides all positions and lengths of the places' runs.
unsigned granule_bits(std::span<const Place> places, std::uintptr_t first) {
  std::uintptr_t all = 4096;
  for (const auto& place : places) {
    const auto layout = place.region->layout();
    all |= (reinterpret_cast<std::uintptr_t>(layout.base) - first) | layout.run_bytes;
    for (const auto& loop : layout.loops) all |= loop.stride_bytes;
    for (const auto offset : layout.offsets) all |= offset;
  }
  return static_cast<unsigned>(std::countr_zero(all));
}

// A set of bytes of memory: a bit per granule, in pages that exist where it has bytes.
class Bytes {
 public:
  Bytes(std::uintptr_t first, std::uintptr_t end, unsigned granule)
      : first_(first), granule_(granule), pages_(((end - first) >> granule >> page_bits) + 1) {}

  bool meets(const Region& region) const {
    bool found = false;
    visit(region, [&](std::size_t page, std::size_t word, std::uint64_t mask) {
      found = found || (pages_[page] && (pages_[page][word] & mask) != 0);
    });
    return found;
  }
  // Returns whether some of them were in it.
  bool add(const Region& region) {
    std::uint64_t found = 0;
    visit(region, [&](std::size_t page, std::size_t word, std::uint64_t mask) {
      if (!pages_[page]) pages_[page] = std::make_unique<std::uint64_t[]>(std::size_t{1} << (page_bits - word_bits));
      auto& bits = pages_[page][word];
      found |= bits & mask;
      bits |= mask;
    });
    return found != 0;
  }

 private:
  static constexpr unsigned page_bits = 15, word_bits = 6;

  template <class Use>
  void visit(const Region& region, const Use& use) const {
    constexpr std::size_t in_word = 63, in_page = (std::size_t{1} << (page_bits - word_bits)) - 1;
    region.visit([&](const std::byte* at, std::size_t bytes) {
      auto bit = (reinterpret_cast<std::uintptr_t>(at) - first_) >> granule_;
      for (const auto end = bit + (bytes >> granule_); bit < end;) {
        const auto n = std::min(end - bit, 64 - (bit & in_word));
        use(bit >> page_bits, (bit >> word_bits) & in_page, (~std::uint64_t{0} >> (64 - n)) << (bit & in_word));
        bit += n;
      }
    });
  }

  std::uintptr_t first_;
  unsigned granule_;
  std::vector<std::unique_ptr<std::uint64_t[]>> pages_;
};

// Places whose bounds overlap.
class Group {
 public:
  explicit Group(std::span<Place> places) : places_(places), first_(places.front().first), end_(first_) {
    for (const auto& place : places) end_ = std::max(end_, place.end);
    granule_ = granule_bits(places, first_);
  }

  // Whether two places, or two runs of one place, share bytes.
  bool may_share() const {
    Bytes all(first_, end_, granule_);
    bool found = false;
    for (const auto& place : places_) found = all.add(*place.region) || found;
    return found;
  }
  void refuse_shared() {
    std::ranges::sort(places_, {}, &Place::order);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const int round = places_[i].request->round;
      Bytes all(first_, end_, granule_), replaced(first_, end_, granule_);
      const auto from = i;
      for (; i < places_.size() && places_[i].request->round == round; ++i) {
        const auto& place = places_[i];
        if ((place.combines() ? replaced : all).meets(*place.region)) refuse(places_.subspan(from, i - from), place);
        all.add(*place.region);
        if (!place.combines()) replaced.add(*place.region);
      }
      --i;
    }
  }
  // Otherwise a rank would send its sum with some other ranks' values, depending on which came first.
  void refuse_sent() {
    std::ranges::sort(places_, {}, [](const Place& p) { return std::pair(p.request->round, p.is_sent()); });
    Bytes combined(first_, end_, granule_);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const auto& place = places_[i];
      if (i > 0 && place.request->round != places_[i - 1].request->round) combined = {first_, end_, granule_};
      if (!place.is_sent())
        combined.add(*place.region);
      else if (combined.meets(*place.region))
        throw Error("Client '" + *place.client + "', key " + std::to_string(place.request->key) + " to rank " +
                    std::to_string(place.request->peer) +
                    " is sent from memory that a receive of the same round combines into. Send from other memory, or "
                    "combine in a later round.");
    }
  }
  void note_shared(std::set<std::pair<std::uint32_t, std::uint32_t>>& shared) const {
    Bytes before(first_, end_, granule_), after(first_, end_, granule_);
    const auto note = [&](const Place& place, Bytes& others) {
      if (!place.combines()) return;
      if (others.meets(*place.region)) shared.emplace(place.part.client, place.part.index);
      others.add(*place.region);
    };
    for (const auto& place : places_) note(place, before);
    for (auto place = places_.rbegin(); place != places_.rend(); ++place) note(*place, after);
  }

 private:
  [[noreturn]] void refuse(std::span<const Place> others, const Place& place) const {
    const auto text = [](const Place& p) {
      return "lient '" + *p.client + "', key " + std::to_string(p.request->key) + " from rank " +
             std::to_string(p.request->peer);
    };
    for (const auto& other : others) {
      Bytes one(first_, end_, granule_);
      one.add(*other.region);
      if ((!place.combines() || !other.combines()) && one.meets(*place.region))
        throw Error("C" + text(other) + " and c" + text(place) +
                    " are received into the same memory. Give each its own memory, or let both combine.");
    }
    throw Error("C" + text(place) + " shares memory with another receive. Give each its own memory.");
  }

  std::span<Place> places_;
  std::uintptr_t first_, end_;
  unsigned granule_ = 0;
};

// Adds a place in this buffer, unless its memory is given later.
void add(Place place, std::size_t index, std::vector<Place>& to) {
  const auto& buffers = place.request->buffers;
  if (buffers.is_given()) return;
  place.region = &buffers.at(index);
  set_bounds(place);
  to.push_back(place);
}

template <class Use>
void for_groups(std::vector<Place>& places, const Use& use) {
  std::ranges::sort(places, {}, &Place::first);
  for (std::size_t from = 0, to = 0; from < places.size(); from = to) {
    auto end = places[from].end;
    for (to = from + 1; to < places.size() && places[to].first < end; ++to) end = std::max(end, places[to].end);
    if (to == from + 1) continue;
    Group group{std::span(places).subspan(from, to - from)};
    use(group);
  }
}

}  // namespace

std::vector<Part> parts_in_turn(const std::deque<Requests>& clients, std::size_t buffer_count) {
  std::vector<Place> receives, sends, fixed;
  bool combines = false, any_may_share = false;
  for (std::uint32_t c = 0; c < clients.size(); ++c)
    for (std::uint32_t i = 0; i < clients[c].list().size(); ++i) {
      const auto& request = clients[c].list()[i];
      if (request.kind == Request::Kind::collective || request.buffers.bytes() == 0) continue;
      const bool is_sent = request.kind == Request::Kind::send;
      (is_sent ? sends : receives).push_back({{c, i}, &request, &clients[c].client()});
      combines = combines || request.combine;
      any_may_share = any_may_share || (request.combine && request.buffers.is_given());
    }
  std::set<std::pair<std::uint32_t, std::uint32_t>> shared;
  for (std::size_t index = 0; index < buffer_count; ++index) {
    fixed.clear();
    for (auto place : receives) add(place, index, fixed);
    for_groups(fixed, [&](Group& group) {
      if (!group.may_share()) return;
      group.refuse_shared();
      group.note_shared(shared);
    });
    if (!combines) continue;
    std::erase_if(fixed, [](const Place& place) { return !place.combines(); });
    for (auto place : sends) add(place, index, fixed);
    for_groups(fixed, [](Group& group) { group.refuse_sent(); });
  }
  std::vector<Part> turns;
  if (!combines) return turns;
  std::erase_if(receives, [&](const Place& place) {
    const bool shares = any_may_share || shared.contains({place.part.client, place.part.index});
    return !place.combines() || place.request->in_any_order || !shares;
  });
  std::ranges::sort(receives, {}, &Place::order);
  for (const auto& place : receives) turns.push_back(place.part);
  return turns;
}

}  // namespace weft::inside
