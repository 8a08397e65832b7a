// SPDX-License-Identifier: BSD-3-Clause
#include "box_program/checkpoint_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <system_error>
#include <vector>

#include "program/bytes.hpp"
#include "program/checkpoints.hpp"

namespace weft::box_program::checkpoint {

namespace fs = std::filesystem;
using program::ByteReader;
using program::ByteWriter;
using program::DamagedError;

namespace {

constexpr const char* magic = "weftBOX2";

// One function for writing and reading, so that they can't differ: `field(x)` writes or reads x.
template <class Field>
void each_field(Header& header, const Field& field) {
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

struct Put {
  template <class Number>
  void operator()(Number number) const {
    w.put(number);
  }
  void operator()(const std::string& text) const { w.put_text(text); }
  template <class Number>
  void operator()(const std::vector<Number>& list) const {
    w.put(static_cast<std::uint64_t>(list.size()));
    for (const auto number : list) w.put(number);
  }
  ByteWriter& w;
};

struct Get {
  template <class Number>
  void operator()(Number& number) const {
    r.get(number);
  }
  void operator()(bool& flag) const { flag = r.get<std::uint8_t>() != 0; }
  void operator()(std::string& text) const { text = r.get_text(); }
  template <class Number>
  void operator()(std::vector<Number>& list) const {
    const auto n = r.get<std::uint64_t>();
    if (n > r.left() / sizeof(Number)) throw ByteReader::EndError();
    list.resize(n);
    for (auto& number : list) r.get(number);
  }
  ByteReader& r;
};

}  // namespace

std::string bytes_of(Header header) {
  ByteWriter w;
  each_field(header, Put{w});
  return program::seal_header(magic, w.bytes);
}

Header parse(const fs::path& file, const std::string& bytes) try {
  Header header;
  ByteReader r(bytes, program::header_content_at);
  each_field(header, Get{r});
  if (header.step < 0 || header.step % 2 != 0)
    throw DamagedError(file, fmt::format("its header has step {}", header.step));
  return header;
} catch (const ByteReader::EndError&) {
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
