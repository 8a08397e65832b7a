// SPDX-License-Identifier: BSD-3-Clause
#include "weft/collective/rounds.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/timeline/timeline.hpp"
#include "weft/transport/collectives.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include <cmath>

#include "tests/support/core_ranks.hpp"
#include "weft/step/run_profile.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Log = std::vector<std::string>;

// Sends a number to the right in each of its rounds, and records the calls of its callbacks.
struct RingClient : Client {
  RingClient(Transport& world, std::string name, int rounds, Log* log = nullptr)
      : name(std::move(name)), rounds(rounds), rank(world.rank()), size(world.size()), log(log), out(64), in(64) {}

  void request(Requests& requests) override {
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    sends.clear();
    for (int k = 0; k < rounds; ++k) {
      const auto i = static_cast<std::size_t>(k);
      sends.push_back(requests.send(right, i, contiguous(std::span(&out[i], 1)), k));
      requests.receive(left, i, contiguous(std::span(&in[i], 1)), k);
    }
  }
  void write(const Step& step, const char* phase) {
    if (log)
      log->push_back(name + " " + phase + " " + std::to_string(step.number()) + "." + std::to_string(step.round()));
  }
  int value(int source, std::int64_t step, int round) const {
    return static_cast<int>(1000000 * name.size() + 10000 * static_cast<std::size_t>(source)) +
           10 * static_cast<int>(step) + round;
  }
  void before(Step& step) override {
    write(step, "before");
    const auto i = static_cast<std::size_t>(step.round());
    out[i] = value(rank, step.number(), step.round());
    if (early) step.ready(sends[i]);
  }
  void during(Step& step) override {
    write(step, "during");
    step.progress();
  }
  void after(Step& step) override {
    write(step, "after");
    EXPECT_EQ(in[static_cast<std::size_t>(step.round())], value((rank + size - 1) % size, step.number(), step.round()));
    ++steps_seen;
  }

  std::string name;
  int rounds, rank, size;
  Log* log;
  bool early = false;
  int steps_seen = 0;
  std::vector<int> out, in;
  std::vector<SendPart> sends;
};

// Runs `body` with coalescing on and off.
void both_ways(Ranks ranks, const std::function<void(Transport&, bool)>& body) {
  on(ranks, [&](Transport& world) {
    for (const bool coalesce : {true, false}) body(world, coalesce);
  });
}

TEST(Step, phases_have_an_order) {
  on(any_ranks, [](Transport& world) {
    Log log;
    RingClient a(world, "a", 1, &log), b(world, "b", 2, &log);
    StepManager steps(world);
    steps.add("a", a);
    steps.add("b", b);
    steps.run_step();
    EXPECT_THAT(log, ElementsAre("a before 0.0", "b before 0.0", "a during 0.0", "b during 0.0", "a after 0.0",
                                 "b after 0.0", "b before 0.1", "b during 0.1", "b after 0.1"));
    log.clear();
    steps.coalesce(false);
    steps.run_step();
    EXPECT_THAT(log, ElementsAre("a before 1.0", "a during 1.0", "a after 1.0", "b before 1.0", "b during 1.0",
                                 "b after 1.0", "b before 1.1", "b during 1.1", "b after 1.1"));
  });
}

TEST(Step, clients_are_active_in_the_steps_of_their_schedule) {
  both_ways(2_ranks, [](Transport& world, bool coalesce) {
    Log log;
    RingClient always(world, "always", 1), third(world, "third", 1, &log);
    StepManager steps(world, {.coalesce = coalesce});
    steps.add("always", always);
    steps.add("third", third, {.every = 3, .offset = 5});  // 5 is 2 modulo 3
    for (int i = 0; i < 9; ++i) steps.run_step();
    EXPECT_EQ(always.steps_seen, 9);
    EXPECT_EQ(steps.step(), 9);
    Log befores;
    for (const auto& line : log)
      if (line.find("before") != std::string::npos) befores.push_back(line);
    EXPECT_THAT(befores, ElementsAre("third before 2.0", "third before 5.0", "third before 8.0"));
  });
}

