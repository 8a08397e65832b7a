// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "box_program/lattice_client.hpp"
#include "box_program/run.hpp"
#include "program/memory.hpp"
#include "program/readable.hpp"
#include "weft/file/whole_file.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::box_program {
namespace {

std::string size_of(const Case& c) {
  std::string text;
  for (const auto n : c.size) text += (text.empty() ? "" : " x ") + std::to_string(n);
  return text;
}

}  // namespace

std::vector<std::string> find_problems(const Case& c) {
  std::vector<std::string> problems;
  const double mach = std::sqrt(3.0) * largest_speed(c);
  if (mach > 0.3)
    problems.push_back(
        fmt::format("The largest speed in the case is {:.3g} sites per step (Mach {:.2g}; above 0.3 the fluid is "
                    "compressible). Use a smaller speed and more steps.",
                    mach / std::sqrt(3.0), mach));
  if (c.fluid.tau < 0.505)
    problems.push_back(fmt::format(
        "lattice.tau is {:.6g} (close to 0.5, where a flow becomes unstable). Use a larger value, or more sites.",
        c.fluid.tau));
  for (std::size_t p = 0; p < c.particles.list.size(); ++p)
    if (c.particles.list[p].radius < 2) {
      problems.push_back(fmt::format("Particle {} has radius {:.3g} (its surface has only a few links). Use 2 or more.",
                                     p, c.particles.list[p].radius));
      break;
    }
  return problems;
}

std::string check_report(mpi::Communicator& world, const Case& c) {
  const auto layout = make_layout(c, world.rank(), world.size());
  // Of one site, since the description only depends on the data per site.
  lattice::DenseLattice like({1, 1, 1}, c.fluid);
  auto at = like.layout();
  at.component_stride = at.pitch = 0;
  const auto halo = make_halo(c, layout, like, at, HaloOptions::Flow::fill);
  double places = 1;
  for (std::size_t a = 0; a < c.dimensions(); ++a) places *= static_cast<double>(layout.grid.block().count[a] + 2);
  const auto bytes = all_reduce(world, places * static_cast<double>(at.components * at.element_bytes), sum<double>());
  program::require_memory(world, bytes, size_of(c) + " sites", "Use a smaller box.size");
  double sites = 1;
  for (const auto n : c.size) sites *= static_cast<double>(n);
  std::string text = fmt::format("{}: {} sites, {} {} in {}\n", c.title, size_of(c), name_of(c.fluid.velocities),
                                 name_of(c.fluid.collision),
                                 c.fluid.precision == lattice::Precision::fp64 ? "double precision"
                                 : c.fluid.storage == lattice::Storage::full   ? "single precision"
                                                                               : "single precision, stored in 16 bits");
  text += fmt::format("  tau {:.6g}, viscosity {:.6g}, largest speed {:.4g} (Mach {:.3g})\n", c.fluid.tau,
                      (c.fluid.tau - 0.5) / 3, largest_speed(c), std::sqrt(3.0) * largest_speed(c));
  if (!c.particles.list.empty()) text += fmt::format("  {} particles\n", c.particles.list.size());
  text += fmt::format("  {} steps{}, populations need about {} in all ({:.0f} bytes per site)\n", c.steps,
                      c.steady > 0 ? fmt::format(" or until steady to {:.2g}", c.steady) : "",
                      program::bytes_text(bytes), bytes / sites);
  return text + "\n" + halo.describe();
}

void write_result_json(const std::filesystem::path& file, const Case& c, const RunResult& result,
                       const Transport& transport) {
  using nlohmann::json;
  const auto& last = result.last;
  json document = {
      {"case", c.file.string()},
      {"title", c.title},
      {"mpi", transport.library()},
      {"ranks", transport.size()},
      {"size", c.size},
      {"velocities", name_of(c.fluid.velocities)},
      {"collision", name_of(c.fluid.collision)},
      {"tau", c.fluid.tau},
      {"particles", c.particles.list.size()},
      {"sites", result.sites},
      {"steps", result.steps},
      {"seconds", result.seconds},
      {"mlups", result.mlups()},
      {"steady", result.steady},
      {"monitors",
       {{"step", last.step},
        {"density_min", last.lowest_density},
        {"density_max", last.highest_density},
        {"speed_max", last.highest_speed},
        {"mass", last.mass},
        {"momentum", last.momentum},
        {"kinetic_energy", last.kinetic_energy}}},
      {"overlap", json::parse(result.overlap.json())},
  };
  if (std::isfinite(last.relative_change)) document["monitors"]["relative_change"] = last.relative_change;
  for (const auto& path : result.files) document["files"].push_back(path.string());
  WholeFile out(file);
  out.stream() << document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  out.finish();
}

}  // namespace weft::box_program
