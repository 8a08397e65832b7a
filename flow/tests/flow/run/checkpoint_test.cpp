// SPDX-License-Identifier: BSD-3-Clause
#include "flow/run/checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "tests/support/flow_checkpoints.hpp"

namespace weft::flow {
namespace {

namespace fs = std::filesystem;
using test::content;
using testing::HasSubstr;

/// A lattice with its clients, for checkpoints without a run.
struct Flow {
  Flow(mpi::Communicator& world, Case of)
      : c(std::move(of)), vessel(make_vessel(world, c, short_tube().surface())),
        lattice(make_lattice(world, vessel, c)),
        client(lattice, c, vessel.scaling, [](std::int64_t) { return lattice::Diagnostics::fields; }),
        monitors(world, client, vessel, c.monitor, [](const MonitorRow&) {}),
        checkpoints(world, c, vessel, lattice, client, monitors), manager(world) {
    monitors.start(manager);
    manager.add("lattice", client);
  }
  Case c;
  Vessel vessel;
  lattice::SparseLattice lattice;
  LatticeClient client;
  FlowMonitors monitors;
  Checkpointer checkpoints;
  StepManager manager;
};

void change_byte(const fs::path& file, std::uintmax_t at) {
  std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
  f.seekg(static_cast<std::streamoff>(at));
  const char c = static_cast<char>(f.get() ^ 4);
  f.seekp(static_cast<std::streamoff>(at));
  f.put(c);
}

TEST(FlowCheckpoint, the_last_two_are_kept_and_the_last_good_one_is_found) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  Flow flow(world, busy(scratch.path, 60));
  EXPECT_THAT(message_of(world, [&] { flow.checkpoints.restore({}); }), HasSubstr("a restart needs a checkpoint"));
  for (const int step : {5, 6, 99999999, 100000000})
    flow.checkpoints.write(step, "{\"step\": " + std::to_string(step) + "}");
  alone(world, [&] { EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path), {}), 2); });
  const auto last = flow.checkpoints.restore({});
  EXPECT_EQ(last.step, 100000000);
  EXPECT_EQ(last.program_state, "{\"step\": 100000000}");
  alone(world, [&] { change_byte(last.file, fs::file_size(last.file) - 100); });
  const auto before = flow.checkpoints.restore(scratch.path);
  EXPECT_EQ(before.step, 99999999);
  ASSERT_EQ(before.refused.size(), 1U);
  EXPECT_THAT(before.refused[0],
              HasSubstr("checkpoint_100000000.weft is not a usable checkpoint (the checksum of block"));
  alone(world, [&] { fs::resize_file(before.file, 5000); });
  EXPECT_THAT(message_of(world, [&] { flow.checkpoints.restore({}); }), HasSubstr("is usable. The newest:"));
  flow.checkpoints.write(7);  // removes checkpoints of later steps, which belong to an abandoned continuation
  alone(world, [&] { EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path), {}), 1); });
}

TEST(FlowCheckpoint, any_damage_is_found) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  Flow flow(world, busy(scratch.path, 60));
  for (int k = 0; k < 3; ++k) flow.manager.run_step();
  const auto good = flow.checkpoints.write(3);
  const auto file = scratch.path / "bad.weft";
  const auto size = fs::file_size(good);
  const auto refused = [&](const std::function<void()>& damage) {
    alone(world, [&] {
      fs::copy_file(good, file, fs::copy_options::overwrite_existing);
      damage();
    });
    return message_of(world, [&] { flow.checkpoints.restore(file); });
  };
  const auto table = header_bytes(content(good));
  EXPECT_THAT(refused([&] { change_byte(file, 0); }), HasSubstr("weft flow did not write it"));
  EXPECT_THAT(refused([&] { change_byte(file, 8); }), HasSubstr("byte order"));
  EXPECT_THAT(refused([&] { change_byte(file, 12); }), HasSubstr("checksum of its header"));
  EXPECT_THAT(refused([&] { change_byte(file, table - 1); }), HasSubstr("checksum of its header"));
  for (const int at : {0, 8, 12, 16 * 2 + 9})
    EXPECT_THAT(refused([&] { change_byte(file, table + static_cast<std::uintmax_t>(at)); }),
                HasSubstr("checksum of block"));
  for (std::uintmax_t at = table + 5; at < size; at += size / 23)
    EXPECT_THAT(refused([&] { change_byte(file, at); }), HasSubstr("checksum of block")) << at;
  EXPECT_THAT(refused([&] { change_byte(file, size - 1); }), HasSubstr("checksum of block"));
  EXPECT_THAT(refused([&] { fs::resize_file(file, size - 1); }), HasSubstr("bytes, not"));
  EXPECT_THAT(refused([&] { fs::resize_file(file, size + 1); }), HasSubstr("bytes, not"));
  EXPECT_THAT(refused([&] { fs::resize_file(file, table / 2); }), HasSubstr("too short"));
  EXPECT_THAT(refused([&] { fs::resize_file(file, 0); }), HasSubstr("too short"));
  EXPECT_THAT(refused([&] { fs::remove(file); }), HasSubstr("No such file"));

  // Headers that weft would never write: the checksum is right, but the content is not.
  const auto forged = [&](const std::function<void(checkpoint::Header&)>& change) {
    return refused([&] {
      auto header = checkpoint::parse(file, checkpoint::read_header_bytes(file));
      change(header);
      std::fstream(file, std::ios::in | std::ios::out | std::ios::binary) << checkpoint::bytes_of(header);
    });
  };
  EXPECT_THAT(forged([](auto& h) { h.step = -1; }), HasSubstr("its header has a count of -1"));
  EXPECT_THAT(forged([](auto& h) { h.sites = std::int64_t{1} << 60; }),
              HasSubstr("too few for 1152921504606846976 sites"));
  EXPECT_THAT(forged([](auto& h) {
                h.monitors.row.flow.resize(9);
                h.monitors.row.pressure.resize(9);
                for (auto& seen : h.seen) seen.inflow.resize(9);
              }),
              HasSubstr("its counts differ from its settings"));
  EXPECT_EQ(flow.checkpoints.restore(good).step, 3);
}

