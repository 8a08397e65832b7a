// SPDX-License-Identifier: BSD-3-Clause
//
// The result does not depend on ranks, progress, grouping or coalescing: fields are bitwise identical, sums differ by
// at most 1e-12.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "tests/support/flow_run.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::flow {
namespace {

// Short and wide, so that with some of the partitions each opening's sites are on several ranks.
TubeCase short_tube() {
  TubeCase tube;
  tube.radius = 9;
  tube.length = 20;
  tube.inlet.kind = lattice::OpeningState::Kind::velocity;
  tube.inlet.value.points = {{0, 0.05}, {3, 0.2}, {10, 0.1}};
  tube.outlet.value.points = {{0, 0.0}, {5, 0.02}};
  return tube;
}

RunState run_on(int ranks, const RunSettings& settings) {
  RunState result;
  const auto tube = short_tube();
  run_in_process(ranks, [&](Transport& transport) {
    const auto c = tube.make();
    const auto vessel = make_vessel(transport, c, tube.surface());
    auto state = run_clients(transport, c, vessel, settings);
    if (transport.rank() == 0) result = std::move(state);
  });
  return result;
}

void expect_same(const RunState& a, const RunState& b, const std::string& what) {
  ASSERT_EQ(a.sites.size(), b.sites.size()) << what;
  EXPECT_TRUE(a.sites == b.sites) << what << ": the fields differ";
  EXPECT_NEAR(a.row.mass / b.row.mass, 1, 1e-12) << what;
  EXPECT_NEAR(a.row.relative_change / b.row.relative_change, 1, 1e-10) << what;
  EXPECT_EQ(a.row.highest_mach, b.row.highest_mach) << what;
  EXPECT_EQ(a.row.lowest_density, b.row.lowest_density) << what;
  ASSERT_EQ(a.row.flow.size(), b.row.flow.size());
  for (std::size_t k = 0; k < a.row.flow.size(); ++k) EXPECT_NEAR(a.row.flow[k] / b.row.flow[k], 1, 1e-10) << what;
}

TEST(Identity, fields_are_the_same_on_any_number_of_ranks) {
  const auto reference = run_on(1, {.steps = 40});
  EXPECT_GT(reference.sites.size(), 3000u);
  for (const int ranks : {2, 3, 4})
    expect_same(run_on(ranks, {.steps = 40}), reference, std::to_string(ranks) + " ranks");
}

TEST(Identity, fields_are_the_same_for_each_strategy) {
  using Kind = ProgressOptions::Kind;
  const auto reference = run_on(1, {.steps = 25, .monitor_every = 3});
  for (const auto kind : {Kind::passive, Kind::polling, Kind::thread})
    for (const bool coalesce : {true, false})
      for (const auto grouping : {Grouping::per_peer, Grouping::per_part})
        expect_same(
            run_on(3, {.steps = 25,
                       .monitor_every = 3,
                       .step = {.coalesce = coalesce, .messages = {.grouping = grouping}, .progress = {.kind = kind}}}),
            reference, std::string(name_of(kind)) + (coalesce ? ", coalesced" : ", not coalesced"));
}

TEST(Identity, coalescing_leaves_one_synchronisation_point) {
  const auto with = run_on(2, {.steps = 10});
  const auto without = run_on(2, {.steps = 10, .step = {.coalesce = false}});
  EXPECT_EQ(with.counts.waits, 10);
  EXPECT_EQ(without.counts.waits, 30);  // monitors, openings, lattice
}

/// Rows by step, on rank 0.
std::map<std::int64_t, MonitorRow> rows_of(int ranks, Monitors::Way way) {
  std::map<std::int64_t, MonitorRow> rows;
  const auto tube = short_tube();
  run_in_process(ranks, [&](Transport& transport) {
    const auto c = tube.make();
    const auto vessel = make_vessel(transport, c, tube.surface());
    const bool writes = transport.rank() == 0;
    run_clients(transport, c, vessel,
                {.steps = 24, .monitor = {.entropy = true, .way = way}, .on_row = [&](const MonitorRow& row) {
                   if (writes) rows[row.step] = row;
                 }});
  });
  return rows;
}

TEST(Identity, monitors_tell_the_same_in_each_way) {
  const auto reference = rows_of(1, Monitors::Way::nonblocking);
  EXPECT_EQ(reference.size(), 24U);
  for (const auto way :
       {Monitors::Way::nonblocking, Monitors::Way::blocking, Monitors::Way::rounds, Monitors::Way::phased}) {
    const auto rows = rows_of(3, way);
    EXPECT_GE(rows.size(), way == Monitors::Way::phased ? 6U : 24U);
    for (const auto& [step, row] : rows) {
      const auto& expected = reference.at(step);
      const auto what = std::string(name_of(way)) + ", step " + std::to_string(step);
      EXPECT_EQ(row.lowest_density, expected.lowest_density) << what;
      EXPECT_EQ(row.highest_mach, expected.highest_mach) << what;
      EXPECT_NEAR(row.mass / expected.mass, 1, 1e-12) << what;
      EXPECT_NEAR(row.relative_change / expected.relative_change, 1, 1e-10) << what;
      EXPECT_EQ(row.entropy, expected.entropy) << what;
      for (std::size_t k = 0; k < row.flow.size(); ++k)
        EXPECT_NEAR(row.flow[k], expected.flow[k], 1e-9 * std::abs(expected.flow[k])) << what;
    }
  }
}

// A monitor that is off is missing, and the others do not change.
TEST(Identity, monitors_are_switched_one_by_one) {
  const auto all = run_on(2, {.steps = 12});
  const auto some =
      run_on(2, {.steps = 12, .monitor = {.incompressibility = false, .stability = false, .flow_rates = false}});
  EXPECT_TRUE(std::isnan(some.row.mass) && std::isnan(some.row.flow.at(0)) && std::isnan(some.row.entropy));
  EXPECT_NEAR(some.row.relative_change / all.row.relative_change, 1, 1e-10);
  EXPECT_TRUE(some.sites == all.sites);
}

}  // namespace
}  // namespace weft::flow
