// SPDX-License-Identifier: BSD-3-Clause
#include "bench/workload/vessels.hpp"

#include <cmath>
#include <numbers>

#include "flow/reading/case_reader.hpp"
#include "phantom/tube_tree.hpp"
#include "program/same_file.hpp"
#include "weft/file/beside.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {

flow::Case given_case(Transport& transport, const std::filesystem::path& file, const Options& options) {
  flow::Case c;
  program::check_same_file(transport, file);
  together(transport, [&] {
    c = flow::read_case(file);
    check_apart(options.json, c.surface.file);
    for (const auto& opening : c.openings) check_apart(options.json, opening.value.file);
  });
  return c;
}

using geometry::Vector;
using geometry::operator*;  // Vector is an array, so argument-dependent lookup fails

flow::Vessel synthetic_vessel(Transport& transport, std::int64_t sites, flow::Case& c) {
  constexpr double voxel = 1e-4;
  // pi r^2 * 8 r = sites
  const double radius = voxel * std::cbrt(static_cast<double>(sites) / (8 * std::numbers::pi));
  const auto axis = geometry::normalised({1, 0, 1});
  const Vector start{0, 0, 0};
  const auto end = (8 * radius) * axis;
  c = {};
  c.title = "straight vessel";
  c.file = "synthetic";
  c.surface.voxel = voxel;
  c.lattice.time_step = 5e-5 * 3;
  c.run.steps = 1;
  flow::OpeningCase inlet, outlet;
  inlet.disc = {geometry::Opening::Kind::inlet, "inlet", start, axis, radius};
  inlet.kind = lattice::OpeningState::Kind::velocity;
  inlet.value.points = {{0.0, 0.005}};
  outlet.disc = {geometry::Opening::Kind::outlet, "outlet", end, -1.0 * axis, radius};
  outlet.value.points = {{0.0, 0.0}};
  c.openings = {inlet, outlet};
  flow::Vessel vessel;
  vessel.scaling = flow::make_scaling(c);
  vessel.domain =
      geometry::make_domain(transport, phantom::make_tube(start, end, radius, 96, 8), c.discs(), voxel, vessel.setup);
  return vessel;
}

flow::Vessel vessel_of(Transport& transport, const std::filesystem::path& case_file, std::int64_t sites,
                       const Options& options, flow::Case& c) {
  if (case_file.empty()) return synthetic_vessel(transport, sites, c);
  c = given_case(transport, case_file, options);
  return flow::make_vessel(transport, c);
}

}  // namespace weft::bench
