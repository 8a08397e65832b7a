// SPDX-License-Identifier: BSD-3-Clause
//
// Tuning on several ranks: all agree, and the next run uses the result.
#include "weft/tune/tuning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/core_ranks.hpp"
#include "tests/support/shared_scratch.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/tune/store.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using State = Tuning::State;

constexpr Ranks several_ranks{2, 4};
const std::vector<Setting> three{{{"nap", "2000"}}, {{"nap", "1500"}}, {{"nap", "200"}}};

// A program whose setting is the duration of an iteration, in microseconds.
struct Program {
  Setting setting;
  int uses = 0, iterations = 0;

  void iterate(Tuning& tuning) {
    tuning.iterate([this](const Setting& s) { use(s); }, [this] { nap(); });
  }
  void use(const Setting& s) {
    setting = s;
    ++uses;
  }
  void nap() {
    ++iterations;
    std::this_thread::sleep_for(std::chrono::microseconds(number_of(setting, "nap", 0)));
  }
};

Tuning::Options fast(const std::filesystem::path& folder) {
  return {.halving = {.repetitions = 1}, .sample_seconds = 0, .file = folder / "tuned.toml"};
}

TEST(Tuning, all_ranks_find_the_same_and_use_it_the_next_time) {
  on(several_ranks, [](Transport& world) {
    const test::SharedScratch scratch(world);
    const auto options = fast(scratch.path);
    Program first;
    Tuning tuning(world, "naps", three, options);
    EXPECT_EQ(tuning.state(), State::measuring);
    while (!tuning.settled()) first.iterate(tuning);
    EXPECT_EQ(tuning.state(), State::found);
    first.iterate(tuning);
    ASSERT_TRUE(tuning.chosen());
    EXPECT_EQ(all_gather(world, text_of(*tuning.chosen())), all_gather(world, text_of(first.setting)));
    EXPECT_EQ(all_reduce(world, tuning.speedup(), minimum<double>()),
              all_reduce(world, tuning.speedup(), maximum<double>()));
    EXPECT_THAT(tuning.text(), StartsWith("chosen in"));
    barrier(world);
    Program second;
    Tuning again(world, "naps", three, options);
    EXPECT_EQ(again.state(), State::stored);
    EXPECT_THAT(again.text(), StartsWith("stored 20"));
    EXPECT_EQ(again.chosen(), tuning.chosen());
    for (int i = 0; i < 3; ++i) second.iterate(again);
    EXPECT_EQ(second.uses, 1);
    EXPECT_EQ(second.iterations, 3);
    EXPECT_EQ(Tuning(world, "other naps", three, options).state(), State::measuring);
    auto anew = options;
    anew.again = true;
    EXPECT_EQ(Tuning(world, "naps", three, anew).state(), State::measuring);
  });
}

TEST(Tuning, a_dry_run_ends_with_what_was_chosen_in_use) {
  on(several_ranks, [](Transport& world) {
    const test::SharedScratch scratch(world);
    for (int time = 0; time < 2; ++time) {
      Program program;
      Tuning tuning(world, "naps", three, fast(scratch.path));
      tuning.dry_run([&](const Setting& s) { program.use(s); }, [&] { program.nap(); });
      EXPECT_EQ(program.setting, *tuning.chosen());
      EXPECT_EQ(program.iterations == 0, time == 1);
    }
  });
}

TEST(Tuning, what_is_no_candidate_any_more_is_measured_again) {
  on(several_ranks, [](Transport& world) {
    const test::SharedScratch scratch(world);
    const auto options = fast(scratch.path);
    const auto key = Tuning(world, "naps", three, options).key();
    on_root(world, [&] {
      TuneStore(options.file).put({.key = key, .setting = {{"nap", "7"}}, .speedup = 9, .date = {}, .rest = {}});
    });
    const Tuning tuning(world, "naps", three, options);
    EXPECT_EQ(tuning.state(), State::measuring);
    EXPECT_THAT(tuning.text(), HasSubstr("nap 7"));
  });
}

TEST(Tuning, a_damaged_file_is_told_by_all_ranks) {
  on(any_ranks, [](Transport& world) {
    if (world.size() == 1) return;
    const test::SharedScratch scratch(world);
    const auto options = fast(scratch.path);
    on_root(world, [&] { std::ofstream(options.file) << "what?\n"; });
    EXPECT_THAT(error_of([&] { Tuning tuning(world, "naps", three, options); }), HasSubstr(":1: This line is damaged"));
  });
}

// Changing the setting can take longer than all measurements, as planning a transform does.
TEST(Tuning, the_limit_holds_for_changes_too) {
  on(2_ranks, [](Transport& world) {
    const test::SharedScratch scratch(world);
    std::vector<Setting> many;
    for (int k = 0; k < 40; ++k) many.push_back({{"nap", std::to_string(k)}});
    auto options = fast(scratch.path);
    options.halving.limit_seconds = 0.3;
    constexpr auto change = std::chrono::milliseconds(20);
    int uses = 0;
    Tuning tuning(world, "changes", many, options);
    tuning.dry_run(
        [&](const Setting&) {
          ++uses;
          std::this_thread::sleep_for(change);
        },
        [] {});
    EXPECT_LE(uses, 0.3 / 0.02 + 2);
    EXPECT_THAT(tuning.text(), HasSubstr("time was up"));
  });
}

