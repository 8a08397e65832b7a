// SPDX-License-Identifier: BSD-3-Clause
#include "flow/run/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "program/bytes.hpp"
#include "program/checkpoints.hpp"
#include "program/shared_file.hpp"
#include "weft/error.hpp"
#include "weft/file/beside.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

namespace fs = std::filesystem;
using namespace checkpoint;
using lattice::OpeningSiteState;

namespace {

// Calls `site` for all sites of a block, then `opening` for those at openings, then `wall` for the indices in `walls`
// of those beside the wall: the order in the file.
template <class Site, class OpeningSite, class Wall>
void each_state(const lattice::SparseLattice& lattice, const BlockPlace& block, std::span<const WallSite> walls,
                const Site& site, const OpeningSite& opening, const Wall& wall) {
  for (std::size_t s = block.first; s < block.first + block.sites; ++s) site(s);
  for (std::size_t s = block.first; s < block.first + block.sites && block.openings > 0; ++s)
    if (lattice.is_at_opening(s)) opening(s);
  const auto first =
      std::ranges::lower_bound(walls, block.first, {}, [](const WallSite& w) { return std::size_t{w.site}; });
  for (std::uint32_t k = 0; k < block.walls; ++k) wall(static_cast<std::size_t>(first - walls.begin()) + k);
}

}  // namespace

Checkpointer::Checkpointer(mpi::Communicator& world, const Case& c, const Vessel& vessel,
                           lattice::SparseLattice& lattice, LatticeClient& client, FlowMonitors& monitors,
                           WallAverages* averages)
    : world_(world), case_(c), vessel_(vessel), lattice_(lattice), client_(client), monitors_(monitors),
      averages_(averages), every_(steps_between(c.checkpoint, vessel.scaling)) {}

bool Checkpointer::due(std::int64_t steps_done, bool is_last) const {
  if (every_ == 0 || steps_done < 1 || !can_write(steps_done)) return false;
  // A checkpoint that can't be written at its step is written at the next step that can.
  auto before = steps_done - 1;
  while (before > 0 && !can_write(before)) --before;
  return is_last || steps_done / every_ > before / every_;
}

bool Checkpointer::can_write(std::int64_t steps_done) const {
  const auto& monitor = case_.monitor;
  if (monitor.way == Monitors::Way::phased && steps_done % monitor.every != 1 % monitor.every) return false;
  return monitors_.idle_before(steps_done);
}

void Checkpointer::prepare() {
  if (places_) return;
  walls_ = find_surface_sites(vessel_.domain, case_.lattice.wall);
  places_ = place_blocks(
      world_, vessel_.domain, [&](std::size_t site) { return lattice_.is_at_opening(site); }, walls_);
  settings_ = settings_of(case_, vessel_.scaling, *places_, hash_of(world_, vessel_.domain));
}

std::vector<Seen> Checkpointer::gather_seen() {
  const auto& o = lattice_.observation();
  std::vector<double> numbers(sizeof o / sizeof(double));
  std::memcpy(numbers.data(), &o, sizeof o);
  const auto inflow = lattice_.inflow();
  numbers.insert(numbers.end(), inflow.begin(), inflow.end());
  for (const auto ticks : monitors_.seen_pressures()) numbers.push_back(std::bit_cast<double>(ticks));
  std::vector<Seen> all;
  for (const auto& of_rank : gather(world_, numbers)) {
    auto& seen = all.emplace_back();
    std::memcpy(&seen.observation, of_rank.data(), sizeof o);
    const auto *from = of_rank.data() + sizeof o / sizeof(double), *const middle = from + inflow.size();
    seen.inflow.assign(from, middle);
    for (std::size_t k = 0; k < inflow.size(); ++k) seen.pressure.push_back(std::bit_cast<std::int64_t>(middle[k]));
  }
  return all;
}

