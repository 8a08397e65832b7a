// SPDX-License-Identifier: BSD-3-Clause
#include "flow/run/checkpoint_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

#include "flow/scaling/scaling.hpp"
#include "program/checkpoints.hpp"
#include "program/header_fields.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

namespace {

struct Count {
  std::int64_t blocks = 0, sites = 0, openings = 0, walls = 0;  // in a request, `blocks` is the block's id

  Count operator+(const Count& o) const {
    return {blocks + o.blocks, sites + o.sites, openings + o.openings, walls + o.walls};
  }
};

std::vector<BlockPlace> blocks_of(const geometry::Domain& domain, const std::function<bool(std::size_t)>& at_opening,
                                  std::span<const WallSite> walls) {
  std::vector<BlockPlace> blocks;
  auto wall = walls.begin();
  for (std::size_t s = 0; s < domain.sites.size(); ++s) {
    const auto id = domain.grid.block_id(domain.sites[s]);
    if (blocks.empty() || blocks.back().id != id) blocks.push_back({.id = id, .first = s});
    ++blocks.back().sites;
    if (at_opening(s)) ++blocks.back().openings;
    if (wall != walls.end() && wall->site == s) {
      ++blocks.back().walls;
      ++wall;
    }
  }
  return blocks;
}

// Replaces each request by its answer: the counts before that block. Sets `all` to the totals.
void answer(Transport& transport, std::vector<std::vector<Count>>& asked, Count& all) {
  struct Entry {
    std::int64_t id;
    Count* count;
  };
  std::vector<Entry> order;
  for (auto& of_rank : asked)
    for (auto& count : of_rank) order.push_back({count.blocks, &count});
  std::sort(order.begin(), order.end(), [](const Entry& a, const Entry& b) { return a.id < b.id; });
  Count mine;
  for (auto& [id, count] : order) {
    const Count own{1, count->sites, count->openings, count->walls};
    *count = mine;
    mine = mine + own;
  }
  Count before;
  const auto counts = all_gather(transport, mine);
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (r == static_cast<std::size_t>(transport.rank())) before = all;
    all = all + counts[r];
  }
  for (auto& entry : order) *entry.count = *entry.count + before;
}

// The finalizer of splitmix64: decorrelates neighbouring numbers.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9U;
  x = (x ^ x >> 27) * 0x94D049BB133111EBU;
  return x ^ x >> 31;
}

}  // namespace

BlockPlaces place_blocks(Transport& transport, const geometry::Domain& domain,
                         const std::function<bool(std::size_t)>& at_opening, std::span<const WallSite> walls) {
  BlockPlaces places;
  places.mine = blocks_of(domain, at_opening, walls);
  const auto b = domain.grid.blocks();
  const std::int64_t all_ids = std::int64_t{b[0]} * b[1] * b[2], ranks = transport.size();
  const std::int64_t share = (all_ids + ranks - 1) / ranks;  // rank r counts ids [r share, (r + 1) share)
  std::vector<std::vector<Count>> asked(static_cast<std::size_t>(ranks));
  for (const auto& block : places.mine)
    asked[static_cast<std::size_t>(block.id / share)].push_back({block.id, block.sites, block.openings, block.walls});
  auto counted = all_to_all(transport, asked);
  Count all;
  answer(transport, counted, all);
  const auto answers = all_to_all(transport, counted);
  auto block = places.mine.begin();  // ascending by id, so also by the rank that counted
  for (const auto& of_rank : answers)
    for (const auto& before : of_rank) {
      block->number = before.blocks;
      block->sites_before = before.sites;
      block->openings_before = before.openings;
      block->walls_before = before.walls;
      ++block;
    }
  places.blocks = all.blocks;
  places.sites = all.sites;
  places.openings = all.openings;
  places.walls = all.walls;
  return places;
}

std::uint64_t hash_of(Transport& transport, const geometry::Domain& domain) {
  // A sum, which does not depend on the distribution over ranks.
  std::uint64_t hash = 0;
  const auto id_of = [&](std::size_t site) {
    return static_cast<std::uint64_t>(domain.grid.site_id(domain.sites[site]));
  };
  for (std::size_t s = 0; s < domain.sites.size(); ++s) hash += mixed(id_of(s));
  for (const auto& cut : domain.cuts) {
    if (cut.opening == geometry::Cut::wall) continue;
    hash += mixed(mixed(id_of(cut.site)) + 32U * static_cast<std::uint64_t>(cut.opening + 1) + cut.link);
  }
  return all_reduce(transport, hash, sum<std::uint64_t>());
}

}  // namespace weft::flow

namespace weft::flow::checkpoint {

namespace fs = std::filesystem;
using program::DamagedError;

namespace {

constexpr const char* magic = "weftFLO5";

template <class Fields>
void each_field(Header& header, Fields& field) {
  field(header.step);
  field(header.settings);
  for (auto* number :
       {&header.directions, &header.blocks, &header.sites, &header.opening_sites, &header.wall_sites,
        &header.wall_samples, &header.observed.seen, &header.observed.fields, &header.observed.fields_before})
    field(*number);
  auto& row = header.monitors.row;
  field.size_of(row.flow, 2 * sizeof(double));
  row.pressure.resize(row.flow.size());
  for (auto* number : {&row.step, &header.monitors.change_step}) field(*number);
  for (auto* number :
       {&row.lowest_density, &row.highest_density, &row.highest_mach, &row.mass, &row.relative_change, &row.entropy})
    field(*number);
  for (auto* list : {&row.flow, &row.pressure})
    for (auto& number : *list) field(number);
  field.size_of(header.seen, sizeof(lattice::Observation) + 2 * row.flow.size() * sizeof(double));
  for (auto& seen : header.seen) {
    auto& o = seen.observation;
    for (auto* number : {&o.lowest_density, &o.highest_density, &o.highest_speed_squared, &o.mass, &o.lowest_population,
                         &o.change_squared, &o.speed_squared})
      field(*number);
    field(o.bad_site);
    seen.inflow.resize(row.flow.size());
    for (auto& number : seen.inflow) field(number);
    seen.pressure.resize(row.flow.size());
    for (auto& number : seen.pressure) field(number);
  }
  field(header.program_state);
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
  if (c.lattice.storage != lattice::Storage::full)
    text += fmt::format("lattice.storage = {}\n", name_of(c.lattice.storage));
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

std::string bytes_of(Header header) {
  program::WrittenFields fields;
  each_field(header, fields);
  return program::seal_header(magic, fields.bytes());
}

Header parse(const fs::path& file, const std::string& bytes) try {
  Header header;
  program::ReadFields fields(bytes, program::header_content_at);
  each_field(header, fields);
  for (const auto n :
       {header.step, header.blocks, header.sites, header.opening_sites, header.wall_sites, header.wall_samples})
    if (n < 0) throw DamagedError(file, fmt::format("its header has a count of {}", n));
  return header;
} catch (const program::ByteReader::EndError&) {
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
