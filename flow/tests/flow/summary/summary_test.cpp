// SPDX-License-Identifier: BSD-3-Clause
//
// A run's page: its numbers are those of the run's files, and text from the case is never interpreted as HTML.
#include "flow/summary/summary.hpp"

#include <fmt/format.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "flow/run/simulation.hpp"
#include "flow/summary/html.hpp"
#include "flow/summary/sections.hpp"
#include "program/series.hpp"
#include "tests/support/flow_checkpoints.hpp"

namespace weft::flow {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr const char* hostile = "<script>alert(\"1\")</script> & 'more'";

Case beats(const fs::path& directory, std::int64_t steps) {
  auto c = short_tube().make();
  c.title = hostile;
  c.output.summary = true;
  c.run.steps = steps;
  c.monitor.every = 2;
  c.output.directory = directory;
  c.openings[0].value.points = {{0, 0.05}, {2.5, 0.15}};
  c.openings[0].value.period = 6;  // 60 steps
  return c;
}

RunResult run(mpi::Communicator& world, const Case& c, const std::string& warning = "",
              std::optional<fs::path> restart = {}) {
  const auto vessel = make_vessel(world, c, short_tube().surface());
  auto result = flow::run(world, c, vessel, {.settings = {.quiet = true, .restart = std::move(restart)}});
  on_root(world, [&] {
    write_summary(c.output.directory / "summary.html", c, vessel, result,
                  {.program = "weft", .mpi = world.library(), .warnings = {warning}});
  });
  return result;
}

std::string data(double value) { return fmt::format("<data value=\"{}\">", value); }

std::size_t pictures_in(const std::string& page) {
  std::size_t pictures = 0;
  for (std::size_t at = 0; (at = page.find("src=\"data:image/png;base64,iVBORw0KGgo", at)) != std::string::npos; ++at)
    ++pictures;
  return pictures;
}

TEST(Summary, its_numbers_are_those_of_the_run_and_its_text_is_text) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  const auto c = beats(scratch.path, 200);  // three beats and a third
  const auto result = run(world, c, hostile);
  alone(world, [&] {
    const auto page = test::content(scratch.path / "summary.html");
    EXPECT_THAT(page, Not(HasSubstr("<script")));
    EXPECT_THAT(page, HasSubstr("<h1>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;more&#39;</h1>"));
    EXPECT_THAT(page, HasSubstr("class=\"warn\">&lt;script&gt;"));
    EXPECT_THAT(page, Not(HasSubstr("http")));  // the page loads nothing from elsewhere

    // The means over the third beat, computed here.
    double in = 0, out = 0, p_in = 0, p_out = 0, highest = -1e9, drop = -1e9, n = 0;
    for (const auto& row :
         program::rows_before(scratch.path / "monitors", monitor_columns(monitored_names(c)), 1'000'000)) {
      if (row.step < 120 || row.step >= 180) continue;
      ++n;
      const auto* v = &row.values[7];
      in += v[0], p_in += v[1], out += v[2], p_out += v[3];
      highest = std::max(highest, v[1]), drop = std::max(drop, v[1] - v[3]);
    }
    EXPECT_EQ(n, 30);
    EXPECT_THAT(page, HasSubstr("beat 3, 12.0 to 18.0"));
    for (const double value : {in / n, -(out / n), p_in / n, p_out / n, p_in / n - p_out / n, highest, drop})
      EXPECT_THAT(page, HasSubstr(data(value)));
    const double flow_in = std::max(in, 0.0) / n;
    EXPECT_THAT(page, HasSubstr(summary::percent((in + out) / n / flow_in, 2)));
    EXPECT_THAT(page, HasSubstr(fmt::format("<data value=\"{}\">", result.sites)));
    EXPECT_THAT(page, HasSubstr(data(result.overlap.waits)));
    EXPECT_THAT(page, HasSubstr(fmt::format("<dt>ranks</dt><dd>{}</dd>", world.size())));
    EXPECT_THAT(page, HasSubstr("4 (part)"));

    EXPECT_THAT(page, HasSubstr("Dashed: as the case prescribes it."));
    std::size_t dashed = 0;  // the inlet's velocity, and the outlet's pressure
    for (auto at = page.find("class=\"prescribed\""); at != std::string::npos;
         at = page.find("class=\"prescribed\"", at + 1))
      ++dashed;
    EXPECT_EQ(dashed, 2U);
    EXPECT_EQ(pictures_in(page), 4U);  // wall shear stress and pressure from two sides
    EXPECT_THAT(page, HasSubstr("<h3>Pressure, Pa</h3>"));
    EXPECT_THAT(page, HasSubstr("<details><summary>Numbers: communication and overlap"));
    EXPECT_GT(page.size(), 20'000U);
    for (const auto& entry : fs::directory_iterator(scratch.path))
      EXPECT_EQ(entry.path().extension() == ".html", entry.path().filename() == "summary.html");
  });
}

TEST(Summary, where_the_wall_is_averaged_its_indices_are_drawn) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  auto c = beats(scratch.path, 60);
  ExtractCase wall;
  wall.name = "wall";
  wall.shape = ExtractCase::Shape::surface;
  wall.quantities = {FieldQuantity::oscillatory_shear_index};
  c.extracts = {wall};
  const auto result = run(world, c);
  alone(world, [&] {
    ASSERT_EQ(result.wall_maps.size(), 4U);
    EXPECT_EQ(result.wall_maps[2].what, WallMap::What::oscillatory_shear_index);
    EXPECT_EQ(result.wall_maps[2].low, 0);
    EXPECT_EQ(result.wall_maps[2].high, 0.5);
    EXPECT_TRUE(result.wall_maps[3].is_mean);
    EXPECT_GT(result.wall_maps[3].high, 0);
    EXPECT_FALSE(result.wall_maps[1].is_mean);
    EXPECT_GT(result.wall_maps[0].wall_mean, 0);
    EXPECT_LT(result.wall_maps[0].wall_mean, result.wall_maps[0].high);
    EXPECT_GE(result.wall_maps[2].wall_mean, 0);
    EXPECT_LE(result.wall_maps[2].wall_mean, 0.5);
    EXPECT_GT(result.wall_maps[1].high, result.wall_maps[1].low);
    const auto page = test::content(scratch.path / "summary.html");
    EXPECT_EQ(pictures_in(page), 8U);
    EXPECT_THAT(page, HasSubstr("mean over the wall " + data(result.wall_maps[0].wall_mean)));
    EXPECT_THAT(page, HasSubstr("below 0.4&nbsp;Pa on " + summary::percent(result.wall_maps[0].low_share, 2)));
    for (const auto* title : {"Time-averaged wall shear stress (TAWSS), Pa", "Pressure, Pa", "Oscillatory shear index",
                              "Relative residence time, 1/Pa"})
      EXPECT_THAT(page, HasSubstr(std::string("<h3>") + title + "</h3>"));
  });
}

