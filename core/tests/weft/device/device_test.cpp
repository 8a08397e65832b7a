// SPDX-License-Identifier: BSD-3-Clause
//
// Exchanges, halos, steps and graphs whose parts are in memory of a test device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/core_ranks.hpp"
#include "weft/device/test_device.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/graph/graph.hpp"
#include "weft/graph/graph_exchange.hpp"
#include "weft/halo/halo_exchange.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

// A device with one queue of the program, and numbers in its memory.
struct Gpu {
  explicit Gpu(device::TestDeviceOptions options = {})
      : device(device::TestDevice::make(options)), queue(device->queue(device->make_queue())) {}
  ~Gpu() {
    device->synchronize(queue.handle());
    device->free_queue(queue.handle());
    EXPECT_EQ(device->problem(), "");
    EXPECT_EQ(device->whole_device_waits(), 0U);
  }

  std::span<double> numbers(std::size_t n) {
    const auto memory = device->allocate(n * sizeof(double));
    kept.emplace_back(memory, [of = device](std::byte* p) { of->free(p); });
    const std::span<double> made(reinterpret_cast<double*>(memory), n);
    std::ranges::fill(inside(made), -1);
    return made;
  }
  std::span<double> inside(std::span<double> numbers) const { return {device->inside(numbers.data()), numbers.size()}; }
  // A kernel sets all numbers.
  void set(std::span<double> numbers, double value) {
    device->launch(queue.handle(), [all = inside(numbers), value] { std::ranges::fill(all, value); });
  }
  // A kernel copies numbers to the host.
  void get(std::span<double> numbers, std::vector<double>& to) {
    device->launch(queue.handle(), [all = inside(numbers), &to] { to.assign(all.begin(), all.end()); });
  }
  Region on(std::span<double> numbers) const { return contiguous(numbers).on(device); }

  std::shared_ptr<device::TestDevice> device;
  device::Queue queue;
  std::vector<std::shared_ptr<std::byte>> kept;
};

TEST(OnDevice, a_ring_of_ranks_passes_numbers_on) {
  on(any_ranks, [](Transport& world) {
    Gpu gpu({.seed = static_cast<std::uint64_t>(world.rank() + 1)});
    const int right = (world.rank() + 1) % world.size(), left = (world.rank() + world.size() - 1) % world.size();
    const auto mine = gpu.numbers(1000), ghosts = gpu.numbers(1000);
    Exchange exchange(world);
    auto& client = exchange.client("ring");
    const auto out = client.send(right, 1, gpu.on(mine));
    client.receive(left, 1, gpu.on(ghosts));
    exchange.commit();
    for (int step = 0; step < 5; ++step) {
      gpu.set(mine, 100 * step + world.rank());
      auto messages = exchange.start(gpu.queue);
      messages.ready(out);
      messages.wait(gpu.queue);
      std::vector<double> seen;
      gpu.get(ghosts, seen);
      gpu.set(ghosts, -1);
      gpu.device->synchronize(gpu.queue.handle());
      EXPECT_EQ(seen, std::vector<double>(1000, 100 * step + left));
    }
    auto messages = exchange.start();
    gpu.set(mine, 7);
    messages.ready(out, gpu.queue);
    messages.wait();
    EXPECT_EQ(gpu.inside(ghosts)[999], 7);  // the host has waited
  });
}

TEST(OnDevice, a_library_may_get_addresses_of_the_device) {
  on(any_ranks, [](Transport& world) {
    for (const bool packs : {false, true}) {
      Gpu gpu({.is_open = true});
      const int right = (world.rank() + 1) % world.size(), left = (world.rank() + world.size() - 1) % world.size();
      const auto mine = gpu.numbers(300), ghosts = gpu.numbers(300);
      Exchange exchange(world, {.messages = {.direct_from_device = true}});
      auto& client = exchange.client("ring");
      std::vector<SendPart> out;
      for (std::size_t k = 0; k < (packs ? 3 : 1); ++k) {
        const auto n = packs ? 100 : 300;
        out.push_back(client.send(right, k, gpu.on(mine.subspan(k * n, n))));
        client.receive(left, k, gpu.on(ghosts.subspan(k * n, n)));
      }
      exchange.commit();
      std::array<std::vector<double>, 5> seen;
      for (int step = 0; step < 5; ++step) {
        gpu.set(mine, 10 * step + world.rank());
        auto messages = exchange.start(gpu.queue);
        for (const auto part : out) messages.ready(part);
        messages.wait(gpu.queue);
        gpu.get(ghosts, seen[static_cast<std::size_t>(step)]);
        gpu.set(ghosts, -1);  // the next receive must come after it
      }
      gpu.device->synchronize(gpu.queue.handle());
      for (std::size_t step = 0; step < 5; ++step)
        EXPECT_EQ(seen[step], std::vector<double>(300, 10 * static_cast<double>(step) + left));
    }
  });
}