TEST(Step, a_step_without_active_clients_is_a_step) {
  on(2_ranks, [](Transport& world) {
    RingClient rare(world, "rare", 1);
    StepManager steps(world);
    steps.run_step();
    steps.add("rare", rare, {.every = 4});
    for (int i = 1; i < 8; ++i) steps.run_step();
    EXPECT_EQ(rare.steps_seen, 1);
    EXPECT_EQ(steps.counts().steps, 8);
    EXPECT_EQ(steps.counts().waits, 1);
  });
}

TEST(Step, says_that_a_clients_schedule_differs_between_ranks) {
  on(2_ranks, [](Transport& world) {
    RingClient ring(world, "ring", 1);
    StepManager steps(world);
    steps.add("ring", ring, {.every = 2 + world.rank()});
    EXPECT_EQ(
        error_of([&] { steps.run_step(); }),
        "Client 'ring' is not the same on all ranks (rank 0: every 2 steps, from step 0 on; rank 1: every 3 steps, "
        "from step 0 on). Create it alike on every rank.");
  });
}

TEST(Step, refuses_what_makes_no_sense) {
  on(1_ranks, [](Transport& world) {
    RingClient a(world, "a", 1), b(world, "b", 1);
    StepManager steps(world);
    steps.add("a", a);
    EXPECT_EQ(error_of([&] { steps.add("a", b); }), "Two clients are called 'a'. Give each client its own name.");
    EXPECT_EQ(error_of([&] { steps.add("b", b, {.every = 0}); }), "Client 'b' is active every 0 steps. Use 1 or more.");
    EXPECT_EQ(error_of([&] { steps.add("b", b, {.every = 2, .offset = -1}); }),
              "Client 'b' has offset -1. Use 0 or more.");
    EXPECT_EQ(error_of([&] { steps.remove(b); }), "The StepManager does not have this client. Call add() first.");
    EXPECT_EQ(error_of([&] { steps.changed(b); }), "The StepManager does not have this client. Call add() first.");
  });
}

TEST(Step, clients_come_go_and_change_between_steps) {
  both_ways({1, 3}, [](Transport& world, bool coalesce) {
    RingClient a(world, "a", 1), b(world, "bb", 2), c(world, "ccc", 1);
    StepManager steps(world, {.coalesce = coalesce});
    steps.add("a", a);
    steps.add("b", b);
    steps.run_step();
    steps.add("c", c);
    steps.run_step();
    steps.remove(a);
    steps.run_step();
    EXPECT_EQ(a.steps_seen, 2);
    b.rounds = 3;
    b.out.assign(128, 0);  // this also reallocates the memory
    b.in.assign(128, 0);
    steps.changed(b);
    steps.run_step();
    EXPECT_EQ(b.steps_seen, 2 + 2 + 2 + 3);
    steps.add("a", a);
    steps.run_step();
    EXPECT_EQ(a.steps_seen, 3);
    EXPECT_EQ(c.steps_seen, 4);
  });
}

TEST(Step, coalescing_is_switched_at_run_time_and_counted) {
  on(3_ranks, [](Transport& world) {
    RingClient a(world, "a", 1), b(world, "bb", 3), c(world, "ccc", 2);
    StepManager steps(world);
    steps.add("a", a);
    steps.add("b", b);
    steps.add("c", c);
    const int right = (world.rank() + 1) % 3;
    const auto run = [&](bool coalesce) {
      steps.coalesce(coalesce);
      EXPECT_EQ(steps.coalesces(), coalesce);
      steps.reset_counts();
      for (int i = 0; i < 2; ++i) steps.run_step();
      return steps.counts();
    };
    for (int repeat = 0; repeat < 2; ++repeat) {
      const auto on = run(true);
      EXPECT_EQ(on.steps, 2);
      EXPECT_EQ(on.waits, 2 * 3);  // the maximum over the clients
      EXPECT_EQ(on.messages, (std::map<int, std::int64_t>{{right, 2 * 3}}));
      EXPECT_EQ(on.bytes, (std::map<int, std::int64_t>{{right, 2 * 6 * 4}}));
      const auto off = run(false);
      EXPECT_EQ(off.waits, 2 * (1 + 3 + 2));  // the sum over the clients
      EXPECT_EQ(off.messages, (std::map<int, std::int64_t>{{right, 2 * 6}}));
      EXPECT_EQ(off.bytes, on.bytes);
    }
  });
}