Header Checkpointer::header(std::int64_t steps_done, const std::string& program_state) {
  return {.step = steps_done,
          .settings = settings_,
          .directions = static_cast<std::int64_t>(lattice_.directions()),
          .blocks = places_->blocks,
          .sites = places_->sites,
          .opening_sites = places_->openings,
          .wall_sites = keeps_averages() ? places_->walls : 0,
          .wall_samples = keeps_averages() ? averages_->samples() : 0,
          .observed = client_.observed(),
          .monitors = monitors_.state(),
          .seen = gather_seen(),
          .program_state = program_state};
}

void Checkpointer::put_blocks(program::SharedFile& out, const Layout& layout, const std::string& header) {
  together(world_, [&] {
    std::vector<Entry> entries;
    program::SharedFileStream values(out);
    for (const auto& block : places_->mine) {
      const auto at = layout.values_at(block.sites_before, block.openings_before, block.walls_before);
      const auto directions = lattice_.directions(), bytes = checkpoint::bytes_of(block, directions, layout.averages);
      auto* const from = values.room(at, bytes);
      auto* to = from;
      each_state(
          lattice_, block, walls_,
          [&](std::size_t s) {
            checkpoint::pack(lattice_.state(s), directions, to);
            to += checkpoint::bytes_of_site(directions);
          },
          [&](std::size_t s) {
            const auto state = lattice_.opening_state(s);
            std::memcpy(to, &state, sizeof state);
            to += sizeof state;
          },
          [&](std::size_t k) {
            if (!layout.averages) return;
            std::memcpy(to, &averages_->sums()[k], sizeof(WallAverages::Sum));
            to += sizeof(WallAverages::Sum);
          });
      entries.push_back({block.id, block.sites, program::crc32({from, bytes})});
    }
    values.flush();
    program::SharedFileStream table(out);
    for (std::size_t k = 0; k < entries.size(); ++k)
      std::memcpy(table.room(layout.entry_at(places_->mine[k].number), sizeof(Entry)), &entries[k], sizeof(Entry));
    table.flush();
    if (!header.empty()) out.write(0, std::as_bytes(std::span(header)));
  });
}

fs::path Checkpointer::write(std::int64_t steps_done, const std::string& program_state) {
  prepare();
  const auto& directory = case_.output.directory;
  const auto file = program::checkpoint_file(directory, steps_done);
  const auto state = header(steps_done, program_state);
  const auto head = world_.rank() == 0 ? checkpoint::bytes_of(state) : std::string();
  const Layout layout{broadcast(world_, std::vector{static_cast<std::int64_t>(head.size())}).front(), places_->blocks,
                      static_cast<std::int64_t>(lattice_.directions()), keeps_averages()};
  on_root(world_, [&] {
    std::error_code error;
    fs::create_directories(directory, error);
    if (error) throw cannot_write(directory, error.message());
  });
  program::write_whole(
      world_, file,
      [&](const fs::path& unfinished) {
        program::reserve_room(file, unfinished, layout.values_at(places_->sites, places_->openings, places_->walls));
      },
      [&](program::SharedFile& out) { put_blocks(out, layout, head); });
  on_root(world_, [&] { program::remove_other_checkpoints(directory, steps_done); });
  return file;
}

void Checkpointer::read_blocks(const fs::path& file, const Layout& layout) {
  std::ifstream in(file, std::ios::binary);
  const auto read = [&](std::int64_t at, void* to, std::size_t bytes) {
    errno = 0;
    if (!in.seekg(at) || !in.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)))
      throw program::DamagedError(file, errno != 0 ? std::strerror(errno) : "it can't be read");
  };
  std::vector<Entry> entries(places_->mine.size());
  for (std::size_t k = 0; k < entries.size(); ++k)
    read(layout.entry_at(places_->mine[k].number), &entries[k], sizeof(Entry));
  std::vector<std::byte> bytes;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const auto& block = places_->mine[k];
    bytes.resize(checkpoint::bytes_of(block, lattice_.directions(), layout.averages));
    read(layout.values_at(block.sites_before, block.openings_before, block.walls_before), bytes.data(), bytes.size());
    if (entries[k].block != block.id || entries[k].sites != block.sites || entries[k].crc != program::crc32(bytes))
      throw program::DamagedError(file, fmt::format("the checksum of block {} is wrong", block.id));
    const auto* from = bytes.data();
    each_state(
        lattice_, block, walls_,
        [&](std::size_t s) {
          lattice_.restore(s, checkpoint::unpack(from, lattice_.directions()));
          from += checkpoint::bytes_of_site(lattice_.directions());
        },
        [&](std::size_t s) {
          OpeningSiteState state{};
          std::memcpy(&state, from, sizeof state);
          from += sizeof state;
          lattice_.restore_opening(s, state);
        },
        [&](std::size_t k) {
          if (!layout.averages || averages_ == nullptr) return;
          WallAverages::Sum sum;
          std::memcpy(&sum, from, sizeof sum);
          from += sizeof sum;
          averages_->restore(k, sum);
        });
  }
}