TEST(OnDevice, what_is_wrong_is_said_in_a_sentence) {
  on(1_ranks, [](Transport& world) {
    Gpu gpu, other;
    std::vector<double> host(4), host2(4);
    const auto a = gpu.numbers(4), b = gpu.numbers(4);
    const auto fails = [&](const std::function<void(Requests&)>& list) {
      return error_of([&] {
        Exchange exchange(world);
        auto& client = exchange.client("c");
        client.send(0, 9, gpu.on(a));
        client.receive(0, 9, gpu.on(b));
        list(client);
        exchange.commit();
      });
    };
    EXPECT_THAT(fails([&](Requests& c) {
                  c.send(0, 1, contiguous(a));
                  c.receive(0, 1, contiguous(std::span(host)));
                }),
                AllOf(HasSubstr("Client 'c', key 1 to rank 0 is in memory of"), HasSubstr("on() the device")));
    EXPECT_THAT(fails([&](Requests& c) {
                  c.send(0, 1, contiguous(std::span(host)).on(gpu.device));
                  c.receive(0, 1, contiguous(std::span(host2)));
                }),
                HasSubstr("key 1 to rank 0 is not in memory of"));
    EXPECT_THAT(fails([&](Requests& c) { c.all_reduce(std::span<const double>(a), std::span(host), sum<double>()); }),
                HasSubstr("all_reduce 0 is in memory of"));
    EXPECT_THAT(fails([&](Requests& c) {
                  c.send_up_to(0, 1, gpu.on(a));
                  c.receive_up_to(0, 1, contiguous(std::span(host)));
                }),
                HasSubstr("is a part of up to n bytes in memory of a device"));
    EXPECT_THAT(fails([&](Requests& c) {
                  c.send(0, 1, contiguous(std::span(host)));
                  c.receive(0, 1, gpu.on(a),
                            {.combine = reduction<double>([](const double& x, const double& y) { return x * y; })});
                }),
                HasSubstr("is combined by a function that"));
    EXPECT_THAT(fails([&](Requests& c) {
                  c.send(0, 1, contiguous(std::span(host)));
                  c.receive(0, 1, indexed(a.data(), {0, 2, 0, 1}).on(gpu.device), {.combine = sum<double>()});
                }),
                HasSubstr("combines into an element twice"));
    EXPECT_THAT(error_of([&] { Buffers({gpu.on(a), contiguous(std::span(host))}); }), HasSubstr("different devices"));
    std::vector<std::byte> bytes(32);
    EXPECT_THAT(error_of([&] { gpu.on(a).pack(bytes.data()); }), HasSubstr("Memory of a device can't be used here"));

    Exchange exchange(world);
    auto& client = exchange.client("c");
    const auto out = client.send(0, 1, gpu.on(a)), from_host = client.send(0, 2, contiguous(std::span(host)));
    client.receive(0, 1, gpu.on(b));
    client.receive(0, 2, contiguous(std::span(host2)));
    exchange.commit();
    auto messages = exchange.start();
    EXPECT_THAT(error_of([&] { messages.ready(out); }),
                HasSubstr("marked ready without a queue. Give ready(), or start()"));
    EXPECT_THAT(error_of([&] { messages.ready(out, other.queue); }), HasSubstr("Give a queue of the part's device"));
    EXPECT_THAT(error_of([&] { messages.ready(from_host, gpu.queue); }), HasSubstr("is in memory of the host"));
    messages.ready(out, gpu.queue);
    messages.ready(from_host);
    messages.wait();
  });
}