struct Reducer : Client {
  void request(Requests& requests) override {
    part = requests.all_reduce(std::span<const int>(&in, 1), std::span(&out, 1), sum<int>());
    requests.barrier(1);
  }
  void before(Step& step) override {
    if (step.round() > 0) return;
    in = static_cast<int>(step.number()) + 1;
    step.ready(part);
  }
  int in = 0, out = 0;
  CollectivePart part;
};

TEST(Step, counts_leave_out_messages_to_oneself_and_know_collectives) {
  on(1_ranks, [](Transport& world) {
    RingClient alone(world, "alone", 1);
    Reducer reducer;
    StepManager steps(world);
    steps.add("alone", alone);
    steps.add("reducer", reducer);
    for (int i = 0; i < 3; ++i) steps.run_step();
    EXPECT_EQ(steps.counts().waits, 6);
    EXPECT_EQ(steps.counts().collectives, 6);
    EXPECT_THAT(steps.counts().messages, IsEmpty());
    EXPECT_EQ(reducer.out, 3);
  });
}

TEST(Step, clients_may_mark_parts_ready_early) {
  both_ways(any_ranks, [](Transport& world, bool coalesce) {
    RingClient a(world, "a", 2), b(world, "bb", 1);
    Reducer reducer;
    b.early = true;
    a.early = world.rank() == 0;  // each rank chooses itself
    StepManager steps(world, {.coalesce = coalesce});
    steps.add("a", a);
    steps.add("reducer", reducer);
    steps.add("b", b);
    for (int i = 0; i < 4; ++i) steps.run_step();
    EXPECT_EQ(b.steps_seen, 4);
    EXPECT_EQ(reducer.out, 4 * world.size());
  });
}

// Sends and receives the same memory: a shift register, which would show every additional exchange.
struct Shift : Client {
  explicit Shift(const Transport& world) : rank(world.rank()), size(world.size()), value(world.rank()) {}
  void request(Requests& requests) override {
    requests.send((rank + 1) % size, 1, contiguous(std::span(&value, 1)));
    requests.receive((rank + size - 1) % size, 1, contiguous(std::span(&arrived, 1)));
    requests.all_reduce(std::span<const int>(&value, 1), std::span(&most, 1), maximum<int>());
  }
  void after(Step&) override { value = arrived; }
  int rank, size, value, arrived = -1, most = -1;
};

TEST(Step, measuring_alone_changes_nothing) {
  both_ways(any_ranks, [](Transport& world, bool coalesce) {
    Shift shift(world);
    RingClient ring(world, "ring", 2);
    StepManager steps(world, {.coalesce = coalesce});
    steps.add("shift", shift);
    steps.add("ring", ring);
    for (int i = 1; i < 4; ++i) {
      steps.run_step();
      const auto counts = steps.counts().waits;
      const int arrived = shift.arrived;
      EXPECT_GT(steps.measure_alone(5), 0);
      EXPECT_EQ(shift.arrived, arrived);
      EXPECT_EQ(steps.counts().waits, counts);
      EXPECT_EQ(steps.step(), i);
      EXPECT_EQ(shift.value, ((world.rank() - i) % world.size() + world.size()) % world.size());
      EXPECT_EQ(shift.most, world.size() - 1);
    }
    EXPECT_EQ(steps.measure_alone(0), 0);
    EXPECT_EQ(steps.measure_alone(-3), 0);
  });
}

