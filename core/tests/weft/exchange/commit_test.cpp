// SPDX-License-Identifier: BSD-3-Clause
//
// Requests that commit() refuses. Every rank must throw the same text, which must identify both ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <functional>

#include "tests/support/core_ranks.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<std::int64_t> memory(64);
Region run(std::size_t n, std::size_t first = 0) { return contiguous(std::span(memory).subspan(first, n)); }
std::span<const std::int64_t> in(std::size_t n) { return std::span(memory).first(n); }
std::span<std::int64_t> out(std::size_t n) { return std::span(memory).last(n); }

// The text that commit() throws, the same on all ranks and marked so.
std::string refusal(Transport& world, const std::function<void(Exchange&)>& register_all) {
  Exchange exchange(world);
  register_all(exchange);
  std::string text = "no error";
  try {
    exchange.commit();
  } catch (const Error& e) {
    text = e.what();
    EXPECT_TRUE(e.everywhere());
  }
  for (const auto& other : all_gather(world, text)) EXPECT_EQ(other, text);
  return text;
}

TEST(Commit, tells_two_sizes) {
  on(3_ranks, [](Transport& world) {
    EXPECT_EQ(refusal(world,
                      [&](Exchange& exchange) {
                        auto& heat = exchange.client("heat");
                        if (world.rank() == 1) heat.send(2, 7, run(1));
                        if (world.rank() == 2) heat.receive(1, 7, run(2));
                      }),
              "Client 'heat', key 7 has two sizes (rank 1 sends 8 bytes, rank 2 receives 16 bytes). Register the same "
              "size on both ends.");
  });
}

TEST(Commit, tells_two_types) {
  on(3_ranks, [](Transport& world) {
    std::array<double, 4> real{};
    std::array<float, 8> single{};
    std::array<std::uint64_t, 4> natural{};
    std::array<std::byte, 32> bytes{};
    std::array<std::complex<float>, 4> complex{};
    struct Pair {
      float a, b;
    };
    std::array<Pair, 4> pairs{};
    const std::vector<std::pair<Region, std::string>> all{
        {contiguous(std::span(real).first(2)), "float64"},
        {strided(single.data(), {{2, 16}, {2, 4}}), "float32"},
        {box(natural.data(), {4}, {1}, {2}), "uint64"},
        {indexed(complex.data(), {2, 0}), "complex64"},
        {run(2), "int64"},
        {contiguous(std::span(bytes).first(16)), ""},
        {contiguous(std::span(pairs).first(2)), ""},
    };
    for (const auto& [sent, of_sent] : all)
      for (const auto& [received, of_received] : all) {
        const auto text = refusal(world, [&, from = sent, to = received](Exchange& exchange) {
          auto& heat = exchange.client("heat");
          if (world.rank() == 1) heat.send(2, 7, from);
          if (world.rank() == 2) heat.receive(1, 7, to);
        });
        EXPECT_EQ(text, of_sent == of_received || of_sent.empty() || of_received.empty()
                            ? "no error"
                            : "Client 'heat', key 7 has two types (rank 1 sends " + of_sent + ", rank 2 receives " +
                                  of_received + ", whose bits mean something else). Use one type on both ends.");
      }
  });
}

TEST(Commit, tells_two_types_of_a_collective) {
  on(3_ranks, [](Transport& world) {
    static std::vector<double> real(64);
    const bool is_odd = world.rank() == 1;
    using Call = std::function<void(Requests&)>;
    const auto list = [&](const Call& one, const Call& other) {
      return refusal(world, [&](Exchange& exchange) { (is_odd ? other : one)(exchange.client("heat")); });
    };
    const std::span<const double> from = std::span(real).first(1), from3 = std::span(real).first(3);
    const std::span<double> to = std::span(real).last(3), to1 = std::span(real).last(1);
    EXPECT_THAT(list([](auto& c) { c.broadcast(0, out(2)); }, [&](auto& c) { c.broadcast(0, to.first(2)); }),
                AllOf(HasSubstr("broadcast of 16 bytes, root 0, round 0, of int64"),
                      HasSubstr("broadcast of 16 bytes, root 0, round 0, of float64")));
    EXPECT_THAT(list(
                    [](auto& c) {
                      c.all_gather(in(1), out(3), {1, 1, 1});
                    },
                    [&](auto& c) {
                      c.all_gather(from, to, {1, 1, 1});
                    }),
                AllOf(HasSubstr("int64"), HasSubstr("float64")));
    EXPECT_THAT(list(
                    [](auto& c) {
                      c.all_to_all(in(3), {1, 1, 1}, out(3), {1, 1, 1});
                    },
                    [&](auto& c) {
                      c.all_to_all(from3, {1, 1, 1}, to, {1, 1, 1});
                    }),
                AllOf(HasSubstr("int64"), HasSubstr("float64")));
    EXPECT_THAT(list([](auto& c) { c.all_reduce(in(1), out(1), sum<std::int64_t>()); },
                     [&](auto& c) { c.all_reduce(from, to1, sum<double>()); }),
                AllOf(HasSubstr("sum of int64"), HasSubstr("sum of float64")));
    // Bytes agree with every type.
    EXPECT_EQ(
        list([](auto& c) { c.broadcast(0, out(2)); }, [](auto& c) { c.broadcast(0, std::as_writable_bytes(out(2))); }),
        "no error");
  });
}