TEST(OnDevice, two_buffers_given_memory_and_parts_of_the_host_share_messages) {
  on(2_ranks, [](Transport& world) {
    Gpu gpu({.threads = 2});
    const int peer = 1 - world.rank();
    const auto even = gpu.numbers(50), odd = gpu.numbers(50), target = gpu.numbers(50);
    std::vector<std::span<double>> given_to{gpu.numbers(20), gpu.numbers(20)};
    std::vector<double> host(30), host_target(30), given_from(20, 3);
    Exchange exchange(world);
    auto& client = exchange.client("c");
    const auto a = client.send(peer, 1, Buffers({gpu.on(even), gpu.on(odd)}));
    const auto b = client.send(peer, 2, contiguous(std::span(host)));
    const auto c = client.send(peer, 3, contiguous(std::span(given_from)));
    client.receive(peer, 1, gpu.on(target));
    client.receive(peer, 2, contiguous(std::span(host_target)));
    const auto into = client.receive(peer, 3, given(20 * sizeof(double), gpu.device));
    exchange.commit();
    for (int step = 0; step < 4; ++step) {
      const auto& given_now = given_to[static_cast<std::size_t>(step / 2)];
      exchange.rebind(into, gpu.on(given_now));
      EXPECT_THAT(error_of([&] { exchange.rebind(into, contiguous(std::span(host).first(20))); }),
                  HasSubstr("memory of another device"));
      auto messages = exchange.start(gpu.queue, static_cast<std::uint64_t>(step));
      gpu.set(step % 2 == 0 ? even : odd, 10 * step + world.rank());
      std::ranges::fill(host, step);
      messages.ready(b);
      messages.ready(a);
      messages.ready(c);
      messages.wait();
      EXPECT_EQ(gpu.inside(target)[49], 10 * step + peer);
      EXPECT_EQ(host_target[29], step);
      EXPECT_EQ(gpu.inside(given_now)[19], 3);
      gpu.set(given_now, -1);
    }
  });
}

TEST(OnDevice, a_continuation_sends_what_it_has_queued) {
  on(2_ranks, [](Transport& world) {
    Gpu gpu;
    const int peer = 1 - world.rank();
    const auto first = gpu.numbers(10), first_in = gpu.numbers(10), second = gpu.numbers(10),
               second_in = gpu.numbers(10);
    Exchange exchange(world);
    auto& client = exchange.client("c");
    client.send(peer, 1, gpu.on(first), 0);
    client.receive(peer, 1, gpu.on(first_in), 0);
    client.send(peer, 2, gpu.on(second), 1);
    client.receive(peer, 2, gpu.on(second_in), 1);
    client.continuation(0, [&] {
      gpu.device->launch(gpu.queue.handle(), [from = gpu.inside(first_in), to = gpu.inside(second)] {
        std::ranges::transform(from, to.begin(), [](double x) { return x + 1; });
      });
    });
    exchange.commit();
    for (int step = 0; step < 3; ++step) {
      gpu.set(first, 10 * step);
      auto messages = exchange.start(gpu.queue);
      messages.ready_all(0, 0);
      messages.wait(gpu.queue);
      std::vector<double> seen;
      gpu.get(second_in, seen);
      gpu.device->synchronize(gpu.queue.handle());
      EXPECT_EQ(seen, std::vector<double>(10, 10 * step + 1));
    }
  });
}

// The same halo on the device and on the host.
TEST(OnDevice, halos_are_as_on_the_host) {
  on(any_ranks, [](Transport& world) {
    for (const auto scheme : {HaloOptions::Scheme::direct, HaloOptions::Scheme::by_dimension})
      for (const auto flow : {HaloOptions::Flow::fill, HaloOptions::Flow::reverse})
        for (const bool structures : {false, true}) {
          Gpu gpu({.seed = 5});
          const CartesianGrid grid(world, {.extent = {6, 8, 4}, .periodic = {true, true, true}});
          const auto block = grid.block().count;
          const auto points = (block[0] + 2) * (block[1] + 2) * (block[2] + 2), n = 3 * points;
          std::vector<double> host(n);
          for (std::size_t i = 0; i < n; ++i)
            host[i] = static_cast<double>(1000 * world.rank()) + static_cast<double>(i);
          const auto on_gpu = gpu.numbers(n);
          gpu.device->launch(gpu.queue.handle(),
                             [all = gpu.inside(on_gpu), host] { std::ranges::copy(host, all.begin()); });
          const auto make = [&](double* data, const std::shared_ptr<device::Device>& device) {
            Halo halo(grid, {.scheme = scheme, .flow = flow});
            auto field = structures ? array_of_structures(data, 3) : structure_of_arrays(data, 3);
            field.device = device;
            if (flow == HaloOptions::Flow::reverse) field.combine = sum<double>();
            halo.add(field);
            return halo;
          };
          HaloExchange expected(world, make(host.data(), nullptr)), exchange(world, make(on_gpu.data(), gpu.device));
          const auto second = gpu.device->queue(gpu.device->make_queue());
          std::vector<double> seen;
          for (int step = 0; step < 2; ++step) {
            expected.start();
            expected.finish();
            exchange.start(gpu.queue);
            exchange.finish(step == 0 ? gpu.queue : second);  // which waits for all rounds
          }
          gpu.device->launch(second.handle(),
                             [all = gpu.inside(on_gpu), &seen] { seen.assign(all.begin(), all.end()); });
          gpu.device->synchronize(second.handle());
          gpu.device->free_queue(second.handle());
          EXPECT_EQ(seen, host);
        }
  });
}

