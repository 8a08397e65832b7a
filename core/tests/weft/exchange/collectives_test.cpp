// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives in an exchange.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "tests/support/core_ranks.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

using namespace weft::testing;

// Runs `steps` steps of an exchange with one client; `fill` sets the inputs, `check` compares the outputs.
struct Alone {
  explicit Alone(Transport& world) : world(world), exchange(world), client(exchange.client("alone")) {}
  void run(const std::function<void(int)>& fill, const std::function<void(int)>& check) {
    exchange.commit();
    for (int step = 0; step < 3; ++step) {
      fill(step);
      auto messages = exchange.start();
      messages.ready_all(0, 0);
      messages.wait();
      check(step);
    }
  }
  Transport& world;
  Exchange exchange;
  Requests& client;
};

template <class T>
void try_built_in(Transport& world) {
  Alone alone(world);
  std::vector<T> in(3), added(3), smallest(3), largest(3);
  alone.client.all_reduce(std::span<const T>(in), std::span(added), sum<T>());
  alone.client.all_reduce(std::span<const T>(in), std::span(smallest), minimum<T>());
  alone.client.all_reduce(std::span<const T>(in), std::span(largest), maximum<T>());
  const auto value = [](int rank, int step, int i) { return static_cast<T>((rank + 1) * (i + 1) + step); };
  alone.run(
      [&](int step) {
        for (int i = 0; i < 3; ++i) in[static_cast<std::size_t>(i)] = value(world.rank(), step, i);
      },
      [&](int step) {
        for (int i = 0; i < 3; ++i) {
          T expected{};
          for (int r = 0; r < world.size(); ++r) expected = static_cast<T>(expected + value(r, step, i));
          const auto at = static_cast<std::size_t>(i);
          EXPECT_EQ(added[at], expected);
          EXPECT_EQ(smallest[at], value(0, step, i));
          EXPECT_EQ(largest[at], value(world.size() - 1, step, i));
        }
      });
}

TEST(Collectives, built_in_reductions) {
  on(any_ranks, [](Transport& world) {
    try_built_in<int>(world);
    try_built_in<std::int64_t>(world);
    try_built_in<std::uint64_t>(world);
    try_built_in<float>(world);
    try_built_in<double>(world);
    try_built_in<short>(world);  // weft maps the types below to no MPI type
    try_built_in<unsigned char>(world);
    try_built_in<std::uint32_t>(world);
  });
}

TEST(Collectives, large_unsigned_numbers_are_not_negative) {
  on(any_ranks, [](Transport& world) {
    Alone alone(world);
    constexpr auto large = ~std::uint64_t{0} - 100;
    std::uint64_t in = 0, smallest = 0, largest = 0;
    alone.client.all_reduce(std::span<const std::uint64_t>(&in, 1), std::span(&smallest, 1), minimum<std::uint64_t>());
    alone.client.all_reduce(std::span<const std::uint64_t>(&in, 1), std::span(&largest, 1), maximum<std::uint64_t>());
    const auto last = static_cast<std::uint64_t>(world.size() - 1);
    alone.run([&](int) { in = world.rank() == 0 ? 5 : large + static_cast<std::uint64_t>(world.rank()); },
              [&](int) {
                EXPECT_EQ(smallest, 5u);
                EXPECT_EQ(largest, last == 0 ? 5 : large + last);
              });
  });
}

// As numpy's, whichever rank has it: std::min, std::max and MPI's own operations lose a NaN or not by the order.
template <class T>
void try_nan(Transport& world) {
  for (int who = 0; who < world.size(); ++who) {
    Alone alone(world);
    const T in = world.rank() == who ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(world.rank());
    T smallest{}, largest{};
    const std::span<const T> given(&in, 1);
    alone.client.all_reduce(given, std::span(&smallest, 1), minimum<T>());
    alone.client.reduce(world.size() - 1, given, std::span(&largest, 1), maximum<T>());
    alone.run([](int) {},
              [&](int) {
                EXPECT_TRUE(std::isnan(smallest)) << who;
                EXPECT_TRUE(world.rank() != world.size() - 1 || std::isnan(largest)) << who;
                EXPECT_TRUE(std::isnan(all_reduce(world, in, maximum<T>()))) << who;
              });
  }
}

TEST(Collectives, extremes_with_a_nan_are_nan) {
  on(any_ranks, [](Transport& world) {
    try_nan<double>(world);
    try_nan<float>(world);
  });
}

// A user's struct: the position of the largest value, and the number of such values.
struct Peak {
  double value;
  int rank;
  int count;
};

