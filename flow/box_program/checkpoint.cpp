// SPDX-License-Identifier: BSD-3-Clause
#include "box_program/checkpoint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include "program/bytes.hpp"
#include "program/checkpoints.hpp"
#include "program/header_fields.hpp"
#include "program/shared_file.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::box_program::checkpoint {

namespace fs = std::filesystem;
using program::DamagedError;

namespace {

constexpr const char* magic = "weftBOX2";

template <class Fields>
void each_field(Header& header, Fields& field) {
  field(header.step);
  field(header.settings);
  field(header.reading.step);
  for (auto* number : header.reading.numbers()) field(*number);
  field(header.has_velocities);
  field(header.particles.numbers);
  field(header.particles.sums);
  field(header.particles.gained);
  field(header.sites);
  field(header.site_bytes);
  field(header.checksum);
}

}  // namespace

std::string bytes_of(Header header) {
  program::WrittenFields fields;
  each_field(header, fields);
  return program::seal_header(magic, fields.bytes());
}

Header parse(const fs::path& file, const std::string& bytes) try {
  Header header;
  program::ReadFields fields(bytes, program::header_content_at);
  each_field(header, fields);
  if (header.step < 0 || header.step % 2 != 0)
    throw DamagedError(file, fmt::format("its header has step {}", header.step));
  return header;
} catch (const program::ByteReader::EndError&) {
  throw DamagedError(file, "its header ends too early");
}

std::string read_header_bytes(const fs::path& file) {
  auto bytes = program::read_sealed_header(file, magic, "weft box");
  const auto header = parse(file, bytes);
  std::error_code error;
  const auto size = fs::file_size(file, error);
  if (error) throw DamagedError(file, error.message());
  if (header.site_bytes == 0 || header.sites != (size - bytes.size()) / header.site_bytes ||
      size != bytes.size() + header.sites * header.site_bytes)
    throw DamagedError(file, fmt::format("its {} bytes do not match {} sites", size, header.sites));
  return bytes;
}

// As texts that reproduce the bits. Communication, monitoring and output may differ.
std::string settings_of(const Case& c) {
  const auto& f = c.fluid;
  auto text = fmt::format(
      "box.size = {}\nbox.periodic = {}\nlattice.velocities = {}\nlattice.precision = {}\nlattice.collision = {}\n",
      c.size, c.periodic, lattice::velocity_set_names.of(f.velocities), lattice::precision_names.of(f.precision),
      lattice::collision_names.of(f.collision));
  if (f.storage != lattice::Storage::full) text += fmt::format("lattice.storage = {}\n", name_of(f.storage));
  text += fmt::format("lattice.tau = {}\nlattice.magic = {}\nbulk_tau = {}\nghost_tau = {}\nbox.force = {}\n", f.tau,
                      f.magic, f.bulk_tau, f.ghost_tau, f.force);
  text += fmt::format("wall velocities = {}\n", c.wall_velocity);
  text += fmt::format("start.flow = {}\nstart.speed = {}\nstart.velocity = {}\n",
                      StartCase::flow_names.of(c.start.flow), c.start.speed, c.start.velocity);
  const auto& p = c.particles;
  text += fmt::format("gravity = {}\nrepulsion = {} within {}\n", p.gravity, p.repulsion_strength, p.repulsion_range);
  for (const auto& one : p.list)
    text += fmt::format("particle at {}, velocity {}, spin {}, radius {}, density {}, fixed {}\n", one.position,
                        one.velocity, one.spin, one.radius, one.density, one.fixed);
  return text;
}

}  // namespace weft::box_program::checkpoint

namespace weft::box_program {

namespace fs = std::filesystem;
using checkpoint::Header;
using program::DamagedError;

namespace {

// Calls row(first, number, count): a row of this rank's sites, the first one's number in the box.
template <class Row>
void each_row(const Space& space, const Row& row) {
  const auto axis = space.dimensions - 1;
  const auto& [first, count] = space.block;
  const auto rows = [&](std::size_t a) { return a == axis ? 1 : count[a]; };
  for (std::size_t x = 0; x < rows(0); ++x)
    for (std::size_t y = 0; y < rows(1); ++y) {
      const auto number = ((first[0] + x) * space.extent[1] + first[1] + y) * space.extent[2] + first[2];
      row(Site{static_cast<std::ptrdiff_t>(x), static_cast<std::ptrdiff_t>(y), 0}, number, count[axis]);
    }
}

// The sum over all sites is the same for any decomposition of the box.
std::uint64_t sum_of_row(const std::byte* bytes, std::size_t site_bytes, std::size_t number, std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto place = static_cast<std::uint64_t>(number + k);
    const auto seed = program::crc32(std::as_bytes(std::span(&place, 1)));
    sum += program::crc32({bytes + k * site_bytes, site_bytes}, seed);
  }
  return sum;
}

}  // namespace

Checkpoints::Checkpoints(mpi::Communicator& world, const Case& c, Simulation& simulation)
    : world_(world), case_(c), simulation_(simulation) {}

bool Checkpoints::can_write() const {
  return simulation_.step() % 2 == 0 && simulation_.monitor().idle_before(simulation_.step());
}