TEST(OnDevice, a_continuation_shares_a_message_with_a_part_of_another_queue) {
  on(2_ranks, [](Transport& world) {
    Gpu gpu, other;
    const auto second = gpu.device->queue(gpu.device->make_queue());
    const int peer = 1 - world.rank();
    const auto a = gpu.numbers(5), b = gpu.numbers(5), c = other.numbers(5), a_in = gpu.numbers(5),
               b_in = gpu.numbers(5), c_in = other.numbers(5);
    Exchange exchange(world);
    auto& chained = exchange.client("chained");
    chained.send(peer, 1, gpu.on(a), 0);
    chained.receive(peer, 1, gpu.on(a_in), 0);
    chained.send(peer, 2, gpu.on(a_in), 1);
    chained.receive(peer, 2, gpu.on(a), 1);
    chained.continuation(0, [&] { gpu.set(a_in, 7); });
    auto& free = exchange.client("free");
    const auto of_b = free.send(peer, 3, gpu.on(b), 1), of_c = free.send(peer, 4, other.on(c), 1);
    free.receive(peer, 3, gpu.on(b_in), 1);
    free.receive(peer, 4, other.on(c_in), 1);
    exchange.commit();
    EXPECT_THAT(error_of([&] { static_cast<void>(exchange.start()); }), HasSubstr("sent by a continuation"));
    auto messages = exchange.start(gpu.queue);
    gpu.set(a, 1);
    gpu.device->launch(second.handle(), [all = gpu.inside(b)] { std::ranges::fill(all, 3); });
    other.set(c, 4);
    messages.ready_all(0, 0);
    messages.wait(0);
    messages.ready(of_b, second);
    messages.ready(of_c, other.queue);
    messages.wait(1);
    EXPECT_EQ(gpu.inside(a)[4], 7);
    EXPECT_EQ(gpu.inside(b_in)[4], 3);
    EXPECT_EQ(other.inside(c_in)[4], 4);
    gpu.device->free_queue(second.handle());
  });
}

TEST(OnDevice, a_wait_that_was_refused_is_forgotten) {
  on(2_ranks, [](Transport& world) {
    Gpu gpu;
    const int peer = 1 - world.rank();
    const auto out = gpu.numbers(9), in = gpu.numbers(9);
    Exchange exchange(world);
    auto& client = exchange.client("c");
    const auto part = client.send(peer, 1, gpu.on(out));
    client.receive(peer, 1, gpu.on(in));
    exchange.commit();
    auto messages = exchange.start(gpu.queue);
    gpu.set(out, 5);
    EXPECT_THAT(error_of([&] { messages.wait(gpu.queue); }), HasSubstr("was not marked ready"));
    messages.ready(part);
    messages.wait();
    EXPECT_EQ(gpu.inside(in)[8], 5);
  });
}

TEST(OnDevice, memory_that_is_given_later) {
  on(2_ranks, [](Transport& world) {
    Gpu gpu;
    const int peer = 1 - world.rank();
    const std::vector<std::size_t> index{3, 0, 2};
    const auto out = gpu.numbers(3), first = gpu.numbers(4), second = gpu.numbers(4), third = gpu.numbers(4);
    std::vector<double> host(4);
    Exchange exchange(world);
    auto& client = exchange.client("c");
    const auto part = client.send(peer, 1, gpu.on(out));
    const auto into = client.receive(peer, 1, given(3 * sizeof(double), gpu.device));
    exchange.commit();
    const auto at = [&](std::span<double> memory) { return indexed(memory.data(), index).on(gpu.device); };
    for (int step = 0; step < 4; ++step) {
      exchange.rebind(into, at(step % 2 == 0 ? first : second));
      if (step == 2) exchange.rebind(into, at(third));  // its queue may still unpack into the first
      auto messages = exchange.start(gpu.queue);
      gpu.set(out, step);
      messages.ready(part);
      messages.wait(gpu.queue);
    }
    gpu.device->synchronize(gpu.queue.handle());
    EXPECT_EQ(gpu.inside(first)[3], 0);
    EXPECT_EQ(gpu.inside(third)[2], 2);
    EXPECT_EQ(gpu.inside(second)[0], 3);
    EXPECT_THAT(error_of([&] { exchange.rebind(into, indexed(host.data(), index).on(gpu.device)); }),
                HasSubstr("is not in memory of"));
  });
}

