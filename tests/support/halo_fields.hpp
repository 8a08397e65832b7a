// SPDX-License-Identifier: BSD-3-Clause
//
// A field in which every value is unique, and its expected content after a halo, computed without the library's
// layouts, schemes or reference. All memory is compared, so that writes at wrong positions are found.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/core_random.hpp"
#include "weft/halo/halo_exchange.hpp"

namespace weft::testing {

inline const std::vector<Direction> d3q19{{0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},   {0, -1, 0},
                                          {0, 0, 1},  {0, 0, -1},  {1, 1, 0},   {-1, -1, 0}, {1, -1, 0},
                                          {-1, 1, 0}, {1, 0, 1},   {-1, 0, -1}, {1, 0, -1},  {-1, 0, 1},
                                          {0, 1, 1},  {0, -1, -1}, {0, 1, -1},  {0, -1, 1}};

struct FieldCase {
  enum class Layout { structures, arrays } layout = Layout::structures;
  Order order = Order::row_major;
  std::size_t components = 1;
  std::size_t more_layers = 0;  // additional to the halo's width
  Reads reads{};
};

class TestField {
 public:
  virtual ~TestField() = default;
  virtual Field field() = 0;
  virtual void fill(int step) = 0;  // the block with its values, all other memory with noise
  virtual void expect(const Halo& halo, std::size_t number, int step) = 0;
};

template <class T>
class TypedField : public TestField {
 public:
  TypedField(const CartesianGrid& grid, std::size_t width, const FieldCase& what)
      : grid_(grid), what_(what), layers_(width + what.more_layers), block_(grid.block()) {
    points_ = 1;
    for (std::size_t a = 0; a < 3; ++a) {
      ghost_[a] = a < grid.dimensions() ? layers_ : 0;
      padded_[a] = block_.count[a] + 2 * ghost_[a];
      points_ *= padded_[a];
    }
    memory_.resize((points_ + 7) / 8 * 8 * what.components + 5);
  }

  Field field() override {
    Field f;
    switch (what_.layout) {
      case FieldCase::Layout::structures: f = array_of_structures(memory_.data(), what_.components, what_.order); break;
      case FieldCase::Layout::arrays: f = structure_of_arrays(memory_.data(), what_.components, what_.order); break;
    }
    if (what_.more_layers > 0) f.layers = layers_;
    f.reads = what_.reads;
    return f;
  }

  void fill(int step) override {
    for (std::size_t i = 0; i < memory_.size(); ++i) memory_[i] = number(mix(i + 1));
    visit([&](const Index& p, const std::array<long, 3>& offset, const Direction& direction) {
      if (direction != Direction{}) return;
      for (std::size_t c = 0; c < what_.components; ++c) memory_[element(p, c)] = value(offset, c, step);
    });
    before_ = memory_;
  }

  void expect(const Halo& halo, std::size_t field_number, int step) override {
    auto expected = before_;
    const auto width = static_cast<long>(halo.options().width);
    visit([&](const Index& p, const std::array<long, 3>& offset, const Direction& direction) {
      if (direction == Direction{}) return;
      for (std::size_t a = 0; a < 3; ++a) {
        const auto n = static_cast<long>(block_.count[a]), at = static_cast<long>(block_.first[a]) + offset[a];
        if (a < grid_.dimensions() && (offset[a] < -width || offset[a] >= n + width)) return;
        if ((at < 0 || at >= static_cast<long>(grid_.extent()[a])) && !grid_.is_periodic(a)) return;
      }
      bool any = false;
      for (std::size_t c = 0; c < what_.components; ++c) any = any || reads(direction, c);
      for (std::size_t c = 0; c < what_.components; ++c) {
        const auto payload = halo.options().payload;
        if (payload == HaloOptions::Payload::reduced && !reads(direction, c)) continue;
        if (payload == HaloOptions::Payload::directions && !any) continue;
        expected[element(p, c)] = value(offset, c, step);
      }
    });
    EXPECT_TRUE(memory_ == expected) << "field " << field_number << " on rank " << grid_.rank() << "\n"
                                     << halo.describe();
  }

