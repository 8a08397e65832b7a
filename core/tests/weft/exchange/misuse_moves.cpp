// SPDX-License-Identifier: BSD-3-Clause
#include "core/tests/weft/exchange/misuse_moves.hpp"

namespace weft::testing {

Moves::Moves(Rank& rank, std::uint64_t number, Shape of) : shape(of), rank_(rank), number_(number) {}

std::uint64_t Moves::value(int source, Key key, std::uint64_t step, std::size_t i) const {
  return hash({number_, static_cast<std::uint64_t>(source), key, step}) + i;
}

// The number of elements that are sent in a step. A continuation sends all.
std::size_t Moves::size(const End& end, std::uint64_t step) const {
  if (!end.is_up_to || is_continued(end.round)) return end.n;
  const auto source = static_cast<std::uint64_t>(end.is_sent ? rank_.rank : end.peer);
  return hash({number_, 5, source, end.key, step}) % (end.n + 1);
}

Moves::Numbers& Moves::place(End& end, std::uint64_t step) const {
  if (end.lends) return *end.lent;
  return *end.places[end.is_given ? end.bound : step % shape.turns];
}

// Every other element, or contiguous.
Region Moves::region(const End& end, std::size_t place) const {
  auto& numbers = *end.places[place];
  return end.is_strided() && !end.is_given ? strided(numbers.data(), {{end.n, 2 * sizeof(std::uint64_t)}})
                                           : contiguous(std::span(numbers).first(end.n));
}

void Moves::list(Requests& requests, End end) {
  auto& own = rank_.own;
  const bool may_have_none = end.is_up_to && !end.is_sent;
  end.is_given = shape.turns == 1 && own.chance(3);
  end.is_taken = end.is_given && may_have_none && own.chance(2);
  std::vector<Region> regions;
  for (std::size_t i = 0; i < (end.is_given ? 2 : shape.turns); ++i) {
    end.places.push_back(std::make_unique<Numbers>(2 * end.n));
    regions.push_back(region(end, i));
  }
  const auto places = end.is_given ? given(end.n * sizeof(std::uint64_t)) : Buffers(regions);
  if (end.is_sent)
    end.part = end.is_up_to ? requests.send_up_to(end.peer, end.key, places, end.round)
                            : requests.send(end.peer, end.key, places, end.round);
  else
    end.part = end.is_up_to ? requests.receive_up_to(end.peer, end.key, places, end.round)
                            : requests.receive(end.peer, end.key, places, end.round);
  if (end.is_given && !end.is_taken) requests.rebind(end.part, regions.front());
  ends_.push_back(std::move(end));
}

void Moves::list(Requests& requests, std::uint64_t generation) {
  auto random = rank_.common({77, number_, generation});
  ends_.clear();
  collected_.clear();
  const bool everybody = random.chance(3);
  for (int round = 0; round < shape.rounds; ++round) {
    for (int source = 0; source < rank_.size; ++source)
      for (int target = 0; target < rank_.size; ++target) {
        const bool is_ring = target == (source + 1) % rank_.size;
        const int parts = is_ring || everybody || random.chance(4) ? 1 + random.below(3) : 0;
        for (int p = 0; p < parts; ++p) {
          const auto key = static_cast<Key>(round * 10 + p);
          const auto n = random.chance(6) ? 0 : 1 + random.size_below(random.chance(3) ? shape.largest : 12);
          const bool is_up_to = shape.turns == 1 && random.chance(4);
          for (const bool is_sent : {true, false}) {
            if ((is_sent ? source : target) != rank_.rank) continue;
            End end;
            end.is_sent = is_sent;
            end.is_up_to = is_up_to;
            end.peer = is_sent ? target : source;
            end.round = round;
            end.key = key;
            end.n = n;
            list(requests, std::move(end));
          }
        }
      }
    if (!shape.reduces) continue;
    Collected one{.is_cast = random.chance(3), .root = random.below(rank_.size)};
    one.in.resize(random.chance(2) ? 1 : 1000);
    one.out.resize(one.in.size());
    auto& kept = collected_.emplace_back(std::move(one));
    kept.part = kept.is_cast ? requests.broadcast(kept.root, std::span(kept.out), round)
                             : requests.all_reduce(std::span<const std::int64_t>(kept.in), std::span(kept.out),
                                                   weft::sum<std::int64_t>(), round);
  }
  for (int round = 0; shape.continuations && round < shape.rounds; ++round)
    requests.continuation(round, [this, round] {
      const auto step = step_of_continuations;
      if (step == no_step) return;  // StepManager::measure_alone()
      EXPECT_TRUE(is_right(round, step, false)) << "a continuation of round " << round;
      if (in_continuation) in_continuation(round);
      if (round + 1 < shape.rounds) fill(round + 1, step);
    });
}

void Moves::rebind(const std::function<void(Part, Region)>& to) {
  for (auto& end : ends_) {
    if (!end.is_given || end.is_taken || rank_.own.chance(2)) continue;
    end.bound = 1 - end.bound;
    to(end.part, region(end, end.bound));
  }
}

void Moves::fill(int round, std::uint64_t step) {
  for (auto& end : ends_) {
    if (!end.is_sent || end.round != round) continue;
    end.lends = end.is_given && !is_continued(round) && rank_.own.chance(2);
    if (end.lends) end.lent = std::make_unique<Numbers>(end.n);
    auto& numbers = place(end, step);
    const auto stride = end.is_strided() && !end.is_given ? 2u : 1u;
    for (std::size_t i = 0; i < size(end, step); ++i) numbers[i * stride] = value(rank_.rank, end.key, step, i);
  }
  if (!shape.reduces) return;
  auto& one = collected_[static_cast<std::size_t>(round)];
  const auto s = static_cast<std::int64_t>(step);
  if (!one.is_cast) std::ranges::fill(one.in, s + rank_.rank);
  if (one.is_cast && one.root == rank_.rank) std::ranges::fill(one.out, s);
}

bool Moves::is_right(int round, std::uint64_t step, bool collected) const {
  for (const auto& end : ends_) {
    if (end.is_sent || end.round != round || (end.is_taken && !collected)) continue;
    const auto& numbers = *end.places[end.is_taken ? 0 : end.is_given ? end.bound : step % shape.turns];
    const auto stride = end.is_strided() && !end.is_given ? 2u : 1u;
    for (std::size_t i = 0; i < size(end, step); ++i)
      if (numbers[i * stride] != value(end.peer, end.key, step, i)) return false;
  }
  if (!shape.reduces) return true;
  const auto& one = collected_[static_cast<std::size_t>(round)];
  const auto n = static_cast<std::int64_t>(rank_.size), s = static_cast<std::int64_t>(step);
  const auto right = one.is_cast ? s : n * s + n * (n - 1) / 2;
  return std::ranges::all_of(one.out, [right](auto number) { return number == right; });
}

void Moves::forget() {
  for (auto& end : ends_) {
    for (auto& numbers : end.places) std::ranges::fill(*numbers, 0xdead);
    if (end.lent) std::ranges::fill(*end.lent, 0xdead);
  }
  for (auto& one : collected_) std::ranges::fill(one.out, -1);
  ends_.clear();
  collected_.clear();
}

const Moves::End& Moves::end_of(Part part) const {
  return *std::ranges::find_if(ends_, [part](const End& end) { return end.part.index == part.index; });
}

template <class Wanted>
std::vector<Part> Moves::parts(int round, const Wanted& wanted) const {
  std::vector<Part> found;
  for (const auto& end : ends_)
    if (end.round == round && wanted(end)) found.push_back(end.part);
  return found;
}
std::vector<Part> Moves::specials(int round) const {
  return parts(round, [](const End& end) { return end.is_sent && (end.is_up_to || end.lends); });
}
std::vector<Part> Moves::sends(int round) const {
  return parts(round, [](const End& end) { return end.is_sent; });
}
std::vector<Part> Moves::receives(int round) const {
  return parts(round, [](const End& end) { return !end.is_sent; });
}
std::vector<CollectivePart> Moves::collectives(int round) const {
  if (!shape.reduces) return {};
  return {collected_[static_cast<std::size_t>(round)].part};
}

}  // namespace weft::testing
