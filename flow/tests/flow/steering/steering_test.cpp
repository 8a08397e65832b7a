// SPDX-License-Identifier: BSD-3-Clause
//
// Whole runs that get commands while they run, and runs that replay these commands.
#include "flow/steering/steering.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "flow/run/simulation.hpp"
#include "flow/steering/command_json.hpp"
#include "tests/support/flow_run.hpp"
#include "tests/support/scratch.hpp"
#include "weft/error.hpp"
#include "weft/transport/in_process.hpp"

// With the thread sanitizer this takes many seconds, on one rank without threads.
#if defined(__SANITIZE_THREAD__)
#define SKIP_UNTHREADED() GTEST_SKIP() << "one rank, without threads"
#else
#define SKIP_UNTHREADED()
#endif

namespace weft::flow {
namespace {

using Kind = Command::Kind;
using test::Scratch;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TubeCase driven_by_pressure() {
  TubeCase tube;
  tube.radius = 5;
  tube.length = 12;
  tube.inlet.value.points = {{0, 0.05}};
  tube.outlet.value.points = {{0, 0}, {4, 0.01}};
  return tube;
}

/// The outputs of a run, on rank 0.
struct Ended {
  RunResult result;
  std::map<std::int64_t, std::vector<SiteState>> fields;  // by step; density is the pressure
  std::map<std::int64_t, MonitorRow> rows;
};

struct Told {
  std::int64_t steps = 60;
  std::filesystem::path out{};
  bool live = false;
  std::filesystem::path replay{};
  std::int64_t monitor_every = 1;
  /// Called on rank 0 after step n (n >= 0), or when the run has been idle n times (-n): the command for the inbox.
  std::function<std::string(std::int64_t)> say = [](std::int64_t) { return std::string(); };
  Hooks hooks{};  // on rank 0
};

Ended run_on(int ranks, const TubeCase& tube, const Told& told) {
  Ended ended;
  Inbox inbox;
  run_in_process(ranks, [&](Transport& transport) {
    auto c = tube.make();
    c.run.steps = told.steps;
    c.monitor.every = told.monitor_every;
    c.output.directory = told.out;
    const auto vessel = make_vessel(transport, c, tube.surface());
    const auto limits = make_limits(c, vessel.scaling, vessel.domain.grid.extent);
    const bool speaks = transport.rank() == 0;
    const auto say = [&](std::int64_t when) {
      if (const auto text = speaks ? told.say(when) : ""; !text.empty()) {
        EXPECT_TRUE(inbox.push(parse_command(text, limits)));
      }
    };
    RunOptions options{.settings = {.quiet = true},
                       .steering = {.live = told.live, .inbox = speaks ? &inbox : nullptr, .replay = told.replay}};
    if (speaks) options.hooks = told.hooks;
    options.hooks.on_row = [&](const MonitorRow& row, std::span<const double>) { ended.rows[row.step] = row; };
    options.hooks.after_step = say;
    options.hooks.idle = [&, times = std::int64_t{0}]() mutable { say(-++times); };
    auto result =
        run(transport, c, vessel, options, [&](std::int64_t step, double, std::span<const CellValues> values) {
          const auto &pressure = values[0].values, &velocity = values[1].values;
          std::vector<SiteState> mine;
          for (std::size_t i = 0; i < pressure.size(); ++i)
            mine.push_back({vessel.domain.grid.site_id(vessel.domain.sites[i]),
                            vessel.domain.sites[i],
                            pressure[i],
                            {velocity[3 * i], velocity[3 * i + 1], velocity[3 * i + 2]}});
          std::vector<SiteState> all;
          for (const auto& part : gather(transport, mine)) all.insert(all.end(), part.begin(), part.end());
          std::sort(all.begin(), all.end(), [](const SiteState& a, const SiteState& b) { return a.id < b.id; });
          if (speaks) ended.fields[step] = std::move(all);
          return std::filesystem::path("fields");
        });
    if (speaks) ended.result = std::move(result);
  });
  return ended;
}

template <class Map>
std::vector<std::int64_t> keys_of(const Map& map) {
  std::vector<std::int64_t> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

std::string said_in_the_middle(std::int64_t step) {
  if (step == 3) return R"({"do":"opening","name":"inlet","value":0.08,"ramp":3.1})";
  if (step == 9) return R"({"do":"scene","scene":{}})";
  if (step == 11) return R"({"do":"output"})";
  if (step == 17) return R"({"do":"viscosity","value":1.3})";
  if (step == 44) return R"({"do":"opening","name":"outlet","value":-0.01})";
  if (step == 57) return R"({"do":"stop"})";
  return {};
}

TEST(Steering, what_was_told_is_told_again_with_the_same_bits_on_any_number_of_ranks) {
  const Scratch scratch;
  const auto tube = driven_by_pressure();
  // This run is first and on one rank: libraries of the geometry initialise themselves with code that the thread
  // sanitizer does not instrument.
  const auto unsteered = run_on(1, tube, {.steps = 60, .out = scratch.path() / "plain"});
  const auto live =
      run_on(2, tube, {.steps = 90, .out = scratch.path() / "live", .live = true, .say = said_in_the_middle});
  EXPECT_TRUE(live.result.stopped);
  EXPECT_THAT(keys_of(live.fields), ElementsAre(13, 59));  // sent after step 11, received after step 12
  const auto log = test::content(scratch.path() / "live" / "steering.jsonl");
  EXPECT_THAT(log, HasSubstr("{\"step\":5,\"do\":\"opening\",\"name\":\"inlet\",\"value\":0.08,\"ramp\":3.1}\n"));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 6);
  for (const int ranks : {1, 2, 3}) {
    const auto again =
        run_on(ranks, tube,
               {.steps = 90, .out = scratch.path() / "again", .replay = scratch.path() / "live" / "steering.jsonl"});
    EXPECT_EQ(again.result.steps, live.result.steps);
    EXPECT_TRUE(again.fields == live.fields) << ranks << " ranks";
    ASSERT_EQ(keys_of(again.rows), keys_of(live.rows));
    for (const auto& [step, row] : again.rows) {
      const auto& before = live.rows.at(step);
      EXPECT_EQ(row.highest_density, before.highest_density);
      EXPECT_EQ(row.highest_mach, before.highest_mach);
      if (ranks != 2) continue;  // sums depend on the sites of each rank
      EXPECT_EQ(row.flow, before.flow);
      EXPECT_EQ(row.mass, before.mass);
      EXPECT_EQ(row.relative_change, before.relative_change);
    }
  }
  EXPECT_FALSE(unsteered.fields.at(59) == live.fields.at(59));
  EXPECT_FALSE(std::filesystem::exists(scratch.path() / "plain" / "steering.jsonl"));
}

// A run that accepts commands but gets none is the same as a run that does not accept commands.
TEST(Steering, silence_changes_nothing) {
  const Scratch scratch;
  const auto tube = driven_by_pressure();
  const auto plain = run_on(2, tube, {.steps = 20, .out = scratch.path()});
  for (const std::int64_t every : {1, 7, 20}) {
    const auto live = run_on(3, tube, {.steps = 20, .out = scratch.path(), .live = true, .monitor_every = every});
    EXPECT_TRUE(live.fields == plain.fields);
  }
}

TEST(Steering, a_run_that_is_paused_draws_and_steps_and_goes_on) {
  const Scratch scratch;
  const auto tube = driven_by_pressure();
  std::vector<std::string> told;
  Hooks hooks;
  hooks.on_command = [&](const Command& command, std::int64_t step) {
    told.push_back(std::string(name_of(command.kind)) + std::to_string(step));
  };
  hooks.on_scene = [&](const insitu::Scene& scene) { told.push_back("scene" + std::to_string(scene.width)); };
  const auto say = [](std::int64_t when) -> std::string {
    if (when == 2) return R"({"do":"pause"})";
    if (when == -1) return R"({"do":"scene","scene":{"width":99}})";
    if (when == -2) return R"({"do":"step"})";
    if (when == -4) return R"({"do":"opening","name":"inlet","value":0.06,"ramp":3})";
    if (when == -5) return R"({"do":"resume"})";
    return {};
  };
  const auto live =
      run_on(3, tube, {.steps = 10, .out = scratch.path() / "live", .live = true, .say = say, .hooks = hooks});
  EXPECT_THAT(told, ElementsAre("pause4", "scene99", "step4", "opening5", "resume5"));
  EXPECT_EQ(live.result.steps, 10);
  // Of these commands only the change of the opening affects the flow.
  const auto file = scratch.write(
      "by_hand.jsonl", "{\"step\": 5, \"do\": \"opening\", \"name\": \"inlet\", \"value\": 0.06, \"ramp\": 3}\n\n");
  const auto again = run_on(1, tube, {.steps = 10, .out = scratch.path() / "again", .replay = file});
  EXPECT_TRUE(again.fields == live.fields);
}

TEST(Steering, a_paused_run_can_be_stopped_and_leaves_its_fields) {
  const Scratch scratch;
  std::vector<std::int64_t> checkpoints;
  Hooks hooks;
  hooks.checkpoint = [&](std::int64_t step) { checkpoints.push_back(step); };
  const auto live = run_on(2, driven_by_pressure(),
                           {.steps = 50,
                            .out = scratch.path(),
                            .live = true,
                            .say = [](std::int64_t when) -> std::string {
                              if (when == 1) return R"({"do":"checkpoint"})";
                              if (when == 4) return R"({"do":"pause"})";
                              return when == -1 ? R"({"do":"stop"})" : "";
                            },
                            .hooks = hooks});
  EXPECT_TRUE(live.result.stopped);
  EXPECT_EQ(live.result.steps, 7);
  EXPECT_THAT(keys_of(live.fields), ElementsAre(6));
  EXPECT_THAT(checkpoints, ElementsAre(3, 6));
}

std::string refusal(const TubeCase& tube, const Told& told) {
  try {
    run_on(2, tube, told);
  } catch (const InputError& e) {
    return e.what();
  }
  return "it was taken";
}

TEST(Steering, a_replay_that_is_wrong_is_told_by_its_line) {
  const Scratch scratch;
  const auto tube = driven_by_pressure();
  const auto told = [&](const std::string& text) {
    return refusal(tube, {.steps = 5, .out = scratch.path() / "out", .replay = scratch.write("r.jsonl", text)});
  };
  const std::string good = "{\"step\": 3, \"do\": \"output\"}\n";
  EXPECT_EQ(told(good), "it was taken");
  EXPECT_EQ(told(""), "it was taken");
  EXPECT_THAT(told(good + "\n{\"step\": 2, \"do\": \"output\"}\n"), HasSubstr("r.jsonl:3: Step 2 comes after step 3"));
  EXPECT_THAT(told(good + "{\"do\": \"output\"}\n"),
              HasSubstr("r.jsonl:2: the command: \"step\" is missing or invalid"));
  EXPECT_THAT(told("{\"step\": -1, \"do\": \"output\"}\n"), HasSubstr("whole number of at least 0"));
  EXPECT_THAT(told("{\"step\": 1, \"do\": \"pause\"}\n"), HasSubstr("can't be replayed"));
  EXPECT_THAT(told("{\"step\": 1, \"do\": \"opening\", \"name\": \"inlet\", \"value\": 1e9}\n"),
              HasSubstr("r.jsonl:1: the command: value for the opening 'inlet' is 1000000000 Pa (allowed"));
  EXPECT_THAT(told("{\"steering\": \"tube\", \"sites\": 7}\n"), HasSubstr("7 sites"));
  EXPECT_THAT(refusal(tube, {.out = scratch.path() / "out", .replay = scratch.path() / "none"}),
              HasSubstr("none: This file can't be read (No such file or directory)"));
  EXPECT_THAT(refusal(tube, {.out = scratch.path() / "out", .replay = scratch.path()}),
              HasSubstr("can't be read (Is a directory)"));
  const auto log = scratch.write("steering.jsonl", good);
  EXPECT_THAT(refusal(tube, {.out = scratch.path(), .live = true, .replay = log}), HasSubstr("would be overwritten"));
}

// Poiseuille: the flow is proportional to the pressure drop and to 1 / viscosity.
TEST(Steering, flow_follows_pressure_and_viscosity) {
  SKIP_UNTHREADED();
  const Scratch scratch;
  TubeCase tube;
  tube.radius = 6;
  tube.length = 24;
  tube.axis = {1, 0, 0};
  tube.inlet.value.points = {{0, 0.05}};
  tube.outlet.value.points = {{0, 0}};
  const auto file = scratch.write("changes.jsonl",
                                  "{\"step\": 600, \"do\": \"opening\", \"name\": \"inlet\", \"value\": 0.1}\n"
                                  "{\"step\": 1400, \"do\": \"viscosity\", \"value\": 0.5}\n");
  const auto run = run_on(2, tube, {.steps = 2800, .out = scratch.path() / "out", .replay = file, .monitor_every = 10});
  const double first = run.rows.at(590).flow.at(0), second = run.rows.at(1390).flow.at(0),
               third = run.rows.at(2790).flow.at(0);
  EXPECT_GT(first, 0);
  EXPECT_NEAR(second / first, 2, 0.01);
  EXPECT_NEAR(third / second, 2, 0.05);  // an opening shortens the vessel by an amount that depends on tau
}

// The largest and fastest allowed changes, one at a time.
TEST(Steering, a_change_within_the_limits_leaves_the_flow_whole) {
  SKIP_UNTHREADED();
  const Scratch scratch;
  TubeCase by_pressure = driven_by_pressure(), by_velocity = driven_by_pressure();
  by_velocity.inlet.kind = lattice::OpeningState::Kind::velocity;
  by_velocity.outlet.value.points = {{0, 0}};
  for (const auto& tube : {by_pressure, by_velocity}) {
    const auto c = tube.make();
    const auto limits = make_limits(c, make_scaling(c), {14, 14, 14});
    const auto& inlet = limits.openings[0];
    const double ramp = make_limits(c, make_scaling(c), {20, 20, 20}).shortest_ramp;
    for (const auto& change :
         {Command{.kind = Kind::opening, .value = inlet.high, .ramp_seconds = ramp},
          Command{.kind = Kind::opening, .value = inlet.low, .ramp_seconds = ramp},
          Command{.kind = Kind::viscosity, .value = limits.lowest_viscosity, .ramp_seconds = ramp},
          Command{.kind = Kind::viscosity, .value = limits.highest_viscosity, .ramp_seconds = ramp}}) {
      const auto text = to_json(TimedCommand{50, change}, limits);
      const auto run = run_on(
          1, tube,
          {.steps = 1500, .out = scratch.path(), .replay = scratch.write("change.jsonl", text), .monitor_every = 8});
      EXPECT_LT(run.result.last.highest_mach, 0.35) << text;
    }
  }
}

TEST(Steering, looks_into_the_inbox_in_the_steps_of_the_monitors) {
  for (const std::int64_t every : {1, 2, 7, 16}) EXPECT_EQ(control_every(every), every);
  EXPECT_EQ(control_every(100), 10);
  EXPECT_EQ(control_every(64), 16);
  EXPECT_EQ(control_every(17), 16);
}

}  // namespace
}  // namespace weft::flow