 private:
  static T number(std::uint64_t hash) {
    T t{};
    std::memcpy(&t, &hash, std::min(sizeof(T), sizeof hash));
    return t;
  }
  bool reads(const Direction& d, std::size_t c) const { return !what_.reads || what_.reads(d, c); }
  T value(const std::array<long, 3>& offset, std::size_t c, int step) const {
    std::uint64_t global = static_cast<std::uint64_t>(step);
    for (std::size_t a = 0; a < 3; ++a) {
      const auto n = static_cast<long>(grid_.extent()[a]);
      global = global * grid_.extent()[a] +
               static_cast<std::uint64_t>(((static_cast<long>(block_.first[a]) + offset[a]) % n + n) % n);
    }
    return number(mix(1000000 + global * what_.components + c));
  }
  std::size_t element(const Index& p, std::size_t c) const {
    const auto s = what_.order == Order::row_major ? (p[0] * padded_[1] + p[1]) * padded_[2] + p[2]
                                                   : (p[2] * padded_[1] + p[1]) * padded_[0] + p[0];
    switch (what_.layout) {
      case FieldCase::Layout::structures: return s * what_.components + c;
      case FieldCase::Layout::arrays: return c * points_ + s;
    }
    return 0;
  }
  template <class Visit>
  void visit(const Visit& visit) const {
    Index p;
    for (p[0] = 0; p[0] < padded_[0]; ++p[0])
      for (p[1] = 0; p[1] < padded_[1]; ++p[1])
        for (p[2] = 0; p[2] < padded_[2]; ++p[2]) {
          std::array<long, 3> offset;
          Direction direction;
          for (std::size_t a = 0; a < 3; ++a) {
            offset[a] = static_cast<long>(p[a]) - static_cast<long>(ghost_[a]);
            direction[a] = offset[a] < 0 ? -1 : offset[a] < static_cast<long>(block_.count[a]) ? 0 : 1;
          }
          visit(p, offset, direction);
        }
  }

  CartesianGrid grid_;
  FieldCase what_;
  std::size_t layers_;
  Box block_;
  Index ghost_, padded_;
  std::size_t points_;
  std::vector<T> memory_, before_;
};

using TestFields = std::vector<std::unique_ptr<TestField>>;

/// Fields of every layout, order and element size, some with more ghost layers than are filled.
inline TestFields all_kinds(const CartesianGrid& grid, std::size_t width) {
  using L = FieldCase::Layout;
  const auto d3q19_reads = reads_of_velocities(d3q19);
  constexpr auto row = Order::row_major, column = Order::column_major;
  TestFields all;
  const auto add = [&]<class T>(T, const FieldCase& what) {
    all.push_back(std::make_unique<TypedField<T>>(grid, width, what));
  };
  add(std::uint64_t{}, {L::structures, row, 19, 0, d3q19_reads});
  add(std::uint64_t{}, {L::arrays, column, 19, 1, d3q19_reads});
  add(std::uint32_t{}, {L::arrays, row, 19, 0, d3q19_reads});
  add(std::array<std::uint16_t, 3>{}, {L::arrays, row, 3, 0, reads_faces()});
  add(std::uint64_t{}, {L::structures, column, 2, 2, {}});
  add(std::array<std::uint64_t, 2>{}, {L::structures, column, 2, 1, {}});
  add(std::uint8_t{}, {L::arrays, row, 1, 0, {}});
  return all;
}

inline Halo halo_of(const CartesianGrid& grid, const HaloOptions& options, const TestFields& fields) {
  Halo halo(grid, options);
  for (const auto& f : fields) halo.add(f->field());
  return halo;
}

inline const std::vector<HaloOptions> all_ways(std::size_t width) {
  using S = HaloOptions::Scheme;
  using P = HaloOptions::Payload;
  std::vector<HaloOptions> all;
  for (const auto scheme : {S::direct, S::by_dimension, S::reference})
    for (const auto payload : {P::whole, P::directions, P::reduced}) all.push_back({width, scheme, payload});
  return all;
}

/// Exchanges all kinds of fields in all ways, twice each, and checks all memory.
inline void expect_all_ways(Transport& world, const GridOptions& options, std::size_t width) {
  const CartesianGrid grid(world, options);
  const auto fields = all_kinds(grid, width);
  int way = 0;
  for (const auto& halo_options : all_ways(width)) {
    const auto halo = halo_of(grid, halo_options, fields);
    HaloExchange exchange(world, halo, {.messages = {.grouping = way++ % 2 ? Grouping::per_part : Grouping::per_peer}});
    for (int step = 0; step < 2; ++step) {
      for (const auto& f : fields) f->fill(step);
      exchange.start();
      exchange.finish();
      for (std::size_t f = 0; f < fields.size(); ++f) fields[f]->expect(halo, f, step);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace weft::testing