TEST(Summary, shares_are_beside_those_that_the_case_prescribes) {
  using Rule = OpeningCase::Rule;
  Case c;
  c.openings.resize(4);
  for (std::size_t k = 0; k < 4; ++k)
    c.openings[k].disc.kind = k == 0 ? geometry::Opening::Kind::inlet : geometry::Opening::Kind::outlet;
  auto &in = c.openings[0], &share = c.openings[1], &narrow = c.openings[2], &wide = c.openings[3];
  in.kind = share.kind = lattice::OpeningState::Kind::velocity;
  in.value.points = {{0, 2}};
  in.disc.radius = share.disc.radius = 1;
  share.rule = Rule::share, share.value.points = {{0, 0.2}};
  for (auto* o : {&narrow, &wide}) o->rule = Rule::windkessel, o->value.points = {{0, 500}};
  narrow.windkessel = {.resistance = 2, .proximal = 1};
  wide.windkessel = {.resistance = 1};
  const auto shares = [&] { return summary::prescribed_shares(c); };
  EXPECT_TRUE(std::isnan(shares()[0]));
  EXPECT_DOUBLE_EQ(shares()[1], 0.2);
  EXPECT_DOUBLE_EQ(shares()[2], 0.2);
  EXPECT_DOUBLE_EQ(shares()[3], 0.6);
  narrow.tuned = wide.tuned = true;
  c.tune.share = {0, 0, 0.7, 0.3};
  EXPECT_DOUBLE_EQ(shares()[2], 0.56);
  narrow.tuned = wide.tuned = false;
  wide.value.points = {{0, 400}};  // another pressure behind: the split depends on the flow
  EXPECT_TRUE(std::isnan(shares()[2]));
  share.rule = Rule::prescribed, share.value.points = {{0, -0.5}};
  EXPECT_DOUBLE_EQ(shares()[1], 0.25);
}