TEST(FlowCheckpoint, one_of_another_case_is_refused) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  const auto good = busy(scratch.path, 60);
  const auto file = Flow(world, good).checkpoints.write(4);
  const auto refused = [&](const std::function<void(Case&)>& change) {
    auto c = good;
    change(c);
    Flow other(world, c);
    return message_of(world, [&] { other.checkpoints.restore({}); });
  };
  EXPECT_THAT(refused([](Case& c) { c.lattice.time_step = 0.11; }),
              HasSubstr("this case has 'lattice.time_step = 0.11 s'"));
  EXPECT_THAT(refused([](Case& c) { c.lattice.collision = lattice::Collision::bgk; }),
              HasSubstr("it has 'lattice.collision = cumulant', this case has 'lattice.collision = bgk'"));
  EXPECT_THAT(refused([](Case& c) { c.openings[0].value.points[1][1] = 0.3; }), HasSubstr("'inlet 'inlet': velocity"));
  EXPECT_THAT(refused([](Case& c) { c.openings[1].disc.radius += 0.1; }), HasSubstr("'outlet 'outlet': centre"));
  const auto sites = refused([](Case& c) { c.surface.voxel = 0.9; });
  EXPECT_THAT(sites, HasSubstr("surface.voxel"));
  // Keys that do not affect the state may change.
  EXPECT_EQ(refused([](Case& c) {
              c.run.steps = 1000;
              c.output.every_steps = 5;
              c.checkpoint.every_steps = 3;
              c.monitor.every = 1;
            }),
            "");
  EXPECT_THAT(message_of(world,
                         [&] {  // with three or more ranks a row would be in flight
                           auto c = good;
                           c.monitor.way = Monitors::Way::phased;
                           c.monitor.every = 3;
                           Flow other(world, c);
                           alone(world, [&] { fs::rename(file, scratch.path / "checkpoint_00000005.weft"); });
                           Flow(world, good).checkpoints.write(5);
                           other.checkpoints.restore({});
                         }),
              world.size() < 3 ? testing::Matcher<std::string>(std::string()) : HasSubstr("have a row in flight"));
}

TEST(FlowCheckpoint, a_write_that_fails_keeps_what_was_there) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  Flow flow(world, busy(scratch.path, 60));
  flow.checkpoints.write(1);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1 << 16, before.rlim_max};
  for (const int victim : {0, world.size() - 1}) {
    if (world.rank() == victim) setrlimit(RLIMIT_FSIZE, &small);
    EXPECT_THAT(message_of(world, [&] { flow.checkpoints.write(2); }), HasSubstr("This file can't be written"));
    setrlimit(RLIMIT_FSIZE, &before);
  }
  std::signal(SIGXFSZ, handler);
  alone(world, [&] { EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path), {}), 1) << "no unfinished file"; });
  EXPECT_EQ(flow.checkpoints.restore({}).step, 1);
  flow.checkpoints.write(2);
  alone(world, [&] { fs::create_directory(scratch.path / "checkpoint_00000003.weft"); });
  EXPECT_THAT(message_of(world, [&] { flow.checkpoints.write(3); }), HasSubstr("This file can't be written"));
  EXPECT_TRUE(fs::exists(scratch.path / "checkpoint_00000002.weft"));
}

TEST(FlowCheckpoint, is_due_every_so_often) {
  mpi::Communicator world(MPI_COMM_WORLD);
  auto c = busy("nowhere", 60);
  const auto due_steps = [&] {
    Flow flow(world, c);
    std::vector<std::int64_t> steps;
    for (std::int64_t step = 0; step <= 30; ++step)
      if (flow.checkpoints.due(step)) steps.push_back(step);
    EXPECT_EQ(flow.checkpoints.due(28, true), c.checkpoint.every_steps || c.checkpoint.every_seconds);
    return steps;
  };
  EXPECT_THAT(due_steps(), testing::ElementsAre(10, 20, 30));
  c.checkpoint = {12 * *c.lattice.time_step, {}};
  EXPECT_THAT(due_steps(), testing::ElementsAre(12, 24));
  c.monitor.way = Monitors::Way::phased;  // then only after steps 1, 4, 7, ..., when no row is in flight
  EXPECT_THAT(due_steps(), testing::ElementsAre(13, 25));
  c.checkpoint = {};
  EXPECT_THAT(due_steps(), testing::ElementsAre());
}

}  // namespace
}  // namespace weft::flow