TEST(Collectives, a_reduction_of_the_users_own) {
  on(any_ranks, [](Transport& world) {
    Alone alone(world);
    std::vector<Peak> in(2), out(2);
    alone.client.all_reduce(std::span<const Peak>(in), std::span(out),
                            reduction<Peak>([](const Peak& a, const Peak& b) {
                              Peak c = a.value >= b.value ? a : b;
                              c.count = a.count + b.count;
                              return c;
                            }));
    const int size = world.size();
    alone.run(
        [&](int step) {
          in[0] = {static_cast<double>((world.rank() + step) % size), world.rank(), 1};
          in[1] = {-static_cast<double>(world.rank()), world.rank(), 2};
        },
        [&](int step) {
          EXPECT_EQ(out[0].value, size - 1);
          EXPECT_EQ((out[0].rank + step) % size, size - 1);
          EXPECT_EQ(out[0].count, size);
          EXPECT_EQ(out[1].rank, 0);
          EXPECT_EQ(out[1].count, 2 * size);
        });
  });
}

// Not commutative: texts are concatenated in the order of the ranks.
struct Word {
  std::array<char, 15> letters{};
  unsigned char length = 0;
  std::string text() const { return {letters.data(), length}; }
};
Word word(const std::string& text) {
  Word w;
  std::memcpy(w.letters.data(), text.data(), text.size());
  w.length = static_cast<unsigned char>(text.size());
  return w;
}
constexpr auto join = [](const Word& a, const Word& b) { return word(a.text() + b.text()); };

// Products of matrices are not commutative either.
struct Matrix {
  std::array<std::uint64_t, 4> m{};
  bool operator==(const Matrix&) const = default;
};
constexpr auto times = [](const Matrix& a, const Matrix& b) {
  return Matrix{{a.m[0] * b.m[0] + a.m[1] * b.m[2], a.m[0] * b.m[1] + a.m[1] * b.m[3],
                 a.m[2] * b.m[0] + a.m[3] * b.m[2], a.m[2] * b.m[1] + a.m[3] * b.m[3]}};
};

TEST(Collectives, reductions_that_do_not_commute_keep_the_order_of_ranks) {
  on(any_ranks, [](Transport& world) {
    Alone alone(world);
    const int root = world.size() - 1;
    std::vector<Word> in(2), all(2), at_root(world.rank() == root ? 2 : 0);
    std::vector<Matrix> factor(5), product(5);
    alone.client.all_reduce(std::span<const Word>(in), std::span(all), reduction<Word>(join, false));
    alone.client.reduce(root, std::span<const Word>(in), std::span(at_root), reduction<Word>(join, false));
    alone.client.all_reduce(std::span<const Matrix>(factor), std::span(product), reduction<Matrix>(times, false));
    const auto matrix = [](int rank, int step, std::size_t i) {
      const auto r = static_cast<std::uint64_t>(rank + 2), s = static_cast<std::uint64_t>(step);
      return Matrix{{r, s + i, r * r + 1, 3 * r + i}};
    };
    alone.run(
        [&](int step) {
          in[0] = word(std::string(1, static_cast<char>('a' + world.rank())));
          in[1] = word(std::to_string(step) + std::to_string(world.rank()));
          for (std::size_t i = 0; i < factor.size(); ++i) factor[i] = matrix(world.rank(), step, i);
        },
        [&](int step) {
          std::string letters, numbers;
          for (int r = 0; r < world.size(); ++r) {
            letters += static_cast<char>('a' + r);
            numbers += std::to_string(step) + std::to_string(r);
          }
          EXPECT_EQ(all[0].text(), letters);
          EXPECT_EQ(all[1].text(), numbers);
          for (std::size_t i = 0; i < at_root.size(); ++i) EXPECT_EQ(at_root[i].text(), i == 0 ? letters : numbers);
          for (std::size_t i = 0; i < product.size(); ++i) {
            auto expected = matrix(0, step, i);
            for (int r = 1; r < world.size(); ++r) expected = times(expected, matrix(r, step, i));
            EXPECT_EQ(product[i], expected);
          }
        });
  });
}