TEST(Summary, the_overlap_fraction_is_at_most_1) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const Case c;
  const Vessel vessel;
  const SummaryFacts facts;
  RunResult result;
  result.overlap.ranks = 3;
  result.overlap.computation_seconds = 1e-3;
  result.overlap.exchange_seconds = 1e-4;
  result.overlap.step_seconds = 0.95e-3;  // noise: shorter than the computation alone
  const summary::Page page{.c = c, .vessel = vessel, .result = result, .facts = facts};
  EXPECT_THAT(summary::overlap_part(page), HasSubstr("<data value=\"1\">"));
  EXPECT_THAT(summary::overlap_part(page),
              HasSubstr("overlapped by " + summary::percent(1, 2) + " of what is possible."));
  result.overlap.step_seconds = 2e-3;
  EXPECT_THAT(summary::overlap_part(page), HasSubstr("Communication and computation did not overlap."));
}

TEST(Summary, a_run_without_beats_is_told_by_parts) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  auto c = beats(scratch.path, 200);
  c.openings[0].value = {.points = {{0, 0.1}}, .period = 0};
  run(world, c);
  alone(world, [&] {
    const auto page = test::content(scratch.path / "summary.html");
    EXPECT_THAT(page, HasSubstr("Convergence over time"));
    EXPECT_THAT(page, HasSubstr("<b>Start:</b> has "));
    EXPECT_THAT(page, HasSubstr("the last tenth of the run, 18.0 to 20.0"));
    EXPECT_THAT(page, HasSubstr("mean velocity 0.1&nbsp;m/s"));
  });
}

// Where the values still change in the last tenth of the run, nothing can be said about its start.
TEST(Summary, the_start_is_told_where_the_values_are_constant_in_the_end) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  auto c = beats(scratch.path, 200);  // 20 s
  for (const double last : {10.0, 19.0}) {
    c.openings[0].value = {.points = {{0, 0.05}, {last, 0.1}}, .period = 0};
    run(world, c);
    alone(world, [&] {
      const auto page = test::content(scratch.path / "summary.html");
      EXPECT_EQ(page.find("<b>Start:</b> has ") != std::string::npos, last < 18) << last;
    });
  }
}

// After a restart the table contains the values of the earlier part. If the earlier output is elsewhere, the page says
// that they are unknown.
TEST(Summary, after_a_restart_it_tells_what_is_known) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  auto c = beats(scratch.path / "first", 90);
  c.checkpoint.every_steps = 90;
  run(world, c);
  auto all = c;
  all.run.steps = 180;
  run(world, all, "", fs::path());
  auto elsewhere = all;
  elsewhere.output.directory = scratch.path / "second";
  run(world, elsewhere, "", scratch.path / "first/checkpoint_00000090.weft");
  alone(world, [&] {
    const auto page = test::content(scratch.path / "first/summary.html"),
               other = test::content(scratch.path / "second/summary.html");
    EXPECT_THAT(page, HasSubstr("since a restart"));
    EXPECT_THAT(page, Not(HasSubstr("monitors.csv begins at")));
    EXPECT_THAT(other, HasSubstr("monitors.csv begins at 9.0"));
    EXPECT_THAT(other, HasSubstr("2 (part)"));
    EXPECT_THAT(other, Not(HasSubstr("<td class=\"l\">1</td>")));
  });
}

// A flow that is too fast for its lattice: the output up to the failure is kept, and the page begins with the failure.
Case blown_up(const fs::path& directory) {
  auto c = beats(directory, 1000);
  c.fluid.viscosity = 0.1;
  c.openings[0].value = {.points = {{0, 0.1}, {9, 0.1}, {12, 9}}, .period = 0};
  return c;
}

