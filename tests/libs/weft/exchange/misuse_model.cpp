// SPDX-License-Identifier: BSD-3-Clause
#include "tests/libs/weft/exchange/misuse_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <stdexcept>

#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::testing {

Rank::Rank(Transport& transport, std::uint64_t of_seed, Watched& by)
    : world(transport), seed(of_seed), own(hash({of_seed, 1000 + static_cast<std::uint64_t>(transport.rank())})),
      watched(by), rank(transport.rank()), size(transport.size()) {}

Random Rank::common(std::initializer_list<std::uint64_t> place) const { return Random(hash({seed, hash(place)})); }

void Rank::at(const char* what, std::uint64_t number) {
  auto& place = watched.places[static_cast<std::size_t>(rank)];
  place.what = what;
  place.number = number;
}

void Rank::fail(std::uint64_t kind) {
  switch (kind % 5) {
    case 0: throw Error("the program has failed.", true);
    case 1: throw std::bad_alloc();
    case 2: throw 17;
    default: throw Thrown("the program has failed");
  }
}

bool Rank::attempt(const std::function<void()>& action) {
  lacks_tags_ = false;
  try {
    action();
    return true;
  } catch (const Error& e) {
    static constexpr const char* names[] = {"client",   "Client",      "rank",    "Rank",
                                            "exchange", "the program", "mailbox", "message of type",
                                            "pipeline", "start()"};
    const std::string text = e.what();
    lacks_tags_ = text.find(" tags for its messages") != text.npos;
    EXPECT_TRUE(std::ranges::any_of(names, [&](const char* name) { return text.find(name) != text.npos; }))
        << "names nothing: " << text;
  } catch (const Thrown&) {
  } catch (const std::bad_alloc&) {
  } catch (const std::exception& e) {
    ADD_FAILURE() << "no weft::Error: " << e.what();
  } catch (int) {
  }
  return false;
}

void Rank::refused(const char* what, const std::function<void()>& action, const std::string& text) {
  std::string said = "no error";
  try {
    action();
  } catch (const Error& e) {
    said = e.what();
  }
  if (said == "Another rank has failed. See its error message.") throw Error(said);
  EXPECT_TRUE(said.find(text) != said.npos) << what << " says: " << said << "\nand not: " << text;
}

bool Rank::all(bool say) { return all_reduce(world, say ? 1 : 0, minimum<int>()) == 1; }

StepOptions Rank::options(std::initializer_list<std::uint64_t> place, bool continuations) {
  auto random = common(place);
  constexpr std::array groupings{Grouping::per_peer, Grouping::per_part, Grouping::by_size};
  constexpr std::array<std::size_t, 4> limits{0, 64, 1024, 1 << 20};
  using K = ProgressOptions::Kind;
  constexpr std::array kinds{K::passive, K::polling, K::polling, K::thread, K::send_receive_threads};
  const auto carriers = carriers_of(world);
  StepOptions options;
  options.coalesce = !random.chance(4);
  options.messages.grouping = groupings[random.size_below(3)];
  options.messages.packed_limit_bytes = limits[random.size_below(4)];
  options.messages.by_size_bytes = limits[random.size_below(3)];
  if (random.chance(2)) options.messages.piece_bytes = std::array<std::size_t, 3>{0, 64, 1000}[random.size_below(3)];
  options.messages.carrier = random.chance(2) ? Carrier::messages : carriers[random.size_below(carriers.size())];
  options.messages.shared_memory = random.chance(4);
  options.messages.defer_unpacking = !continuations && own.chance(3);
  options.progress = {
      .kind = kinds[own.size_below(5)], .interval_seconds = own.chance(2) ? 0 : 50e-6, .helpers = 1 + own.below(2)};
  if (random.chance(8)) options.messages.watchdog_seconds = 5;
  return options;
}

ExchangeOptions exchange_options(Rank& rank, const StepOptions& o) {
  return {.messages = o.messages,
          .progress = rank.own.chance(6) ? nullptr : std::make_shared<Progress>(rank.world, o.progress)};
}

Moves::Moves(Rank& rank, std::uint64_t number, Shape of) : shape(of), rank_(rank), number_(number) {}

std::uint64_t Moves::value(int source, Key key, std::uint64_t step, std::size_t i) const {
  return hash({number_, static_cast<std::uint64_t>(source), key, step}) + i;
}

