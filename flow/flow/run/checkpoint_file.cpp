// SPDX-License-Identifier: BSD-3-Clause
#include "flow/run/checkpoint_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <system_error>

#include "flow/scaling/scaling.hpp"
#include "program/bytes.hpp"
#include "program/checkpoints.hpp"

namespace weft::flow::checkpoint {

namespace fs = std::filesystem;
using program::ByteReader;
using program::ByteWriter;
using program::DamagedError;

namespace {

constexpr const char* magic = "weftFLO4";

// Shared by writing and reading, so that the order can't differ: `field(x)` writes or reads x.
template <class State, class Field>
void each_field(State& state, const Field& field) {
  auto& row = state.row;
  for (auto* number : {&row.step, &state.change_step}) field(*number);
  for (auto* number :
       {&row.lowest_density, &row.highest_density, &row.highest_mach, &row.mass, &row.relative_change, &row.entropy})
    field(*number);
  for (auto* list : {&row.flow, &row.pressure})
    for (auto& number : *list) field(number);
}

template <class Seen, class Field>
void each_value(Seen& seen, const Field& field) {
  auto& o = seen.observation;
  for (auto* number : {&o.lowest_density, &o.highest_density, &o.highest_speed_squared, &o.mass, &o.lowest_population,
                       &o.change_squared, &o.speed_squared})
    field(*number);
  field(o.bad_site);
  for (auto& number : seen.inflow) field(number);
}

std::string text_of(const OpeningCase& opening) {
  const auto& d = opening.disc;
  const auto name = fmt::format("{} '{}'", d.kind == geometry::Opening::Kind::inlet ? "inlet" : "outlet", d.name);
  return fmt::format("{}: centre {} m, normal {}, radius {} m\n{}: {}\n", name, d.centre, d.normal, d.radius, name,
                     prescription_text(opening));
}

}  // namespace

void pack(const lattice::SiteState& state, std::size_t directions, std::byte* to) {
  std::memcpy(to, state.arriving.data(), directions * sizeof(double));
  to += directions * sizeof(double);
  std::memcpy(to, state.velocity.data(), sizeof state.velocity);
  std::memcpy(to + sizeof state.velocity, &state.density, sizeof state.density);
  to += sizeof state.velocity + sizeof state.density;
  if (has_correction(directions)) std::memcpy(to, state.correction.data(), sizeof state.correction);
}

lattice::SiteState unpack(const std::byte* from, std::size_t directions) {
  lattice::SiteState state;
  std::memcpy(state.arriving.data(), from, directions * sizeof(double));
  from += directions * sizeof(double);
  std::memcpy(state.velocity.data(), from, sizeof state.velocity);
  std::memcpy(&state.density, from + sizeof state.velocity, sizeof state.density);
  from += sizeof state.velocity + sizeof state.density;
  if (has_correction(directions)) std::memcpy(state.correction.data(), from, sizeof state.correction);
  return state;
}

std::string settings_of(const Case& c, const Scaling& scaling, const BlockPlaces& places, std::uint64_t hash) {
  // Shortest numbers that read back bitwise identical.
  auto text = fmt::format(
      "surface.voxel = {} m\nlattice.time_step = {} s\nfluid.density = {} kg/m^3\n"
      "kinematic viscosity = {} m^2/s\nreference pressure = {} Pa\n",
      scaling.dx, scaling.dt, scaling.density, scaling.viscosity, scaling.reference_pressure);
  text += fmt::format("lattice.velocities = {}\nlattice.precision = {}\nlattice.collision = {}\nlattice.wall = {}\n",
                      name_of(c.lattice.velocities), name_of(c.lattice.precision), name_of(c.lattice.collision),
                      name_of(c.lattice.wall));
  text += c.fluid.text();
  if (c.lattice.smagorinsky > 0) text += fmt::format("lattice.smagorinsky = {}\n", c.lattice.smagorinsky);
  if (c.lattice.can_correct_advection())
    text += fmt::format("lattice.advection = {}\n", name_of(c.lattice.advection_in_force()));
  if (c.lattice.incompressible) text += "lattice.incompressible = true\n";
  text += fmt::format("lattice.backflow = {}\n", c.lattice.backflow);
  if (c.lattice.sponge > 0)
    text += fmt::format("lattice.sponge = {} m, {}\n", c.lattice.sponge, c.lattice.sponge_viscosity);
  if (uses_magic(c.lattice.collision)) text += fmt::format("lattice.magic = {}\n", magic_of(c.lattice, scaling.tau()));
  text += fmt::format("{} openings\n", c.openings.size());
  for (const auto& opening : c.openings) text += text_of(opening);
  if (const double ramp = start_ramp(c, scaling); ramp > 0) text += fmt::format("run.ramp = {} s\n", ramp);
  if (!c.circulation.empty()) text += flow::text_of(c.circulation);
  if (c.tune.wanted) text += fmt::format("tune: {}\n", c.tune.text());
  text += fmt::format("{} sites in {} blocks, {} at openings\n", places.sites, places.blocks, places.openings);
  text += fmt::format("a vessel with the hash {:016x}\n", hash);
  return text;
}

std::string bytes_of(const Header& header) {
  ByteWriter w;
  const auto put = [&](const auto& value) { w.put(value); };
  w.put(header.step);
  w.put_text(header.settings);
  for (const auto n :
       {header.directions, header.blocks, header.sites, header.opening_sites, header.wall_sites, header.wall_samples})
    w.put(n);
  for (const auto n : {header.observed.seen, header.observed.fields, header.observed.fields_before}) w.put(n);
  w.put(static_cast<std::uint64_t>(header.monitors.row.flow.size()));
  each_field(header.monitors, put);
  w.put(static_cast<std::uint64_t>(header.seen.size()));
  for (const auto& seen : header.seen) each_value(seen, put);
  w.put_text(header.program_state);
  return program::seal_header(magic, w.bytes);
}

Header parse(const fs::path& file, const std::string& bytes) try {
  Header header;
  ByteReader r(bytes, program::header_content_at);
  const auto get = [&](auto& value) { r.get(value); };
  r.get(header.step);
  header.settings = r.get_text();
  for (auto* n : {&header.directions, &header.blocks, &header.sites, &header.opening_sites, &header.wall_sites,
                  &header.wall_samples})
    r.get(*n);
  for (auto* n : {&header.observed.seen, &header.observed.fields, &header.observed.fields_before}) r.get(*n);
  const auto openings = r.get<std::uint64_t>();
  if (openings > r.left() / (2 * sizeof(double))) throw ByteReader::EndError();
  header.monitors.row.flow.resize(openings);
  header.monitors.row.pressure.resize(openings);
  each_field(header.monitors, get);
  const auto ranks = r.get<std::uint64_t>();
  if (ranks > r.left() / (sizeof(lattice::Observation) + openings * sizeof(double))) throw ByteReader::EndError();
  header.seen.assign(ranks, {.inflow = std::vector<double>(openings)});
  for (auto& seen : header.seen) each_value(seen, get);
  header.program_state = r.get_text();
  for (const auto n :
       {header.step, header.blocks, header.sites, header.opening_sites, header.wall_sites, header.wall_samples})
    if (n < 0) throw DamagedError(file, fmt::format("its header has a count of {}", n));
  return header;
} catch (const ByteReader::EndError&) {
  throw DamagedError(file, "its header ends too early");
}

std::string read_header_bytes(const fs::path& file) {
  auto bytes = program::read_sealed_header(file, magic, "weft flow");
  const auto header = parse(file, bytes);
  std::error_code error;
  const auto size = fs::file_size(file, error);
  if (error) throw DamagedError(file, error.message());
  const auto fits = [&](std::int64_t count, std::size_t each) {
    return static_cast<std::uintmax_t>(count) <= size / each;
  };
  if (header.directions < 1 || header.directions > std::int64_t{lattice::SiteState::most})
    throw DamagedError(file, fmt::format("it is of a lattice with {} velocities", header.directions));
  if (!fits(header.blocks, sizeof(Entry)) ||
      !fits(header.sites, bytes_of_site(static_cast<std::size_t>(header.directions))) ||
      !fits(header.opening_sites, sizeof(lattice::OpeningSiteState)) ||
      !fits(header.wall_sites, sizeof(WallAverages::Sum)))
    throw DamagedError(
        file, fmt::format("it has {} bytes, too few for {} sites in {} blocks", size, header.sites, header.blocks));
  const Layout layout{static_cast<std::int64_t>(bytes.size()), header.blocks, header.directions, header.wall_sites > 0};
  const auto wanted = layout.values_at(header.sites, header.opening_sites, header.wall_sites);
  if (size != static_cast<std::uintmax_t>(wanted))
    throw DamagedError(file, fmt::format("it has {} bytes, not {}", size, wanted));
  return bytes;
}

}  // namespace weft::flow::checkpoint