TEST(Step, an_error_in_a_client_ends_all_ranks) {
  struct Failing : RingClient {
    using RingClient::RingClient;
    void during(Step& step) override {
      if (rank == 1 && step.number() == 2) throw InputError("rank 1 does not like step 2.");
    }
  };
  for (const auto kind : {ProgressOptions::Kind::polling, ProgressOptions::Kind::thread})
    EXPECT_EQ(error_of([&] {
                run_in_process(3, [&](Transport& world) {
                  Failing ring(world, "ring", 2);
                  StepManager steps(world, {.progress = {.kind = kind}});
                  steps.add("ring", ring);
                  for (int i = 0; i < 5; ++i) steps.run_step();
                });
              }),
              "rank 1 does not like step 2.");
}

// A usual change of a client in a step: it regrids in after(), and calls changed().
TEST(Step, a_client_may_change_in_a_step) {
  struct Regridding : Client {
    Regridding(Transport& w, StepManager& s) : world(w), steps(s) {}
    void request(Requests& requests) override {
      requests.send((world.rank() + 1) % world.size(), 1, contiguous(std::span(out)));
      requests.receive((world.rank() + world.size() - 1) % world.size(), 1, contiguous(std::span(in)));
      ++asked;
    }
    void before(Step& step) override { std::fill(out.begin(), out.end(), static_cast<int>(step.number())); }
    void after(Step& step) override {
      EXPECT_EQ(in, std::vector<int>(out.size(), static_cast<int>(step.number())));
      if (step.number() % 2 == 0) return;
      // Not the memory itself: it is in use until the end of the step.
      steps.changed(*this);
      steps.changed(*this);  // request() is still called once
      grow = true;
    }
    void finish(Step&) override {
      if (!std::exchange(grow, false)) return;
      out.resize(out.size() + 3);
      in.resize(in.size() + 3);
    }
    Transport& world;
    StepManager& steps;
    std::vector<int> out = std::vector<int>(2), in = std::vector<int>(2);
    bool grow = false;
    int asked = 0;
  };
  on(any_ranks, [](Transport& world) {
    for (const bool coalesce : {true, false}) {
      StepManager steps(world, {.coalesce = coalesce});
      Regridding regridding(world, steps);
      RingClient ring(world, "ring", 2);
      steps.add("regridding", regridding);
      steps.add("ring", ring);
      for (int i = 0; i < 6; ++i) steps.run_step();
      EXPECT_EQ(regridding.out.size(), 2u + 3 * 3);
      EXPECT_EQ(regridding.asked, 1 + 2);  // not called after the last step
      EXPECT_THAT(steps.describe(), ::testing::HasSubstr("regridding"));
      EXPECT_EQ(regridding.asked, 1 + 3);
    }
  });
}

TEST(Step, a_client_may_change_how_the_next_step_communicates) {
  struct Switching : RingClient {
    Switching(Transport& world, StepManager& s) : RingClient(world, "switching", 2), steps(s) {}
    void during(Step& step) override {
      if (step.round() > 0) return;
      const auto grouping = step.number() % 2 == 0 ? Grouping::per_part : Grouping::per_peer;
      const auto now = steps.options().messages.grouping;
      steps.use({.coalesce = step.number() % 3 == 0, .messages = {.grouping = grouping}}, step.number() == 2);
      EXPECT_EQ(steps.options().messages.grouping, now);  // until the end of this step
      expected = grouping;
    }
    StepManager& steps;
    Grouping expected = Grouping::per_peer;
  };
  on(any_ranks, [](Transport& world) {
    StepManager steps(world);
    Switching switching(world, steps);
    RingClient ring(world, "ring", 1);
    steps.add("switching", switching);
    steps.add("ring", ring);
    for (int i = 0; i < 6; ++i) {
      steps.run_step();
      static_cast<void>(steps.describe());
      EXPECT_EQ(steps.options().messages.grouping, switching.expected);
    }
    EXPECT_EQ(ring.steps_seen, 6);
  });
}