void Moves::list(Requests& requests, std::uint64_t generation) {
  auto random = rank_.common({77, number_, generation});
  ends_.clear();
  sums_.clear();
  const bool everybody = random.chance(3);
  for (int round = 0; round < shape.rounds; ++round) {
    for (int source = 0; source < rank_.size; ++source)
      for (int target = 0; target < rank_.size; ++target) {
        const bool is_ring = target == (source + 1) % rank_.size;
        const int parts = is_ring || everybody || random.chance(4) ? 1 + random.below(3) : 0;
        for (int p = 0; p < parts; ++p) {
          const auto key = static_cast<Key>(round * 10 + p);
          const auto n = random.chance(6) ? 0 : 1 + random.size_below(random.chance(3) ? shape.largest : 12);
          const bool is_up_to = key % 2 == 0 && random.chance(4);
          for (const bool is_sent : {true, false}) {
            if ((is_sent ? source : target) != rank_.rank) continue;
            auto& end = ends_.emplace_back(End{is_sent, is_sent ? target : source, round, key, {}, {}});
            std::vector<Region> regions;
            for (std::size_t turn = 0; turn < shape.turns; ++turn) {
              auto& place = *end.places.emplace_back(std::make_unique<Numbers>(2 * n));
              // Every other element, or contiguous.
              regions.push_back(key % 2 == 1 ? strided(place.data(), {{n, 2 * sizeof(std::uint64_t)}})
                                             : contiguous(std::span(place).first(n)));
            }
            const bool is_given = shape.turns == 1 && rank_.own.chance(4);
            const auto places = is_given ? given(n * sizeof(std::uint64_t)) : Buffers(regions);
            if (is_sent)
              end.part = is_up_to ? requests.send_up_to(end.peer, key, places, round)
                                  : requests.send(end.peer, key, places, round);
            else
              end.part = is_up_to ? requests.receive_up_to(end.peer, key, places, round)
                                  : requests.receive(end.peer, key, places, round);
            if (is_given) requests.rebind(end.part, regions.front());
          }
        }
      }
    if (!shape.reduces) continue;
    auto& sum_of = *sums_.emplace_back(std::make_unique<Sum>());
    sum_of.part = requests.all_reduce(std::span<const std::int64_t>(&sum_of.in, 1), std::span(&sum_of.out, 1),
                                      weft::sum<std::int64_t>(), round);
  }
  for (int round = 0; shape.continuations && round < shape.rounds; ++round)
    requests.continuation(round, [this, round] {
      if (in_continuation) in_continuation(round);
      if (round + 1 < shape.rounds && is_right(round, step_of_continuations)) fill(round + 1, step_of_continuations);
    });
}

void Moves::fill(int round, std::uint64_t step) {
  for (auto& end : ends_) {
    if (!end.is_sent || end.round != round) continue;
    auto& place = *end.places[step % shape.turns];
    const auto stride = end.key % 2 == 1 ? 2u : 1u;
    for (std::size_t i = 0; i < place.size() / 2; ++i) place[i * stride] = value(rank_.rank, end.key, step, i);
  }
  if (shape.reduces) sums_[static_cast<std::size_t>(round)]->in = static_cast<std::int64_t>(step) + rank_.rank;
}

bool Moves::is_right(int round, std::uint64_t step) const {
  for (const auto& end : ends_) {
    if (end.is_sent || end.round != round) continue;
    const auto& place = *end.places[step % shape.turns];
    const auto stride = end.key % 2 == 1 ? 2u : 1u;
    for (std::size_t i = 0; i < place.size() / 2; ++i)
      if (place[i * stride] != value(end.peer, end.key, step, i)) return false;
  }
  const auto n = static_cast<std::int64_t>(rank_.size);
  return !shape.reduces ||
         sums_[static_cast<std::size_t>(round)]->out == n * static_cast<std::int64_t>(step) + n * (n - 1) / 2;
}

std::vector<SendPart> Moves::sends(int round) const {
  std::vector<SendPart> parts;
  for (const auto& end : ends_)
    if (end.is_sent && end.round == round) parts.push_back(SendPart{end.part});
  return parts;
}

std::vector<ReceivePart> Moves::receives(int round) const {
  std::vector<ReceivePart> parts;
  for (const auto& end : ends_)
    if (!end.is_sent && end.round == round) parts.push_back(ReceivePart{end.part});
  return parts;
}

std::vector<CollectivePart> Moves::collectives(int round) const {
  if (!shape.reduces) return {};
  return {sums_[static_cast<std::size_t>(round)]->part};
}

}  // namespace weft::testing
