// SPDX-License-Identifier: BSD-3-Clause
//
// A thousand programs that call weft correctly and wrongly, and fail at any point: each ends within seconds, with the
// right result or with an error that names the mistake.
// WEFT_TEST_SEED=n runs one program, WEFT_TEST_PROGRAMS=n runs n of them.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stop_token>
#include <thread>

#include "core/tests/weft/exchange/misuse_model.hpp"
#include "tests/support/core_ranks.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/transport/timeout.hpp"

namespace weft {
namespace {

using namespace weft::testing;

#if defined(WEFT_SANITIZED)
constexpr double most_seconds = 240;
constexpr std::uint64_t usual_programs = 250;
#else
constexpr double most_seconds = 120;
constexpr std::uint64_t usual_programs = 1000;
#endif

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* chosen = std::getenv(name);
  return chosen != nullptr ? std::strtoull(chosen, nullptr, 10) : otherwise;
}

std::string places(const Watched& watched) {
  std::string all;
  for (const auto& place : watched.places) all += place.what.load() + (" " + std::to_string(place.number) + ", ");
  return all;
}

// Ends the test if a program hangs.
void watch(const std::stop_token& stop, const Watched& watched) {
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const double since = watched.since;
    if (since == 0 || now_seconds() - since < most_seconds) continue;
    std::fprintf(stderr, "WEFT_TEST_SEED=%llu does not end. Its ranks are at: %s\n",
                 static_cast<unsigned long long>(watched.seed.load()), places(watched).c_str());
    std::abort();
  }
}

InProcessOptions random_world(Random& random, std::uint64_t seed) {
  auto options = random.chance(2) ? InProcessOptions{} : random_arrival(seed, 1 + random.below(5));
  options.synchronous = random.chance(2);
  options.eager_limit_bytes = std::size_t{64} << random.below(8);
  if (random.chance(2)) options.piece_bytes = std::size_t{64} << random.below(5);
  options.ranks_per_node = random.below(3);
  if (random.chance(6)) options.last_tag = 12 + random.below(60);
  return options;
}

void play_on_threads(std::uint64_t seed, Watched& watched) {
  Random random(hash({seed, 5}));
  const int ranks = 1 + random.below(4);
  auto options = random_world(random, seed);
  timeout().set_limit(random.chance(4) ? 30 : 0);  // of a full machine, too
  watched.escapes = false;
  watched.seed = seed;
  watched.since = now_seconds();
  bool escaped = true;
  std::string said;
  try {
    run_in_process(
        ranks, [&](Transport& world) { play(world, seed, watched); }, options);
    escaped = false;
  } catch (const std::exception& e) {
    said = e.what();
  } catch (int) {
    said = "a number";
  }
  if (const double seconds = now_seconds() - watched.since; seconds > 10)
    std::fprintf(stderr, "WEFT_TEST_SEED=%llu takes %.1f s.\n", static_cast<unsigned long long>(seed), seconds);
  watched.since = 0;
  EXPECT_TRUE(!escaped || watched.escapes)
      << "an exception that nobody threw on: " << said << ", at: " << places(watched);
  EXPECT_EQ(abandoned_operations(), 0);
  timeout().set_limit(0);
}

TEST(RandomMisuse, ends_in_the_right_result_or_in_an_error) {
  const std::uint64_t first = from_environment("WEFT_TEST_SEED", 0);
  const std::uint64_t programs = from_environment("WEFT_TEST_PROGRAMS", first > 0 ? 1 : usual_programs);
  Watched watched;
  const std::jthread watcher([&](const std::stop_token& stop) { watch(stop, watched); });
  for (std::uint64_t seed = std::max<std::uint64_t>(first, 1), i = 0; i < programs; ++seed, ++i) {
    SCOPED_TRACE("WEFT_TEST_SEED=" + std::to_string(seed));
    play_on_threads(seed, watched);
    if (!HasFailure()) continue;
    std::fprintf(stderr, "WEFT_TEST_SEED=%llu fails.\n", static_cast<unsigned long long>(seed));  // also on threads
    return;
  }
}

}  // namespace
}  // namespace weft
