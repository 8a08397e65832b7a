// SPDX-License-Identifier: BSD-3-Clause
#include "weft/halo/reference.hpp"

#include <cstring>
#include <optional>

#include "weft/device/device.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

template <class Visit>
void for_each_point(const Index& count, const Visit& visit) {
  Index p;
  for (p[0] = 0; p[0] < count[0]; ++p[0])
    for (p[1] = 0; p[1] < count[1]; ++p[1])
      for (p[2] = 0; p[2] < count[2]; ++p[2]) visit(p);
}

// The position in the grid of the point at `offset` from the block's first point; none: beyond an edge.
std::optional<Index> wrapped(const CartesianGrid& grid, const std::array<std::ptrdiff_t, 3>& offset) {
  Index result;
  for (std::size_t a = 0; a < 3; ++a) {
    const auto n = static_cast<std::ptrdiff_t>(grid.extent()[a]);
    const auto x = static_cast<std::ptrdiff_t>(grid.block().first[a]) + offset[a];
    if ((x < 0 || x >= n) && !grid.is_periodic(a)) return std::nullopt;
    result[a] = static_cast<std::size_t>((x % n + n) % n);
  }
  return result;
}

void fill(Transport& transport, const Halo& halo, std::size_t number) {
  const auto& grid = halo.grid();
  const auto& placed = halo.fields()[number];
  const auto bytes = placed.field().element_bytes, components = placed.field().components;
  const auto& extent = grid.extent();
  const auto& layers = placed.layers();

  // This rank's block, then all blocks, then the grid: points in row-major order, the components of each side by side.
  std::vector<std::byte> mine;
  for_each_point(grid.block().count, [&](Index p) {
    for (std::size_t a = 0; a < 3; ++a) p[a] += layers[a];
    for (std::size_t c = 0; c < components; ++c) mine.insert(mine.end(), placed.at(p, c), placed.at(p, c) + bytes);
  });
  const auto all = all_gather(transport, mine);
  std::vector<std::byte> global(extent[0] * extent[1] * extent[2] * components * bytes);
  const auto place = [&](const Index& p) {
    return ((p[0] * extent[1] + p[1]) * extent[2] + p[2]) * components * bytes;
  };
  const auto* from = all.data();
  for (int r = 0; r < grid.ranks(); ++r) {
    const auto block = grid.block_of(r);
    for_each_point(block.count, [&](Index p) {
      for (std::size_t a = 0; a < 3; ++a) p[a] += block.first[a];
      std::memcpy(&global[place(p)], from, components * bytes);
      from += components * bytes;
    });
  }

  Index width{0, 0, 0}, count;
  for (std::size_t a = 0; a < 3; ++a) {
    if (a < grid.dimensions()) width[a] = halo.options().layers();
    count[a] = grid.block().count[a] + 2 * width[a];
  }
  for_each_point(count, [&](const Index& p) {
    std::array<std::ptrdiff_t, 3> offset;
    Direction direction;
    Index at;
    for (std::size_t a = 0; a < 3; ++a) {
      offset[a] = static_cast<std::ptrdiff_t>(p[a]) - static_cast<std::ptrdiff_t>(width[a]);
      direction[a] = p[a] < width[a] ? -1 : p[a] < width[a] + grid.block().count[a] ? 0 : 1;
      at[a] = p[a] + layers[a] - width[a];
    }
    const auto source = wrapped(grid, offset);
    if (direction == Direction{} || !source) return;
    for (const auto c : halo.wanted(number, direction))
      std::memcpy(placed.at(at, c), &global[place(*source) + c * bytes], bytes);
  });
}

}  // namespace

void fill_by_reference(Transport& transport, const Halo& halo) {
  for (const auto& placed : halo.fields())
    if (placed.field().device)
      throw Error("The reference scheme reads fields on the host, but one is in memory of " +
                      placed.field().device->name() + ". Use another scheme.",
                  true);
  for (std::size_t f = 0; f < halo.fields().size(); ++f) fill(transport, halo, f);
}

}  // namespace weft