TEST(Collectives, broadcast_gather_and_all_to_all) {
  on(any_ranks, [](Transport& world) {
    const int rank = world.rank(), size = world.size(), root = size / 2;
    const auto n = static_cast<std::size_t>(size), me = static_cast<std::size_t>(rank);
    Alone alone(world);
    // Rank r contributes r elements to gathers, and (r + s) % 3 elements to rank s.
    std::vector<std::size_t> counts, to, from;
    for (std::size_t r = 0; r < n; ++r) {
      counts.push_back(r);
      to.push_back((me + r) % 3);
      from.push_back((r + me) % 3);
    }
    const auto total = [](const std::vector<std::size_t>& c) {
      return std::accumulate(c.begin(), c.end(), std::size_t{0});
    };
    std::vector<int> mine(me), everywhere(total(counts)), at_root(rank == root ? total(counts) : 0), shouted(4),
        out(total(to)), in(total(from));
    alone.client.broadcast(root, std::span(shouted));
    alone.client.gather(root, std::span<const int>(mine), std::span(at_root),
                        rank == root ? counts : std::vector<std::size_t>{});
    alone.client.all_gather(std::span<const int>(mine), std::span(everywhere), counts);
    alone.client.all_to_all(std::span<const int>(out), to, std::span(in), from);
    alone.client.barrier();
    const auto value = [](int source, int step, std::size_t i) {
      return 10000 * step + 100 * source + static_cast<int>(i);
    };
    alone.run(
        [&](int step) {
          for (std::size_t i = 0; i < 4; ++i) shouted[i] = rank == root ? value(root, step, i) : -1;
          for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = value(rank, step, i);
          std::size_t at = 0;
          for (std::size_t r = 0; r < n; ++r)
            for (std::size_t i = 0; i < to[r]; ++i) out[at++] = value(rank, step, 10 * r + i);
        },
        [&](int step) {
          std::vector<int> all, expected_in;
          for (std::size_t r = 0; r < n; ++r) {
            for (std::size_t i = 0; i < counts[r]; ++i) all.push_back(value(static_cast<int>(r), step, i));
            for (std::size_t i = 0; i < from[r]; ++i)
              expected_in.push_back(value(static_cast<int>(r), step, 10 * me + i));
          }
          for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(shouted[i], value(root, step, i));
          EXPECT_EQ(everywhere, all);
          EXPECT_EQ(at_root, rank == root ? all : std::vector<int>{});
          EXPECT_EQ(in, expected_in);
        });
  });
}

TEST(Collectives, may_become_ready_in_different_orders_on_different_ranks) {
  on(any_ranks, [](Transport& world) {
    constexpr std::size_t count = 6;
    Exchange exchange(world);
    std::array<int, count> in{}, out{};
    std::vector<CollectivePart> parts;
    // Also, each rank lists the clients in another order.
    std::vector<std::string> names{"a", "b", "c"};
    std::rotate(names.begin(), names.begin() + world.rank() % 3, names.end());
    for (const auto& name : names) {
      auto& client = exchange.client(name);
      for (std::size_t i = 0; i < 2; ++i) {
        const auto at = static_cast<std::size_t>(name[0] - 'a') * 2 + i;
        parts.push_back(client.all_reduce(std::span<const int>(&in[at], 1), std::span(&out[at], 1), sum<int>(),
                                          static_cast<int>(i)));
      }
    }
    exchange.commit();
    for (int step = 0; step < 5; ++step) {
      for (std::size_t i = 0; i < count; ++i) in[i] = 100 * step + 10 * static_cast<int>(i) + world.rank();
      auto messages = exchange.start();
      auto order = parts;
      std::rotate(order.begin(), order.begin() + (world.rank() + step) % 6, order.end());
      if (world.rank() % 2 == 1) std::reverse(order.begin(), order.end());
      for (const auto part : order) messages.ready(part);
      messages.wait();
      const int ranks = world.size();
      for (std::size_t i = 0; i < count; ++i)
        EXPECT_EQ(out[i], ranks * (100 * step + 10 * static_cast<int>(i)) + ranks * (ranks - 1) / 2);
    }
  });
}

// Empty spans, whose pointers are null, and empty ones that lie at one place.
TEST(Collectives, of_nothing_complete_on_all_ranks) {
  on(any_ranks, [](Transport& world) {
    std::vector<double> place(1);
    for (const auto nothing : {std::span<double>(), std::span(place).first(0)}) {
      Alone alone(world);
      auto& client = alone.client;
      const std::span<const double> in = nothing;
      const std::vector<std::size_t> zeros(static_cast<std::size_t>(world.size()));
      for (int root = 0; root < world.size(); ++root) {
        client.broadcast(root, nothing);
        client.gather(root, in, nothing, zeros);
        client.reduce(root, in, nothing, sum<double>());
        client.reduce(root, in, nothing, reduction<double>([](double a, double b) { return b - a; }, false));
      }
      client.all_reduce(in, nothing, maximum<double>());
      client.all_reduce(in, nothing, reduction<double>([](double a, double b) { return b - a; }, false));
      client.all_gather(in, nothing, zeros);
      client.all_to_all(in, zeros, nothing, zeros);
      alone.run([](int) {}, [](int) {});
    }
  });
}

}  // namespace
}  // namespace weft