TEST(Step, what_would_end_a_running_step_is_refused) {
  struct Misusing : RingClient {
    Misusing(Transport& world, StepManager& s, Client& o) : RingClient(world, "misusing", 1), steps(s), other(o) {}
    void after(Step& step) override {
      RingClient::after(step);
      EXPECT_THAT(error_of([&] { steps.remove(other); }), HasSubstr("remove() is called by a client in a step."));
      EXPECT_THAT(error_of([&] { steps.run_step(); }), HasSubstr("run_step() is called by a client in a step."));
      EXPECT_THAT(error_of([&] { steps.measure_alone(1); }), HasSubstr("measure_alone() is called by a client"));
      EXPECT_THAT(error_of([&] { static_cast<void>(steps.describe()); }),
                  HasSubstr("describe() is called by a client"));
    }
    StepManager& steps;
    Client& other;
  };
  on({1, 2}, [](Transport& world) {
    StepManager steps(world);
    RingClient other(world, "other", 2);
    Misusing misusing(world, steps, other);
    steps.add("misusing", misusing);
    steps.add("other", other);
    for (int i = 0; i < 3; ++i) steps.run_step();
    EXPECT_EQ(other.steps_seen, 6);
    steps.remove(other);
    steps.run_step();
    EXPECT_EQ(misusing.steps_seen, 4);
  });
}

// One that was added in the same step takes part in nothing yet.
TEST(Step, a_client_may_be_removed_in_the_step_that_added_it) {
  struct Adding : RingClient {
    Adding(Transport& world, StepManager& s, Client& o) : RingClient(world, "adding", 1), steps(s), other(o) {}
    void after(Step& step) override {
      RingClient::after(step);
      steps.add("other", other);
      steps.remove(other);
      EXPECT_THAT(error_of([&] { steps.remove(*this); }), HasSubstr("remove() is called by a client in a step."));
    }
    StepManager& steps;
    Client& other;
  };
  on({1, 2}, [](Transport& world) {
    StepManager steps(world);
    RingClient other(world, "other", 2);
    Adding adding(world, steps, other);
    steps.add("adding", adding);
    for (int i = 0; i < 3; ++i) steps.run_step();
    EXPECT_EQ(adding.steps_seen, 3);
    EXPECT_EQ(other.steps_seen, 0);
  });
}

// A step and then the program call use(): the later call wins, and superseded options are not used.
TEST(Step, the_later_use_wins) {
  struct Using : RingClient {
    Using(Transport& world, StepManager& s) : RingClient(world, "using", 1), steps(s) {}
    void during(Step&) override {
      if (const auto grouping = std::exchange(wanted, std::nullopt))
        steps.use({.messages = {.grouping = *grouping}}, keeps);
    }
    StepManager& steps;
    std::optional<Grouping> wanted;
    bool keeps = false;
  };
  on({1, 2}, [](Transport& world) {
    for (int choice = 0; choice < 8; ++choice) {
      StepManager steps(world);
      Using client(world, steps);
      steps.add("using", client);
      client.keeps = (choice & 1) != 0;
      const bool keep = (choice & 2) != 0;
      if ((choice & 4) != 0) {  // both exchanges exist already
        steps.use({.messages = {.grouping = Grouping::by_size}}, true);
        steps.run_step();
        steps.use({.messages = {.grouping = Grouping::per_part}}, true);
      }
      client.wanted = Grouping::per_part;
      steps.run_step();
      steps.use({.messages = {.grouping = Grouping::by_size}}, keep);
      EXPECT_EQ(steps.options().messages.grouping, Grouping::by_size);
      for (int i = 0; i < 2; ++i) steps.run_step();
      EXPECT_EQ(steps.options().messages.grouping, Grouping::by_size);
      client.wanted = Grouping::per_part;
      steps.run_step();
      steps.run_step();
      EXPECT_EQ(steps.options().messages.grouping, Grouping::per_part);
    }
  });
}

