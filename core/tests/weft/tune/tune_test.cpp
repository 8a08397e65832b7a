// SPDX-License-Identifier: BSD-3-Clause
//
// Choice by successive halving, from artificial times, and the stored result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tests/support/core_random.hpp"
#include "tests/support/core_ranks.hpp"
#include "tests/support/scratch.hpp"
#include "weft/tune/halving.hpp"
#include "weft/tune/setting.hpp"
#include "weft/tune/store.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Some of the times are far too long, as on a busy machine.
std::size_t choose(const std::vector<double>& times, double noise, std::uint64_t seed,
                   const Halving::Options& options = {}) {
  Random random(seed);
  Halving halving(times.size(), options);
  while (!halving.done()) {
    const double factor = 1 + noise * (random.below(1001) / 1000.0) + (random.chance(10) ? 3 : 0);
    halving.record(times[halving.next()] * factor);
  }
  EXPECT_EQ(halving.next(), halving.best());
  if (options.limit_seconds == 0) {
    EXPECT_EQ(halving.recorded(), Halving::measurements(times.size(), options));
  }
  return halving.best();
}

TEST(Halving, finds_the_fastest_among_noise) {
  const std::vector<double> times{1, 1.1, 0.9, 0.7, 1.3, 2, 0.95, 1, 1, 0.98};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) EXPECT_EQ(choose(times, 0.1, seed), 3u) << "seed " << seed;
}

TEST(Halving, plain_wins_where_nothing_is_faster) {
  int others = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) others += choose({1, 1, 1, 1, 1}, 0.05, seed) == 0 ? 0 : 1;
  EXPECT_LE(others, 5);
  EXPECT_EQ(choose({1, 1.2, 1.1}, 0.05, 1), 0u);
  EXPECT_EQ(choose({1, 0.99, 0.99}, 0, 1), 0u);  // faster by less than the noise
  EXPECT_EQ(choose({1, 0.97, 0.99}, 0, 1), 1u);
  EXPECT_EQ(choose({0, 0, 0}, 0, 1), 0u);  // below the clock's resolution
}

TEST(Halving, one_or_two_candidates) {
  Halving one(1);
  EXPECT_TRUE(one.done());
  EXPECT_EQ(one.best(), 0u);
  EXPECT_EQ(choose({1, 0.5}, 0.1, 1), 1u);
  EXPECT_EQ(choose({1, 2}, 0.1, 1), 0u);
}

TEST(Halving, tells_how_much_faster) {
  Halving halving(3);
  while (!halving.done()) halving.record(halving.next() == 2 ? 0.5 : 1);
  EXPECT_EQ(halving.best(), 2u);
  EXPECT_DOUBLE_EQ(halving.speedup(), 2);
}

TEST(Halving, a_drift_hits_all_alike) {
  Halving halving(8);
  double slower = 1;
  while (!halving.done()) halving.record((halving.next() == 5 ? 0.9 : 1) * (slower *= 1.01));
  EXPECT_EQ(halving.best(), 5u);
}

TEST(Halving, candidates_take_turns) {
  Halving halving(6);
  std::set<std::vector<std::size_t>> orders;
  for (int turn = 0; turn < 3; ++turn) {
    std::vector<std::size_t> order;
    for (int k = 0; k < 6; ++k) {
      order.push_back(halving.next());
      halving.record(1);
    }
    orders.insert(order);
    EXPECT_EQ(std::set(order.begin(), order.end()).size(), 6u);
  }
  EXPECT_EQ(orders.size(), 3u);
}

TEST(Halving, a_limit_shortens_the_rounds) {
  const Halving::Options hurried{.limit_seconds = 60};
  Halving halving(8, hurried);
  double spent = 0;
  while (!halving.done()) {
    const double took = halving.next() == 7 ? 1 : 2;
    halving.record(took);
    spent += took;
  }
  EXPECT_EQ(halving.best(), 7u);
  EXPECT_FALSE(halving.is_cut_short());
  EXPECT_EQ(halving.recorded(), 2 * 8u + 5u + 3u + 2u * 5u);
  EXPECT_LE(spent, 60);
}

