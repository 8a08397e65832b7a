// SPDX-License-Identifier: BSD-3-Clause
#include "box_program/lattice_client.hpp"

#include <algorithm>
#include <utility>

#include "weft/error.hpp"

namespace weft::box_program {
namespace {

// A grid that does not fit is an error of the case.
CartesianGrid make_grid(const Case& c, int rank, int ranks, const GridOptions& options) {
  try {
    return {rank, ranks, options};
  } catch (const Error& e) {
    throw InputError(c.file.string() + ": box.size or box.processes: " + e.what(), true);
  }
}

}  // namespace

Layout make_layout(const Case& c, int rank, int ranks) {
  GridOptions options{.extent = c.size, .processes = c.processes, .periodic = c.periodic};
  const auto whole = make_grid(c, rank, ranks, options);
  Space space{.extent = whole.extent(), .dimensions = whole.dimensions(), .block = whole.block()};
  for (std::size_t a = 0; a < 3; ++a) space.periodic[a] = whole.is_periodic(a);
  const auto last = c.dimensions() - 1;
  const bool wraps = c.periodic[last] && whole.processes()[last] == 1;
  options.processes.assign(whole.processes().begin(),
                           whole.processes().begin() + static_cast<std::ptrdiff_t>(c.dimensions()));
  if (wraps) options.periodic[last] = false;
  space.wraps[last] = wraps;
  return {CartesianGrid(rank, ranks, options), space};
}

Halo make_halo(const Case& c, const Layout& layout, const lattice::DenseLattice& lattice,
               const lattice::DenseLattice::Layout& at, HaloOptions::Flow flow) {
  Halo halo(layout.grid, {.scheme = c.scheme, .payload = c.payload, .flow = flow});
  Field field{.data = at.data,
              .element_bytes = at.element_bytes,
              .components = at.components,
              .component_stride = at.component_stride,
              .pitch = at.pitch,
              .name = "populations"};
  // Slot i of a ghost is used by the site from which velocity i comes. Along an axis that wraps there is always one.
  for (const auto& v : lattice.velocities()) {
    auto& used = field.velocities.emplace_back();
    for (std::size_t a = 0; a < 3; ++a) used[a] = layout.space.wraps[a] ? 0 : -v[a];
  }
  halo.add(std::move(field));
  return halo;
}

// The inner box does not depend on the halo's ghosts. Along the contiguous axis its ends are as thick as a vector,
// which costs no more to update than one site.
LatticeClient::LatticeClient(lattice::DenseLattice& lattice, const CartesianGrid& grid) : lattice_(lattice) {
  inner_ = {.first = {0, 0, 0}, .count = grid.block().count};
  auto rest = inner_;
  for (std::size_t a = 0; a < grid.dimensions(); ++a) {
    const std::size_t n = rest.count[a], width = a + 1 == grid.dimensions() ? lattice.group() : 1;
    const auto low = grid.has_neighbour(a, -1) ? std::min(width, n) : 0;
    const auto high = grid.has_neighbour(a, 1) ? std::min(width, n - low) : 0;
    for (const auto& [first, count] : {std::pair{std::size_t{0}, low}, std::pair{n - high, high}}) {
      if (count == 0) continue;
      auto slab = rest;
      slab.first[a] = first;
      slab.count[a] = count;
      if (slab.points() > 0) outermost_.push_back(slab);
    }
    rest.first[a] = low;
    rest.count[a] = n - low - high;
  }
  inner_ = rest;
}

void LatticeClient::before(Step& step) {
  if (step.round() != 0) return;
  for (const auto& box : outermost_) lattice_.update(box.first, box.count);
}

// In portions of about 50 us, between which polling can make progress; the result does not depend on them.
void LatticeClient::during(Step& step) {
  if (step.round() != 0 || inner_.points() == 0) return;
  const std::size_t axis = inner_.count[0] > 1 ? 0 : 1;
  const auto sites_a_plane = inner_.points() / inner_.count[axis];
  const auto planes = std::max<std::size_t>(1, 4096 / sites_a_plane);
  auto cut = inner_;
  const auto end = inner_.first[axis] + inner_.count[axis];
  for (std::size_t at = inner_.first[axis]; at < end; at += planes) {
    step.progress();
    cut.first[axis] = at;
    cut.count[axis] = std::min(planes, end - at);
    lattice_.update(cut.first, cut.count);
  }
}

void WallClient::finish(Step&) {
  for (std::size_t a = 0; a < layout_.space.dimensions; ++a) {
    if (layout_.space.periodic[a]) continue;
    for (const int side : {-1, 1})
      if (!layout_.grid.has_neighbour(a, side)) lattice_.bounce(a, side, case_.wall_velocity[a][side < 0 ? 0 : 1]);
  }
  lattice_.finish_step();
}

}  // namespace weft::box_program