fs::path Checkpoints::write() {
  const auto& space = simulation_.space();
  const auto& lattice = simulation_.lattice();
  auto& monitor = simulation_.monitor();
  const auto file = program::checkpoint_file(case_.output.directory, simulation_.step());
  Header header{.step = simulation_.step(),
                .settings = checkpoint::settings_of(case_),
                .reading = monitor.reading(),
                .has_velocities = monitor.keeps_velocities() && monitor.reading().step >= 0,
                .particles = simulation_.particles().state(),
                .sites = space.extent[0] * space.extent[1] * space.extent[2],
                .site_bytes = lattice.bytes_of_site()};
  const auto gained_here = header.particles.gained;
  detail::run_collective(world_,
                         Collective::all_reduce(std::span<const std::int64_t>(gained_here),
                                                std::span<std::int64_t>(header.particles.gained), sum<std::int64_t>()));
  constexpr std::size_t velocity_bytes = 3 * sizeof(double);
  const auto populations = header.site_bytes;
  if (header.has_velocities) header.site_bytes += velocity_bytes;
  const auto sites_at = static_cast<std::int64_t>(checkpoint::bytes_of(header).size());
  const auto site_bytes = header.site_bytes;

  const auto put_sites = [&](program::SharedFile& out) {
    std::uint64_t mine = 0;
    std::size_t seen = 0;
    std::vector<std::byte> numbers;
    program::SharedFileStream stream(out);
    each_row(space, [&](const Site& first, std::size_t number, std::size_t count) {
      numbers.resize(count * populations);
      lattice.save(first, count, numbers.data());
      auto* const row = stream.room(sites_at + static_cast<std::int64_t>(number * site_bytes), count * site_bytes);
      for (std::size_t k = 0; k < count; ++k, ++seen) {
        std::memcpy(row + k * site_bytes, numbers.data() + k * populations, populations);
        if (header.has_velocities)
          std::memcpy(row + k * site_bytes + populations, &monitor.velocities()[seen], velocity_bytes);
      }
      mine += sum_of_row(row, site_bytes, number, count);
    });
    stream.flush();
    return mine;
  };
  program::write_whole(
      world_, file,
      [&](const fs::path& unfinished) {
        program::reserve_room(file, unfinished, sites_at + static_cast<std::int64_t>(header.sites * site_bytes));
      },
      [&](program::SharedFile& out) {
        std::uint64_t mine = 0;
        together(world_, [&] { mine = put_sites(out); });
        header.checksum = all_reduce(world_, mine, sum<std::uint64_t>());
        on_root(world_, [&] {
          const auto bytes = checkpoint::bytes_of(header);
          out.write(0, std::as_bytes(std::span(bytes)));
        });
      });
  on_root(world_, [&] { program::remove_other_checkpoints(case_.output.directory, header.step); });
  return file;
}

Restored Checkpoints::restore(const fs::path& from) {
  return program::restore_from(world_, from, [&](const fs::path& file, std::string& why) -> std::optional<Restored> {
    std::int64_t step = 0;
    if (!try_restore(file, why, step)) return {};
    return Restored{step, file, {}};
  });
}

bool Checkpoints::try_restore(const fs::path& file, std::string& why, std::int64_t& step) {
  std::string bytes;
  why = program::damage_of(world_, [&] {
    if (world_.rank() == 0) bytes = checkpoint::read_header_bytes(file);
  });
  if (!why.empty()) return false;
  bytes = broadcast(world_, bytes);
  const auto header = checkpoint::parse(file, bytes);
  const auto& space = simulation_.space();
  auto& lattice = simulation_.lattice();
  auto& monitor = simulation_.monitor();
  const auto populations = lattice.bytes_of_site();
  constexpr std::size_t velocity_bytes = 3 * sizeof(double);
  const bool with_velocities = header.has_velocities && monitor.keeps_velocities();
  std::uint64_t mine = 0;
  why = program::damage_of(world_, [&] {
    program::compare_settings(file, header.settings, checkpoint::settings_of(case_));
    // The settings are the case's and determine these numbers; other ones would exceed array bounds.
    if (header.sites != space.extent[0] * space.extent[1] * space.extent[2] ||
        header.site_bytes != populations + (header.has_velocities ? velocity_bytes : 0))
      throw DamagedError(file, "the counts in it contradict its settings");
    if (with_velocities) monitor.velocities().resize(space.block.points());
    errno = 0;
    std::ifstream in(file, std::ios::binary);
    std::vector<std::byte> row, numbers;
    std::size_t seen = 0;
    each_row(space, [&](const Site& first, std::size_t number, std::size_t count) {
      row.resize(count * header.site_bytes);
      numbers.resize(count * populations);
      if (!in.seekg(static_cast<std::streamoff>(bytes.size() + number * header.site_bytes)) ||
          !in.read(reinterpret_cast<char*>(row.data()), static_cast<std::streamsize>(row.size())))
        throw DamagedError(file, errno != 0 ? std::strerror(errno) : "it can't be read");
      mine += sum_of_row(row.data(), header.site_bytes, number, count);
      for (std::size_t k = 0; k < count; ++k, ++seen) {
        const auto* const site = row.data() + k * header.site_bytes;
        std::memcpy(numbers.data() + k * populations, site, populations);
        if (with_velocities) std::memcpy(&monitor.velocities()[seen], site + populations, velocity_bytes);
      }
      lattice.restore(first, count, numbers.data());
    });
  });
  if (!why.empty()) return false;
  const auto all = all_reduce(world_, mine, sum<std::uint64_t>());
  why = program::damage_of(world_, [&] {
    if (all != header.checksum) throw DamagedError(file, "the checksum of its sites is wrong");
    auto particles = header.particles;
    if (world_.rank() != 0) particles.gained.assign(particles.gained.size(), 0);
    simulation_.particles().restore(particles);
  });
  if (!why.empty()) return false;
  monitor.restore(header.reading, with_velocities);
  simulation_.start_at(header.step);
  step = header.step;
  return true;
}

}  // namespace weft::box_program