void Checkpointer::restore_seen(const std::vector<Seen>& seen) {
  // With the same number of ranks each one restores its own values, so that sums are bitwise identical. Otherwise the
  // values are distributed round-robin.
  const auto ranks = static_cast<std::size_t>(world_.size()), rank = static_cast<std::size_t>(world_.rank());
  Seen mine{.inflow = std::vector<double>(case_.openings.size()),
            .pressure = std::vector<std::int64_t>(case_.openings.size())};
  for (std::size_t k = rank; k < seen.size(); k += ranks) {
    if (k == rank) {
      mine = seen[k];
      continue;
    }
    mine.observation = combine(mine.observation, seen[k].observation);
    for (std::size_t o = 0; o < mine.inflow.size(); ++o) {
      mine.inflow[o] += seen[k].inflow[o];
      mine.pressure[o] += seen[k].pressure[o];
    }
  }
  lattice_.restore_observation(mine.observation, mine.inflow);
  monitors_.restore_seen_pressures(mine.pressure);
}

std::optional<Restored> Checkpointer::try_restore(const fs::path& file, std::string& damage) {
  std::string bytes;
  damage = program::damage_of(world_, [&] {
    if (world_.rank() == 0) bytes = read_header_bytes(file);
  });
  if (!damage.empty()) return {};
  bytes = broadcast(world_, bytes);
  auto header = parse(file, bytes);
  damage = program::damage_of(world_, [&] { program::compare_settings(file, header.settings, settings_); });
  if (!damage.empty()) return {};
  together(world_, [&] {
    if (!monitors_.idle_before(header.step))
      throw InputError(
          fmt::format("{} is of step {}, where phased monitors of {} ranks, every {} steps, have a row in flight. Use "
                      "monitor.way = \"rounds\", or as many ranks as before.",
                      file.string(), header.step, world_.size(), case_.monitor.every));
  });
  damage = program::damage_of(world_, [&] {
    // The settings agree with the case's and determine these counts; other counts would lead to out-of-range accesses.
    if (header.directions != static_cast<std::int64_t>(lattice_.directions()) || header.blocks != places_->blocks ||
        header.sites != places_->sites || header.opening_sites != places_->openings ||
        (header.wall_sites != 0 && header.wall_sites != places_->walls) ||
        header.monitors.row.flow.size() != case_.openings.size())
      throw program::DamagedError(file, "its counts differ from its settings");
    read_blocks(file,
                {static_cast<std::int64_t>(bytes.size()), header.blocks, header.directions, header.wall_sites > 0});
  });
  if (!damage.empty()) return {};
  client_.restore(header.observed);
  if (averages_ != nullptr) averages_->restore(header.wall_samples);
  monitors_.restore(header.monitors);
  restore_seen(header.seen);
  return Restored{header.step, file, std::move(header.program_state), {}};
}

Restored Checkpointer::restore(const fs::path& from) {
  prepare();
  return program::restore_from(world_, from.empty() ? case_.output.directory : from,
                               [&](const fs::path& file, std::string& why) { return try_restore(file, why); });
}

}  // namespace weft::flow