// A node's memory that the receiver reads without packing: for a part on a device it is staged beside what other parts
// use.
TEST(OnDevice, parts_of_a_device_and_of_the_host_come_from_memory_of_the_node) {
  on(2_ranks, [](Transport& world) {
    if (!world.has(Ability::shared_memory)) return;
    Gpu gpu;
    const int peer = 1 - world.rank();
    const std::shared_ptr<SharedMemory> memory = world.share(8 * sizeof(double));
    const std::span mine(reinterpret_cast<double*>(memory->at(world.rank())), 8);
    std::vector<double> sums(8, 1);
    const auto in = gpu.numbers(4);
    Exchange exchange(world, {.messages = {.shared_memory = true}, .memory = memory});
    auto& client = exchange.client("c");
    const auto a = client.send(peer, 1, strided(mine.data(), {{4, 2 * sizeof(double)}}));
    const auto b = client.send(peer, 2, strided(mine.data() + 1, {{4, 2 * sizeof(double)}}));
    client.receive(peer, 1, gpu.on(in));
    client.receive(peer, 2, strided(sums.data(), {{4, 2 * sizeof(double)}}), {.combine = sum<double>()});
    exchange.commit();
    std::iota(mine.begin(), mine.end(), 10 * world.rank());
    auto messages = exchange.start(gpu.queue);
    messages.ready(a);
    messages.ready(b);
    messages.wait(gpu.queue);
    std::vector<double> seen;
    gpu.get(in, seen);
    gpu.device->synchronize(gpu.queue.handle());
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(seen[i], 10.0 * peer + 2.0 * static_cast<double>(i));
      EXPECT_EQ(sums[2 * i], 1 + 10.0 * peer + 2.0 * static_cast<double>(i) + 1);
    }
    barrier(world);
  });
}

TEST(OnDevice, a_graph_fills_copies_and_adds_them) {
  on(any_ranks, [](Transport& world) {
    Gpu gpu;
    const auto rank = static_cast<std::uint64_t>(world.rank()), ranks = static_cast<std::uint64_t>(world.size());
    const std::array owns{rank, rank + ranks}, wants{(rank + 1) % ranks, rank + ranks};  // of the right rank, and own
    const Graph graph(world, owns, wants);
    const auto owned = gpu.numbers(2), copies = gpu.numbers(2);
    const auto values = [&](std::span<double> of) { return Values(gpu.on(of), sizeof(double), {}); };
    GraphExchange fill(world, graph, {{values(owned), values(copies)}});
    GraphExchange add(world, graph, {{values(owned), values(copies), sum<double>()}}, GraphFlow::to_owners);
    gpu.set(owned, 10.0 * world.rank());
    fill.start(gpu.queue);
    fill.finish(gpu.queue);
    std::vector<double> filled, added;
    gpu.get(copies, filled);
    gpu.set(copies, 1);
    add.start(gpu.queue);
    add.finish(gpu.queue);
    gpu.get(owned, added);
    gpu.device->synchronize(gpu.queue.handle());
    EXPECT_EQ(filled, (std::vector{10.0 * ((world.rank() + 1) % world.size()), 10.0 * world.rank()}));
    EXPECT_EQ(added, std::vector<double>(2, 10.0 * world.rank() + 1));
  });
}