TEST(Commit, tells_a_missing_receive) {
  on(3_ranks, [](Transport& world) {
    EXPECT_EQ(refusal(world,
                      [&](Exchange& exchange) {
                        auto& heat = exchange.client("heat");
                        if (world.rank() == 1) heat.send(2, 7, run(1));
                      }),
              "Client 'heat', key 7 has no receive (rank 1 sends 8 bytes, but rank 2 receives 0 bytes: nothing under "
              "that key). Register it on both ends.");
  });
}

TEST(Commit, tells_a_missing_send) {
  on(3_ranks, [](Transport& world) {
    EXPECT_EQ(refusal(world,
                      [&](Exchange& exchange) {
                        auto& heat = exchange.client("heat");
                        if (world.rank() == 0) heat.receive(2, 7, run(3));
                      }),
              "Client 'heat', key 7 has no send (rank 2 sends 0 bytes: nothing under that key, but rank 0 receives 24 "
              "bytes). Register it on both ends.");
  });
}

TEST(Commit, tells_ends_that_name_different_peers) {
  on(3_ranks, [](Transport& world) {
    const auto text = refusal(world, [&](Exchange& exchange) {
      auto& heat = exchange.client("heat");
      if (world.rank() == 0) heat.send(1, 7, run(1));
      if (world.rank() == 1) heat.receive(2, 7, run(1));
    });
    EXPECT_THAT(text, AllOf(HasSubstr("Client 'heat', key 7"), HasSubstr("rank 1"), HasSubstr("8 bytes")));
  });
}

TEST(Commit, tells_ends_of_different_clients) {
  on(2_ranks, [](Transport& world) {
    const auto text = refusal(world, [&](Exchange& exchange) {
      if (world.rank() == 0) exchange.client("heat").send(1, 7, run(1));
      if (world.rank() == 1) exchange.client("sound").receive(0, 7, run(1));
    });
    EXPECT_THAT(text,
                AllOf(HasSubstr("Client 'heat', key 7 has no receive"), HasSubstr("More such errors on rank 1: 1.")));
  });
}

TEST(Commit, tells_two_rounds) {
  on(2_ranks, [](Transport& world) {
    EXPECT_EQ(refusal(world,
                      [&](Exchange& exchange) {
                        auto& heat = exchange.client("heat");
                        if (world.rank() == 0) heat.send(1, 7, run(1), 0);
                        if (world.rank() == 1) heat.receive(0, 7, run(1), 2);
                      }),
              "Client 'heat', key 7 has two rounds (rank 0 sends 8 bytes in round 0, rank 1 receives 8 bytes in round "
              "2). Use the same round on both ends.");
  });
}

TEST(Commit, tells_a_key_that_is_used_twice) {
  on(2_ranks, [](Transport& world) {
    EXPECT_THAT(refusal(world,
                        [&](Exchange& exchange) {
                          auto& heat = exchange.client("heat");
                          for (int i = 0; i < 2; ++i)
                            if (world.rank() == 0)
                              heat.send(1, 7, run(1), i);
                            else
                              heat.receive(0, 7, run(1), i);
                        }),
                HasSubstr("Client 'heat', key 7 is used twice (rank 0 to rank 1). Give each part its own key."));
  });
}

TEST(Commit, tells_a_rank_that_is_not_there) {
  on(2_ranks, [](Transport& world) {
    for (const int peer : {-1, 2})
      EXPECT_EQ(refusal(world,
                        [&](Exchange& exchange) {
                          auto& heat = exchange.client("heat");
                          if (world.rank() == 1) heat.send(peer, 7, run(1));
                        }),
                "Client 'heat', key 7 names rank " + std::to_string(peer) + ". Use 0 to 1.");
  });
}