TEST(Step, the_later_of_use_and_coalesce_wins) {
  struct Switching : RingClient {
    Switching(Transport& world, StepManager& s) : RingClient(world, "switching", 1), steps(s) {}
    void during(Step& step) override {
      if (step.number() != 0) return;
      steps.use({.messages = {.grouping = Grouping::per_part}});
      steps.coalesce(false);
    }
    StepManager& steps;
  };
  on({1, 2}, [](Transport& world) {
    StepManager steps(world);
    Switching switching(world, steps);
    RingClient ring(world, "ring", 1);
    steps.add("switching", switching);
    steps.add("ring", ring);
    steps.run_step();
    steps.run_step();
    EXPECT_EQ(steps.options().messages.grouping, Grouping::per_part);
    EXPECT_FALSE(steps.coalesces());
    EXPECT_EQ(steps.counts().waits, 1 + 2);
  });
}

TEST(Step, the_timeline_stays_what_it_was) {
  on(1_ranks, [](Transport& world) {
    Timeline first, second;
    StepManager steps(world, {.timeline = &first});
    RingClient ring(world, "ring", 1);
    steps.add("ring", ring);
    steps.use({.timeline = &second});
    steps.run_step();
    EXPECT_EQ(steps.options().timeline, &first);
    EXPECT_THAT(second.tracks(), IsEmpty());
  });
}

// Moves its arrays. Its request() then fails `failures` times.
struct Moving : RingClient {
  Moving(Transport& world, std::string name, StepManager& s)
      : RingClient(world, std::move(name), 1), steps(s), memory(std::make_unique<std::pair<int, int>>()) {}
  void request(Requests& requests) override {
    if (failures > 0) {
      --failures;
      throw InputError(name + " can not.", true);
    }
    requests.send((rank + 1) % size, 1, contiguous(std::span(&memory->first, 1)));
    requests.receive((rank + size - 1) % size, 1, contiguous(std::span(&memory->second, 1)));
    ++asked;
  }
  void before(Step& step) override { memory->first = value(rank, step.number(), 0); }
  void after(Step& step) override {
    EXPECT_EQ(memory->second, value((rank + size - 1) % size, step.number(), 0));
    ++steps_seen;
    if (step.number() == 1) steps.changed(*this);
  }
  void move() { memory = std::make_unique<std::pair<int, int>>(); }
  StepManager& steps;
  std::unique_ptr<std::pair<int, int>> memory;
  int failures = 0, asked = 0;
};

// The exchanges may refer to memory that it has freed.
TEST(Step, a_request_that_throws_ends_the_manager) {
  both_ways({1, 3}, [](Transport& world, bool coalesce) {
    for (const bool in_step : {true, false}) {
      StepManager steps(world, {.coalesce = coalesce});
      Moving a(world, "a", steps), b(world, "bb", steps);
      for (auto* client : {&a, &b}) steps.add(client->name, *client);
      for (int i = 0; i < (in_step ? 2 : 1); ++i) steps.run_step();  // all call changed() in step 1
      barrier(world);                                                // no rank is in a step when another fails
      for (auto* client : {&a, &b}) client->move();
      b.failures = 1;
      EXPECT_THAT(error_of([&] { in_step ? steps.run_step() : steps.changed(b); }),
                  ::testing::HasSubstr("bb can not."));
      EXPECT_THAT(error_of([&] { steps.run_step(); }), ::testing::HasSubstr("bb can not.). Make a new one."));
      EXPECT_EQ(a.steps_seen, in_step ? 2 : 1);
    }
  });
}

TEST(Step, a_client_that_is_not_active_may_change) {
  both_ways({1, 2}, [](Transport& world, bool coalesce) {
    StepManager steps(world, {.coalesce = coalesce});
    Moving a(world, "a", steps);
    RingClient ring(world, "ring", 1);
    steps.add("a", a);
    steps.add("ring", ring);
    steps.run_step();
    steps.activate(a, false);
    a.move();
    steps.changed(a);
    steps.run_step();
    EXPECT_EQ(a.asked, 2);
    steps.activate(a, true);
    steps.run_step();
    EXPECT_EQ(a.steps_seen, 2);
  });
}