class Ring : public Client {
 public:
  Ring(Transport& world, Gpu& gpu)
      : gpu_(gpu), rank_(world.rank()), right_((rank_ + 1) % world.size()),
        left_((rank_ + world.size() - 1) % world.size()), mine_(gpu.numbers(64)), ghosts_(gpu.numbers(64)) {}
  void request(Requests& requests) override {
    requests.send(right_, 1, gpu_.on(mine_));
    requests.receive(left_, 1, gpu_.on(ghosts_));
  }
  void before(Step& step) override {
    EXPECT_EQ(step.queue().handle(), gpu_.queue.handle());
    gpu_.set(mine_, static_cast<double>(100 * step.number() + rank_));
  }
  void after(Step& step) override {
    gpu_.device->launch(gpu_.queue.handle(), [this, number = step.number()] {
      for (const double value : gpu_.inside(ghosts_))
        wrong += value != static_cast<double>(100 * number + left_) ? 1 : 0;
      ++checked;
    });
  }
  int wrong = 0, checked = 0;

 private:
  Gpu& gpu_;
  int rank_, right_, left_;
  std::span<double> mine_, ghosts_;
};

TEST(OnDevice, the_reference_scheme_is_the_hosts) {
  on(1_ranks, [](Transport& world) {
    Gpu gpu;
    Halo halo(CartesianGrid(world, {.extent = {8}, .periodic = {true}}), {.scheme = HaloOptions::Scheme::reference});
    auto field = scalar(gpu.numbers(10).data());
    field.device = gpu.device;
    halo.add(field);
    HaloExchange exchange(world, halo);
    exchange.start();
    EXPECT_THAT(error_of([&] { exchange.finish(); }), HasSubstr("reads fields on the host"));
  });
}

// Clients on two devices, of which the step's queue is on one.
class OnTwo : public Client {
 public:
  OnTwo(Gpu& first, Gpu& second)
      : second_(second), out_(first.numbers(4)), in_(first.numbers(4)), other_(second.numbers(4)),
        other_in_(second.numbers(4)), on_(first.on(out_)), on_in_(first.on(in_)) {}
  void request(Requests& requests) override {
    requests.send(0, 1, on_);
    requests.receive(0, 1, on_in_);
    part_ = requests.send(0, 2, second_.on(other_));
    requests.receive(0, 2, second_.on(other_in_));
  }
  void before(Step& step) override {
    second_.set(other_, static_cast<double>(step.number()));
    step.ready(part_, second_.queue);
  }
  void after(Step& step) override { EXPECT_EQ(second_.inside(other_in_)[3], static_cast<double>(step.number())); }

 private:
  Gpu& second_;
  std::span<double> out_, in_, other_, other_in_;
  Region on_, on_in_;
  SendPart part_{};
};

TEST(OnDevice, a_client_has_parts_on_two_devices) {
  on(1_ranks, [](Transport& world) {
    Gpu first, second;
    OnTwo client(first, second);
    StepManager steps(world);
    steps.add("two", client);
    for (int i = 0; i < 3; ++i) steps.run_step(first.queue);
    EXPECT_GE(steps.measure_alone(2), 0);
    steps.run_step(first.queue);
  });
}

TEST(OnDevice, clients_of_a_step_use_its_queue) {
  on(any_ranks, [](Transport& world) {
    for (const bool coalesce : {true, false}) {
      Gpu gpu;
      Ring a(world, gpu), b(world, gpu);
      StepManager steps(world, {.coalesce = coalesce});
      steps.add("a", a);
      steps.add("b", b);
      for (int i = 0; i < 4; ++i) steps.run_step(gpu.queue);
      steps.measure_alone(3);  // changes nothing
      steps.run_step(gpu.queue);
      gpu.device->synchronize(gpu.queue.handle());
      for (const auto* ring : {&a, &b}) {
        EXPECT_EQ(ring->wrong, 0);
        EXPECT_EQ(ring->checked, 5);
      }
    }
  });
}

TEST(OnDevice, read_and_write_copy_regions_of_both) {
  Gpu gpu;
  const auto numbers = gpu.numbers(12);
  std::vector<double> in(4), out(4);
  std::iota(in.begin(), in.end(), 1);
  const auto column = [&](double* data) { return box(data, {4, 3}, {0, 1}, {4, 1}); };
  device::write(column(numbers.data()).on(gpu.device), reinterpret_cast<const std::byte*>(in.data()));
  device::read(column(numbers.data()).on(gpu.device), reinterpret_cast<std::byte*>(out.data()));
  EXPECT_EQ(out, in);
  EXPECT_EQ(gpu.inside(numbers)[7], 3);
  EXPECT_EQ(gpu.inside(numbers)[8], -1);
}

}  // namespace
}  // namespace weft