TEST(Commit, tells_names_that_reports_can_not_show) {
  on(1_ranks, [](Transport& world) {
    Exchange exchange(world);
    for (const auto& name : {std::string(), std::string(48, 'n')})
      EXPECT_THAT(error_of([&] { exchange.client(name); }), HasSubstr("letters. Use 1 to 47"));
    for (const std::string name : {"a \"quote\"", "back\\slash", "two\nlines"})
      EXPECT_THAT(error_of([&] { exchange.client(name); }), HasSubstr("Use letters, digits and blanks"));
    EXPECT_THAT(error_of([&] { exchange.client("exchange"); }),
                HasSubstr("the times of all clients. Use another name"));
    exchange.client("Kanäle, 2").barrier();
    EXPECT_EQ(error_of([&] { exchange.commit(); }), "no error");
  });
}

TEST(Commit, accepts_the_same_key_in_other_clients_directions_and_peers) {
  on(2_ranks, [](Transport& world) {
    const int other = 1 - world.rank();
    std::size_t next = 0;
    EXPECT_EQ(refusal(world,
                      [&](Exchange& exchange) {
                        for (const auto* name : {"heat", "sound"}) {
                          auto& client = exchange.client(name);
                          for (const int peer : {other, world.rank()}) {
                            client.send(peer, 7, run(1));
                            client.receive(peer, 7, run(1, next++));
                          }
                        }
                      }),
              "no error");
  });
}

// A reduction of another type than the elements' does not compile.
template <class T, class R>
concept ReducesInExchange = requires(Requests& c, std::span<const T> in, std::span<T> out, R how) {
  c.all_reduce(in, out, how);
  c.reduce(0, in, out, how);
};
static_assert(ReducesInExchange<float, Reduction<float>>);
static_assert(!ReducesInExchange<float, Reduction<double>>);
static_assert(!ReducesInExchange<double, Reduction<float>>);
static_assert(!ReducesInExchange<int, Reduction<unsigned>>);
static_assert(!ReducesInExchange<float, ReductionOfBytes>);

struct Difference {
  const char* name;
  std::function<void(Requests&)> on_root, elsewhere;
};

TEST(Commit, tells_collectives_that_differ) {
  on({2, 3}, [](Transport& world) {
    const std::vector<Difference> differences{
        {"kind", [](Requests& c) { c.all_reduce(in(2), out(2), sum<std::int64_t>()); },
         [](Requests& c) { c.barrier(); }},
        {"size", [](Requests& c) { c.all_reduce(in(2), out(2), sum<std::int64_t>()); },
         [](Requests& c) { c.all_reduce(in(3), out(3), sum<std::int64_t>()); }},
        {"operation", [](Requests& c) { c.all_reduce(in(2), out(2), sum<std::int64_t>()); },
         [](Requests& c) { c.all_reduce(in(2), out(2), maximum<std::int64_t>()); }},
        {"root", [](Requests& c) { c.broadcast(0, out(2)); }, [](Requests& c) { c.broadcast(1, out(2)); }},
        {"size of a broadcast", [](Requests& c) { c.broadcast(0, out(2)); },
         [](Requests& c) { c.broadcast(0, out(1)); }},
        {"round", [](Requests& c) { c.barrier(0); }, [](Requests& c) { c.barrier(1); }},
        {"missing on the root", [](Requests&) {}, [](Requests& c) { c.barrier(); }},
        {"missing elsewhere", [](Requests& c) { c.barrier(); }, [](Requests&) {}},
    };
    const int last = world.size() - 1;
    for (const auto& difference : differences) {
      SCOPED_TRACE(difference.name);
      const auto text = refusal(world, [&](Exchange& exchange) {
        auto& heat = exchange.client("heat");
        (world.rank() == last ? difference.elsewhere : difference.on_root)(heat);
      });
      EXPECT_THAT(text, AllOf(HasSubstr("The ranks disagree on a collective (rank 0 has"),
                              HasSubstr("client 'heat', collective 0"),
                              HasSubstr("rank " + std::to_string(last) + " has"), HasSubstr("bytes")));
    }
  });
}

TEST(Commit, tells_both_sizes_of_a_reduction) {
  on(2_ranks, [](Transport& world) {
    EXPECT_EQ(
        refusal(world,
                [&](Exchange& exchange) {
                  const auto n = static_cast<std::size_t>(2 + world.rank());
                  exchange.client("heat").all_reduce(in(n), out(n), sum<std::int64_t>(), 1);
                }),
        "The ranks disagree on a collective (rank 0 has client 'heat', collective 0: all_reduce of 16 bytes (sum "
        "of int64), root 0, round 1; "
        "rank 1 has client 'heat', collective 0: all_reduce of 24 bytes (sum of int64), root 0, round 1). List the "
        "same collectives on every rank.");
  });
}