TEST(Halving, a_limit_is_kept) {
  for (const double limit : {0.5, 3.0, 20.0, 40.0, 100.0}) {
    const Halving::Options limited{.limit_seconds = limit};
    Halving halving(12, limited);
    double spent = 0;
    std::size_t number = 0;
    while (!halving.done()) {
      const double seconds = halving.next() == 7 ? 1 : 2, took = seconds + (number++ % 3 == 0 ? 1 : 0);
      halving.record(seconds, took);
      spent += took;
    }
    EXPECT_LE(spent, std::max(limit, 3.0)) << limit;  // one measurement at least
    EXPECT_EQ(halving.is_cut_short(), limit < 100) << limit;
    EXPECT_TRUE(halving.best() == 7 || limit < 60) << limit;
  }
}

TEST(Halving, what_is_no_time_is_refused) {
  EXPECT_THAT(error_of([] { Halving halving(0); }), HasSubstr("no candidate to choose from"));
  EXPECT_THAT(error_of([] { Halving(2).record(std::nan("")); }), HasSubstr("Record 0 s or more"));
  EXPECT_THAT(error_of([] { Halving(2).record(-1); }), HasSubstr("Record 0 s or more"));
  EXPECT_THAT(error_of([] { Halving(1).record(1); }), HasSubstr("done()"));
}

TEST(Setting, becomes_options) {
  const Setting setting{{"progress", "thread"},   {"grouping", "per_part"}, {"coalesce", "off"},
                        {"carrier", "datatypes"}, {"shared_memory", "on"},  {"scheme", "direct"},
                        {"window", "3"}};
  StepOptions step;
  apply(setting, step);
  EXPECT_EQ(step.progress.kind, ProgressOptions::Kind::thread);
  EXPECT_EQ(step.messages.grouping, Grouping::per_part);
  EXPECT_FALSE(step.coalesce);
  EXPECT_EQ(step.messages.carrier, Carrier::datatypes);
  EXPECT_TRUE(step.messages.shared_memory);
  ExchangeOptions exchange;
  apply({{"grouping", "by_size"}}, exchange);
  EXPECT_EQ(exchange.messages.grouping, Grouping::by_size);
  EXPECT_EQ(exchange.messages.carrier, Carrier::messages);
  EXPECT_EQ(number_of(setting, "window", 7), 3u);
  EXPECT_EQ(number_of(setting, "tile", 7), 7u);
  EXPECT_THAT(error_of([&] { number_of({{"tile", "4x"}}, "tile", 7); }), HasSubstr("tile can't be '4x'"));
  EXPECT_THAT(error_of([&] { apply({{"coalesce", "maybe"}}, step); }), HasSubstr("Use on or off"));
  EXPECT_THAT(error_of([&] { apply({{"carrier", "pigeon"}}, step); }), HasSubstr("messages"));
  EXPECT_EQ(text_of({{"b", "2"}, {"a", "1"}}), "a 1, b 2");
}

TEST(TuneStore, what_was_put_is_read_again) {
  const test::Scratch scratch;
  const auto file = scratch.path() / "deeper" / "tuned.toml";
  EXPECT_TRUE(TuneStore(file).entries().empty());
  TuneStore(file).put(
      {.key = "a \"quoted\" \\ key", .setting = {{"tile", "4"}}, .speedup = 1.25, .date = "2026-11-22", .rest = {}});
  TuneStore(file).put(
      {.key = "b", .setting = {{"progress", "thread"}, {"window", "2"}}, .speedup = 1, .date = {}, .rest = {}});
  TuneStore store(file);
  ASSERT_EQ(store.entries().size(), 2u);
  const auto* a = store.find("a \"quoted\" \\ key");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->setting, (Setting{{"tile", "4"}}));
  EXPECT_EQ(a->speedup, 1.25);
  EXPECT_EQ(a->date, "2026-11-22");
  store.put({.key = "b", .setting = {{"window", "1"}}, .speedup = 2, .date = {}, .rest = {}});
  EXPECT_EQ(TuneStore(file).find("b")->setting, (Setting{{"window", "1"}}));
  EXPECT_EQ(TuneStore(file).find("c"), nullptr);
  EXPECT_EQ(TuneStore(file).clear("nothing of the kind"), 0u);
  EXPECT_EQ(TuneStore(file).clear("quoted"), 1u);
  EXPECT_EQ(TuneStore(file).entries().size(), 1u);
  EXPECT_EQ(TuneStore(file).clear(""), 1u);
  EXPECT_TRUE(TuneStore(file).entries().empty());
}