TEST(Step, clients_may_come_and_be_switched_in_a_step) {
  struct Hosting : RingClient {
    Hosting(Transport& world, StepManager& s) : RingClient(world, "hosting", 1), steps(s) {}
    void during(Step& step) override {
      if (step.number() == 1)
        for (auto& guest : guests) steps.add(guest.name, guest);
      if (step.number() == 3) steps.activate(guests[2], false);
      if (step.number() == 3) steps.coalesce(!steps.coalesces());
      if (step.number() == 4) steps.activate(guests[2], true);
    }
    StepManager& steps;
    std::deque<RingClient> guests;
  };
  both_ways(any_ranks, [](Transport& world, bool coalesce) {
    Timeline timeline;
    StepManager steps(world, {.coalesce = coalesce, .timeline = &timeline});
    Hosting host(world, steps);
    for (int i = 0; i < 20; ++i) host.guests.emplace_back(world, "guest " + std::to_string(i), 1 + i % 2);
    RingClient other(world, "other", 2);
    steps.add("hosting", host);
    steps.add("other", other);
    for (int i = 0; i < 6; ++i) steps.run_step();
    EXPECT_EQ(host.guests[0].steps_seen, 4);
    EXPECT_EQ(host.guests[2].steps_seen, 3);
    EXPECT_EQ(other.steps_seen, 2 * 6);
    EXPECT_EQ(steps.profile().clients.size(), 22u);
    // Each of them has its own wait, from step 4 on or until then.
    const int together = 2, apart_first = 1 + 2, apart = apart_first + 10 * 1 + 10 * 2;
    const int waits = coalesce ? 4 * together + (apart - 1) + apart : 2 * apart_first + 2 * apart + 2 * together;
    EXPECT_EQ(steps.counts().waits, waits);
  });
}

TEST(Step, is_numbered_between_steps_only) {
  struct Numbering : RingClient {
    Numbering(Transport& world, StepManager& s) : RingClient(world, "numbering", 1), steps(s) {}
    void during(Step&) override {
      EXPECT_THAT(error_of([&] { steps.start_at(7); }), ::testing::HasSubstr("start_at() is called by a client"));
    }
    StepManager& steps;
  };
  on({1, 2}, [](Transport& world) {
    StepManager steps(world);
    Numbering client(world, steps);
    steps.add("numbering", client);
    EXPECT_EQ(error_of([&] { steps.start_at(-1); }), "Step -1 is before the first step. Use 0 or more.");
    steps.start_at(4);
    steps.run_step();
    EXPECT_EQ(steps.step(), 5);
  });
}

// A phased reduction has combined when a later client throws: the step is not repeated, so it never combines again.
TEST(Step, is_not_repeated_after_an_error) {
  struct Failing : Client {
    void request(Requests&) override {}
    void after(Step& step) override {
      if (step.number() == 1) throw Error("once.", true);
    }
  };
  both_ways({2, 4}, [](Transport& world, bool coalesce) {
    StepManager steps(world, {.coalesce = coalesce});
    const double in = world.rank() + 1;
    double out = -1;
    Rounds rounds(world, Collective::all_reduce(std::span(&in, 1), std::span(&out, 1), sum<double>()));
    rounds.add_to(steps, "sum", {.pace = Pace::phased});
    Failing failing;
    steps.add("failing", failing);
    steps.run_step();
    barrier(world);  // a rank that is still in step 0 would get the error there
    out = -1;
    for (int i = 0; i < 4; ++i) EXPECT_THAT(error_of([&] { steps.run_step(); }), ::testing::HasSubstr("once."));
    EXPECT_THAT(out, ::testing::AnyOf(-1, world.size() * (world.size() + 1) / 2));
    EXPECT_THAT(error_of([&] { rounds.remove_from(steps); }), ::testing::HasSubstr("has failed"));
  });
}

// A client gets a number only when it was added successfully.
TEST(Step, a_client_that_can_not_be_added_ends_the_manager) {
  struct Wrong : Client {
    void request(Requests& requests) override { requests.barrier(-1); }
  };
  on({1, 2}, [](Transport& world) {
    StepManager steps(world);
    Wrong wrong;
    EXPECT_THAT(error_of([&] { steps.add("wrong", wrong); }), ::testing::HasSubstr("requests round -"));
    EXPECT_THAT(error_of([&] { steps.run_step(); }), ::testing::HasSubstr("Make a new one."));
  });
}