TEST(Commit, tells_both_operations_and_types_of_a_reduction) {
  on(2_ranks, [](Transport& world) {
    double number = 1, result = 0;
    const auto text = refusal(world, [&](Exchange& exchange) {
      auto& heat = exchange.client("heat");
      if (world.rank() == 0)
        heat.all_reduce(std::span<const double>(&number, 1), std::span(&result, 1), maximum<double>());
      else
        heat.all_reduce(in(1), out(1), minimum<std::int64_t>());
    });
    EXPECT_THAT(text, AllOf(HasSubstr("all_reduce of 8 bytes (maximum of float64)"),
                            HasSubstr("all_reduce of 8 bytes (minimum of int64)")));
  });
}

TEST(Commit, tells_shares_that_differ) {
  on(2_ranks, [](Transport& world) {
    const auto text = refusal(world, [&](Exchange& exchange) {
      // Rank 1 contributes 3 elements, rank 0 expects 2 of it.
      const std::vector<std::size_t> counts{1, world.rank() == 0 ? 2u : 3u};
      exchange.client("heat").all_gather(in(world.rank() == 0 ? 1 : 3), out(counts[0] + counts[1]), counts);
    });
    EXPECT_EQ(text,
              "Client 'heat', collective 0 has two sizes (rank 1 sends 24 bytes, rank 0 receives 16 bytes). Register "
              "the same size on both ends.");
  });
}

TEST(Commit, tells_spans_that_do_not_fit_their_collective) {
  on(2_ranks, [](Transport& world) {
    const std::vector<std::pair<std::function<void(Requests&)>, std::string>> cases{
        {[](Requests& c) { c.all_reduce(in(2), out(1), sum<std::int64_t>()); },
         "(all_reduce) reduces 16 bytes into 8 bytes"},
        {[](Requests& c) { c.reduce(0, in(2), out(0), sum<std::int64_t>()); },
         "(reduce) reduces 16 bytes into 0 bytes"},
        {[](Requests& c) {
           c.collective({.kind = Collective::Kind::all_reduce,
                         .in = std::as_bytes(in(2)).first(12),
                         .out = std::as_writable_bytes(out(2)).first(12),
                         .reduction = sum<std::int64_t>().of_bytes});
         },
         "(all_reduce) reduces 12 bytes in elements of 8 bytes"},
        {[](Requests& c) {
           c.collective({.kind = Collective::Kind::reduce,
                         .in = std::as_bytes(in(1)).first(1),
                         .out = std::as_writable_bytes(out(1)).first(1),
                         .reduction = sum<std::int64_t>().of_bytes});
         },
         "(reduce) reduces 1 byte in elements of 8 bytes"},
        {[](Requests& c) {
           c.collective({.kind = Collective::Kind::all_reduce,
                         .in = std::as_bytes(in(1)),
                         .out = std::as_writable_bytes(out(1))});
         },
         "(all_reduce) has no reduction"},
        {[](Requests& c) { c.broadcast(2, out(1)); }, "(broadcast) has root 2. Use 0 to 1."},
        {[](Requests& c) { c.all_gather(in(1), out(2), {1}); },
         "(all_gather) has an output of 16 bytes, but counts for 1 ranks and 8 bytes"},
        {[](Requests& c) {
           c.gather(0, in(1), out(1), {1, 1});
         },
         "(gather) has an output of 8 bytes, but counts for 2 ranks and 16 bytes"},
        {[](Requests& c) {
           c.all_to_all(in(1), {1, 1}, out(2), {1, 1});
         },
         "(all_to_all) has an input of 8 bytes"},
    };
    for (const auto& [each, expected] : cases)
      EXPECT_THAT(refusal(world, [&, request = each](Exchange& exchange) { request(exchange.client("heat")); }),
                  AllOf(HasSubstr("Client 'heat', collective 0"), HasSubstr(expected)));
  });
}

TEST(Commit, accepts_clients_in_another_order) {
  on({2, 4}, [](Transport& world) {
    std::vector<std::string> names{"a", "b", "c", "d"};
    std::rotate(names.begin(), names.begin() + world.rank(), names.end());
    EXPECT_EQ(refusal(world,
                      [&](Exchange& exchange) {
                        for (const auto& name : names) {
                          auto& client = exchange.client(name);
                          if (name < "c") client.barrier(1);
                          client.all_reduce(in(static_cast<std::size_t>(name[0] - 'a' + 1)),
                                            out(static_cast<std::size_t>(name[0] - 'a' + 1)), sum<std::int64_t>());
                        }
                      }),
              "no error");
  });
}

}  // namespace
}  // namespace weft