TEST(TuneStore, keeps_what_a_person_wrote) {
  const test::Scratch scratch;
  const auto file =
      scratch.write("tuned.toml", "# mine\n\n[ \"a\" ]\n# why\nsetting.tile=\"3\"\n  speedup = 1.5\nowner = \"me\"\n");
  TuneStore(file).put({.key = "b", .setting = {{"tile", "4"}}, .speedup = 1, .date = {}, .rest = {}});
  TuneStore(file).put({.key = "a", .setting = {{"tile", "5"}}, .speedup = 2, .date = {}, .rest = {}});
  EXPECT_EQ(test::content(file),
            "# mine\n\n[\"a\"]\nsetting.tile = \"5\"\nspeedup = 2\n# why\nowner = \"me\"\n"
            "\n[\"b\"]\nsetting.tile = \"4\"\nspeedup = 1\n");
}

TEST(TuneStore, reads_comments_and_quotes_as_toml_has_them) {
  const test::Scratch scratch;
  const auto file = scratch.write("tuned.toml",
                                  "[\"a # b\"] # mine\nsetting.tile = '4' # good\nspeedup = 1.1# measured\n"
                                  "[ 'c \\ \"d\"' ]\nsetting.carrier = \"a \\\" # \" #\n");
  const TuneStore store(file);
  ASSERT_NE(store.find("a # b"), nullptr);
  EXPECT_EQ(store.find("a # b")->setting, (Setting{{"tile", "4"}}));
  EXPECT_EQ(store.find("a # b")->speedup, 1.1);
  ASSERT_NE(store.find("c \\ \"d\""), nullptr);
  EXPECT_EQ(store.find("c \\ \"d\"")->setting, (Setting{{"carrier", "a \" # "}}));
  TuneStore(file).put({.key = "b", .setting = {}, .speedup = 1, .date = {}, .rest = {}});
  for (const auto* comment : {"# mine", "# good", "# measured"})
    EXPECT_THAT(test::content(file), HasSubstr(std::string("\n") + comment + "\n"));
}

TEST(TuneStore, a_damaged_file_names_its_line) {
  const test::Scratch scratch;
  for (const auto* text : {"#\n[a]\n", "#\n[\"a\"\n", "#\nsetting.tile = \"3\"\n", "[\"a\"]\nsetting.tile = 3\n",
                           "[\"a\"]\nspeedup = fast\n", "[\"a\"]\nhello\n", "[\"a\"]\n[\"a\"]\n", "\n[\"\"]\n"}) {
    const auto file = scratch.write("tuned.toml", text);
    EXPECT_THAT(error_of([&] { TuneStore store(file); }), AllOf(HasSubstr("tuned.toml:2: "), HasSubstr("damaged")))
        << text;
    EXPECT_THAT(
        error_of([&] {
          TuneStore(scratch.path() / "other").put({.key = "k", .setting = {}, .speedup = 1, .date = {}, .rest = {}});
        }),
        "no error");
  }
  EXPECT_THAT(error_of([&] { TuneStore store(scratch.path()); }), HasSubstr("can't be read"));
}

}  // namespace
}  // namespace weft