TEST(Tuning, a_folder_that_can_not_be_written_does_not_end_the_program) {
  on(2_ranks, [](Transport& world) {
    const test::SharedScratch scratch(world);
    on_root(world, [&] { std::ofstream(scratch.path / "file") << "in the way\n"; });
    Program program;
    auto options = fast(scratch.path);
    options.file = scratch.path / "file" / "tuned.toml";
    Tuning tuning(world, "naps", three, options);
    tuning.dry_run([&](const Setting& s) { program.use(s); }, [&] { program.nap(); });
    EXPECT_TRUE(tuning.chosen());
    EXPECT_THAT(tuning.text(), HasSubstr("not stored: "));
  });
}

TEST(Tuning, too_few_iterations_or_ranks_change_nothing) {
  on(any_ranks, [](Transport& world) {
    const test::SharedScratch scratch(world);
    Program program;
    auto options = fast(scratch.path);
    options.iterations = 5;
    Tuning tuning(world, "naps", three, options);
    EXPECT_EQ(tuning.state(), State::left_alone);
    EXPECT_THAT(tuning.text(), StartsWith("not tuned: "));
    for (int i = 0; i < 5; ++i) program.iterate(tuning);
    EXPECT_EQ(program.uses, 0);
    EXPECT_EQ(program.iterations, 5);
  });
}

TEST(Tuning, is_over_in_half_of_the_iterations) {
  on(several_ranks, [](Transport& world) {
    const test::SharedScratch scratch(world);
    for (const std::size_t iterations : {100u, 150u, 400u}) {
      Program program;
      auto options = fast(scratch.path);
      options.again = true;
      options.halving.repetitions = 3;
      options.sample_seconds = 0.1;
      options.period = 2;
      options.iterations = iterations;
      Tuning tuning(world, "naps", three, options);
      while (!tuning.settled()) program.iterate(tuning);
      EXPECT_LE(2 * program.iterations, static_cast<int>(iterations));
    }
  });
}

TEST(Tuning, candidates_are_what_the_transport_can_do) {
  on(any_ranks, [](Transport& world) {
    const auto candidates = step_candidates(world);
    EXPECT_EQ(candidates.front(), (Setting{{"coalesce", "off"}, {"grouping", "per_peer"}, {"progress", "passive"}}));
    EXPECT_EQ(std::set(candidates.begin(), candidates.end()).size(), candidates.size());
    EXPECT_EQ(candidates.size(), world.thread_multiple() ? 8u : 4u);
    for (const auto& candidate : candidates) {
      StepOptions options;
      apply(candidate, options);
      StepManager manager(world, options);
    }
  });
}

TEST(Tuning, candidates_between_nodes) {
  for (const int per_node : {1, 3, 4}) {  // 3: a node of three ranks, and one of one
    InProcessOptions options;
    options.ranks_per_node = per_node;
    run_in_process(
        4,
        [per_node](Transport& world) {
          const auto candidates = exchange_candidates(world);
          const auto with_device = device_candidates(world, candidates);  // without WEFT_DIRECT_FROM_DEVICE
          EXPECT_EQ(with_device.size(), 2 * candidates.size());
          MessageOptions in_pieces;
          apply(with_device.back(), in_pieces);
          EXPECT_EQ(in_pieces.piece_bytes, std::size_t{1} << 18);
          EXPECT_FALSE(in_pieces.direct_from_device);
          const auto by_node = std::ranges::count_if(
              candidates, [](const Setting& candidate) { return value_of(candidate, "grouping", "") == "per_node"; });
          EXPECT_EQ(by_node, per_node == 3 ? static_cast<int>(progress_kinds_of(world).size()) : 0);
        },
        options);
  }
}

// Sends a number around the ring: after n steps a rank has the number of the rank n to the left.
struct Ring final : Client {
  explicit Ring(const Transport& world)
      : right((world.rank() + 1) % world.size()), left((world.rank() + world.size() - 1) % world.size()),
        here(world.rank()) {}
  void request(Requests& requests) override {
    requests.send(right, 1, contiguous(std::span<const int>(&here, 1)));
    requests.receive(left, 1, contiguous(std::span<int>(&arriving, 1)));
  }
  void after(Step&) override { here = arriving; }

  int right, left, here, arriving = 0;
};

TEST(Tuning, a_step_may_communicate_otherwise_from_step_to_step) {
  on(any_ranks, [](Transport& world) {
    const auto candidates = step_candidates(world);
    StepManager manager(world);
    Ring often(world), seldom(world);
    manager.add("often", often);
    manager.add("seldom", seldom, {.every = 3});
    const int ranks = world.size();
    for (int n = 0; n < 60; ++n) {
      StepOptions options;
      apply(candidates[static_cast<std::size_t>(n * 7) % candidates.size()], options);
      manager.use(options, n % 20 < 15);
      manager.run_step();
      EXPECT_EQ(often.here, (world.rank() + (n + 1) * (ranks - 1)) % ranks);
      EXPECT_EQ(seldom.here, (world.rank() + (n / 3 + 1) * (ranks - 1)) % ranks);
    }
    EXPECT_EQ(manager.counts().steps, 60);
  });
}

}  // namespace
}  // namespace weft
