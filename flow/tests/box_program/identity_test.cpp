// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>

#include "flow/tests/box_program/box_run.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using lattice::Collision;
using lattice::Precision;
using lattice::VelocitySet;
using Scheme = HaloOptions::Scheme;
using Payload = HaloOptions::Payload;

Case busy(VelocitySet set, Precision precision, Collision collision) {
  auto c = make_busy_case(set, precision);
  c.fluid.collision = collision;
  c.monitor.every = 7;
  c.steady = 1e-12;
  return c;
}

void expect_same(const End& a, const End& b, const std::string& what) {
  EXPECT_FALSE(a.sites.empty());
  EXPECT_TRUE(a.sites == b.sites) << what;
  EXPECT_EQ(a.readings, b.readings) << what;
  ASSERT_EQ(a.particles.size(), b.particles.size());
  for (std::size_t p = 0; p < a.particles.size(); ++p)
    EXPECT_EQ(a.particles[p].position, b.particles[p].position) << what;
}

TEST(BoxIdentity, all_models_give_the_same_bits_on_any_number_of_ranks) {
  for (const auto set : {VelocitySet::d2q9, VelocitySet::d3q15, VelocitySet::d3q19, VelocitySet::d3q27})
    for (const auto precision : {Precision::fp64, Precision::fp32})
      for (const auto collision : {Collision::bgk, Collision::trt, Collision::mrt}) {
        const auto c = busy(set, precision, collision);
        const auto one = end_of(1, c, 22);
        for (const int ranks : {2, 3, 4})
          expect_same(end_of(ranks, c, 22), one,
                      "set " + std::to_string(static_cast<int>(set)) + " on " + std::to_string(ranks));
      }
}

TEST(BoxIdentity, all_ways_to_communicate_give_the_same_bits) {
  auto c = busy(VelocitySet::d3q19, Precision::fp64, Collision::trt);
  const auto one = end_of(1, c, 23);
  for (const auto scheme : {Scheme::direct, Scheme::by_dimension})
    for (const auto payload : {Payload::whole, Payload::directions, Payload::reduced}) {
      c.scheme = scheme;
      c.payload = payload;
      const auto what = std::string(name_of(scheme)) + ' ' + name_of(payload);
      for (const int ranks : {1, 4}) expect_same(end_of(ranks, c, 23), one, what);
      for (const bool coalesce : {true, false})
        for (const auto grouping : {Grouping::per_peer, Grouping::per_part})
          expect_same(end_of(3, c, 23, {.coalesce = coalesce, .messages = {.grouping = grouping}}), one, what);
    }
}

TEST(BoxIdentity, who_drives_and_what_carries_messages_does_not_matter) {
  using Kind = ProgressOptions::Kind;
  const auto c = busy(VelocitySet::d3q19, Precision::fp64, Collision::mrt);
  const auto one = end_of(1, c, 16);
  std::vector<Carrier> carriers;
  run_in_process(1, [&](Transport& world) { carriers = carriers_of(world); });
  for (const auto kind : {Kind::passive, Kind::polling, Kind::thread})
    for (const auto carrier : carriers)
      expect_same(end_of(4, c, 16, {.messages = {.carrier = carrier}, .progress = {.kind = kind}}), one,
                  name_of(carrier));
}

TEST(BoxIdentity, any_process_grid_gives_the_same_bits) {
  auto c = busy(VelocitySet::d3q19, Precision::fp32, Collision::trt);
  const auto one = end_of(1, c, 15);
  for (const auto& processes :
       std::vector<std::vector<int>>{{2, 1, 1}, {1, 2, 1}, {1, 1, 2}, {2, 2, 1}, {1, 2, 2}, {3, 1, 2}, {3, 2, 2}}) {
    c.processes = processes;
    expect_same(end_of(processes[0] * processes[1] * processes[2], c, 15), one, "grid");
  }
}

}  // namespace
}  // namespace weft