TEST(Summary, an_unstable_run_leaves_its_page_with_the_place_and_the_last_sound_state) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  for (const bool wants_summary : {true, false}) {
    auto c = blown_up(scratch.path / (wants_summary ? "page" : "none"));
    c.output.summary = wants_summary;
    const auto vessel = make_vessel(world, c, short_tube().surface());
    std::optional<UnstableRun> end;
    try {
      flow::run(world, c, vessel, {.settings = {.quiet = true}});
    } catch (const UnstableRun& e) {
      EXPECT_TRUE(e.everywhere());
      end = e;
    }
    ASSERT_TRUE(end);
    auto& result = end->result();
    const auto place = result.unstable->breakdown.place;
    for (const auto& other : all_gather(world, fmt::format("{} {} {}", place[0], place[1], place[2])))
      EXPECT_EQ(other, fmt::format("{} {} {}", place[0], place[1], place[2]));
    alone(world, [&] {
      const auto& step = result.unstable->breakdown.step;
      EXPECT_GT(step, 60);
      EXPECT_EQ(result.last.step, step - c.monitor.every);
      const auto rows =
          program::rows_before(c.output.directory / "monitors", monitor_columns(monitored_names(c)), 1'000'000);
      EXPECT_EQ(static_cast<std::int64_t>(rows.size()), step / c.monitor.every);
      EXPECT_TRUE(fs::exists(c.output.directory / "monitors.json"));
      EXPECT_EQ(result.unstable->sound_step >= 0, wants_summary);
      if (!wants_summary) return;

      EXPECT_LE(result.unstable->sound_step, result.last.step);
      EXPECT_TRUE(fs::exists(c.output.directory / fmt::format("last_sound_{:08}.vtkhdf", result.unstable->sound_step)));
      ASSERT_EQ(result.wall_maps.size(), 2U);
      for (const auto& map : result.wall_maps) EXPECT_TRUE(std::isfinite(map.low) && std::isfinite(map.high));
      write_summary(c.output.directory / "summary.html", c, vessel, result, {.program = "weft"});
      const auto page = test::content(c.output.directory / "summary.html");
      EXPECT_THAT(page, HasSubstr("The flow became unstable: this run has no result."));
      EXPECT_THAT(page, HasSubstr(summary::escaped(end->what())));
      EXPECT_THAT(page, HasSubstr(c.surface.place_text(place)));
      EXPECT_THAT(page, HasSubstr(fmt::format("the last valid state, before step {}", result.unstable->sound_step)));
      EXPECT_EQ(pictures_in(page), 4U);

      write_result_json(scratch.path / "result.json", c, vessel, result, world);
      const auto told = nlohmann::json::parse(test::content(scratch.path / "result.json")).at("unstable");
      EXPECT_EQ(told.at("step"), step);
      EXPECT_EQ(told.at("message"), end->what());
      EXPECT_EQ(told.at("place_m"), nlohmann::json(place));
      EXPECT_EQ(told.at("last_sound_step"), result.unstable->sound_step);
      for (const auto& entry : fs::recursive_directory_iterator(scratch.path))
        EXPECT_EQ(entry.path().string().find(".weft-"), std::string::npos);
    });
  }
}

TEST(Summary, where_no_sound_state_was_kept_the_page_says_so) {
  const Case c = short_tube().make();
  const Vessel vessel;
  const SummaryFacts facts;
  RunResult result;
  result.unstable = UnstableEnd{.line = "The flow became <unstable>."};
  const auto html = summary::head_part({.c = c, .vessel = vessel, .result = result, .facts = facts});
  EXPECT_THAT(html, HasSubstr("The flow became &lt;unstable&gt;."));
  EXPECT_THAT(html, HasSubstr("No earlier state was kept"));
  EXPECT_THAT(html, HasSubstr(", became unstable"));
}

TEST(Summary, numbers_are_as_people_read_them) {
  using namespace summary;
  EXPECT_EQ(digits(12.345), "12.3");
  EXPECT_EQ(digits(0.04562), "0.0456");
  EXPECT_EQ(digits(-1234.5), "−1234");
  EXPECT_EQ(digits(std::nan("")), "–");
  EXPECT_EQ(digits(1.5e-9, 2), "1.5e-09");
  EXPECT_EQ(base64("Man"), "TWFu");
  EXPECT_EQ(base64("Ma"), "TWE=");
  EXPECT_EQ(base64("M"), "TQ==");
  EXPECT_EQ(base64(std::string("\xff\x00\xfe", 3)), "/wD+");
  EXPECT_EQ(number(std::nan(""), {1, "Pa"}), "–");
}

}  // namespace
}  // namespace weft::flow
