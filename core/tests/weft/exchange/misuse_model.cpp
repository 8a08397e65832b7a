// SPDX-License-Identifier: BSD-3-Clause
#include "core/tests/weft/exchange/misuse_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>

#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::testing {

thread_local Rank* Rank::here = nullptr;

namespace {

// The exceptions that programs throw themselves; sometimes they throw another type.
struct Thrown : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace

Rank::Rank(Transport& transport, std::uint64_t of_seed, Watched& by)
    : world(transport), seed(of_seed), own(hash({of_seed, 1000 + static_cast<std::uint64_t>(transport.rank())})),
      watched(by), rank(transport.rank()), size(transport.size()) {
  here = this;
  plan(0, true);
}

Random Rank::common(std::initializer_list<std::uint64_t> place) const { return Random(hash({seed, hash(place)})); }

void Rank::at(const char* what, std::uint64_t number) {
  auto& place = watched.places[static_cast<std::size_t>(rank)];
  place.what = what;
  place.number = number;
}

void Rank::plan(std::uint64_t burst, bool nobody) {
  auto random = common({11, burst});
  points_ = 0;
  nobody_fails_ = nobody || random.chance(3);
  const auto who = random.below(4);  // 0, 1: one rank, 2: each or not, 3: all
  const bool fails = who < 2 ? random.below(size) == rank : who == 3 || own.chance(2);
  // A power of two, so that early points are as probable as late ones. Sometimes the same one for all.
  auto mine = random.chance(3) ? random : own;
  fails_at_ = fails && !nobody_fails_ ? mine.below(1 << mine.below(9)) : std::numeric_limits<std::int64_t>::max() - 1;
  kind_ = mine.next();
  own.next();
  escapes_ = watched.may_escape && !nobody_fails_ && common({12, burst}).chance(12);
  if (escapes_) watched.escapes = true;
}

void Rank::fail() {
  if (kind_ / 5 % 4 == 0 && std::this_thread::get_id() == thread_ && fail_another) fail_another();
  switch (kind_ % 5) {
    case 0: throw Error("the program has failed.", kind_ % 2 == 0);
    case 1: throw std::bad_alloc();
    case 2: throw 17;
    default: throw Thrown("the program has failed");
  }
}

bool Rank::attempt(const std::function<void()>& action) {
  lacks_tags_ = false;
  said_ = "an exception";
  try {
    action();
    return true;
  } catch (const Error& e) {
    static constexpr const char* names[] = {"client",   "Client",      "rank",    "Rank",
                                            "exchange", "the program", "mailbox", "message of type",
                                            "pipeline", "start()"};
    const auto& text = said_ = e.what();
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
  } catch (const PeerError&) {
    throw;
  } catch (const Error& e) {
    said = e.what();
  }
  if (said == "Another rank has failed. See its error message." || said.find(" has failed (rank ") != said.npos)
    throw Error(said);
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
  options.coalesce = !random.chance(3);
  options.messages.grouping = groupings[random.size_below(3)];
  options.messages.packed_limit_bytes = limits[random.size_below(4)];
  options.messages.by_size_bytes = limits[random.size_below(3)];
  if (random.chance(2)) options.messages.piece_bytes = std::array<std::size_t, 3>{0, 64, 1000}[random.size_below(3)];
  options.messages.carrier = random.chance(2) ? Carrier::messages : carriers[random.size_below(carriers.size())];
  options.messages.shared_memory = random.chance(4);
  options.messages.defer_unpacking = !continuations && own.chance(3);
  options.progress = {.kind = kinds[own.size_below(world.thread_multiple() ? 5 : 3)],
                      .interval_seconds = own.chance(2) ? 0 : 50e-6,
                      .threads = 1 + own.below(2)};
  if (random.chance(8)) options.messages.watchdog_seconds = 5;
  return options;
}

ExchangeOptions exchange_options(Rank& rank, const StepOptions& o) {
  return {.messages = o.messages,
          .progress = rank.own.chance(6) ? nullptr : std::make_shared<Progress>(rank.world, o.progress)};
}

}  // namespace weft::testing