TEST(Step, describes_the_next_step) {
  on(2_ranks, [](Transport& world) {
    RingClient a(world, "a", 1), b(world, "bb", 1);
    StepManager steps(world);
    steps.add("heat", a);
    steps.add("sound", b);
    EXPECT_THAT(steps.describe(), ::testing::HasSubstr("8 bytes in 2 parts (heat, sound)"));
  });
}

// Monitors in rounds and a ring, on any number of ranks: the messages of one exchange for all clients and of one per
// client, with both settings.
TEST(Step, profile_tells_both_ways_of_communicating) {
  both_ways(any_ranks, [](Transport& world, bool coalesce) {
    RingClient a(world, "a", 1), b(world, "b", 2), rare(world, "rare", 1);
    Timeline timeline;
    StepManager steps(world, {.coalesce = coalesce, .timeline = &timeline});
    steps.add("a", a);
    steps.add("b", b);
    steps.add("rare", rare, {.every = 4, .offset = 2});
    for (int i = 0; i < 4; ++i) steps.run_step();
    const auto p = steps.profile();
    const double others = world.size() > 1 ? 1 : 0;
    ASSERT_EQ(p.clients.size(), 3u);
    EXPECT_EQ(p.steps, 4);
    EXPECT_EQ(p.computed.size(), 4u);
    EXPECT_EQ(p.clients[0].alone.messages, 4 * others);
    EXPECT_EQ(p.clients[1].alone.messages, 8 * others);
    EXPECT_EQ(p.clients[1].alone.points, 8);
    EXPECT_EQ(p.clients[1].alone.rounds, 8 * others);
    EXPECT_EQ(p.clients[2].alone.bytes, sizeof(int) * others);
    EXPECT_EQ(p.together.points, 8);
    EXPECT_EQ(p.together.messages, 8 * others);  // the parts of a and rare are in the messages of b's first round
    EXPECT_EQ(p.together.bytes, 13 * sizeof(int) * others);
    EXPECT_EQ(p.together.peers, 4 * others);
    EXPECT_GE(p.polls, 4);
    EXPECT_FALSE(p.clients[0].tree);

    steps.remove(a);
    steps.run_step();
    EXPECT_EQ(steps.profile().clients[0].alone.messages, 4 * others);  // the profile of a removed client is kept
    const auto run = run_profile(world, steps);
    EXPECT_EQ(run.ranks, world.size());
    EXPECT_EQ(run.coalesce, coalesce);
    EXPECT_EQ(run.together.points, 10.0 / 5);
    steps.reset_counts();
    EXPECT_EQ(steps.profile().steps, 0);
    EXPECT_EQ(steps.profile().together.messages, 0);
    EXPECT_EQ(steps.profile().clients[1].alone.messages, 0);
  });
}

// Rank r computes 10 + r, one more in odd steps, and rank 0 takes 4 more in the last of four steps.
TEST(Step, spread_tells_what_is_always_and_what_is_not) {
  on({2, 4}, [](Transport& world) {
    const double n = world.size(), r = world.rank();
    std::vector<double> computed = {10 + r, 11 + r, 10 + r, 11 + r + (world.rank() == 0 ? 4 : 0)};
    RunProfile p;
    set_spread(world, computed, p);
    EXPECT_NEAR(p.compute_seconds, 10.5 + (n - 1) / 2 + 1 / n, 1e-12);
    EXPECT_NEAR(p.imbalance_seconds, std::max(n - 1, 1.0) - (n - 1) / 2 - 1 / n, 1e-12);
    EXPECT_NEAR(p.worst_seconds, 3 * (1 - 1 / n), 1e-12);
    EXPECT_NEAR(p.late_seconds, (3 * (1 - 1 / n) + 3 * 1 / n) / 4, 1e-12);
    EXPECT_NEAR(p.jitter_seconds * p.jitter_seconds, 3 * (1 - 1 / n) / n, 1e-12);
  });
}

}  // namespace
}  // namespace weft
