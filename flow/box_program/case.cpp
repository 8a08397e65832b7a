// SPDX-License-Identifier: BSD-3-Clause
#include "box_program/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "program/overrides.hpp"
#include "program/section_reader.hpp"
#include "weft/error.hpp"

namespace weft::box_program {
namespace {

using namespace program;

double number_of(const Value& value, const std::string& what) {
  if (const auto* d = std::get_if<double>(&value.data)) {
    if (!std::isfinite(*d)) fail(value, fmt::format("{} is not finite. Give a number.", what));
    return *d;
  }
  if (const auto* i = std::get_if<std::int64_t>(&value.data)) return static_cast<double>(*i);
  fail(value, fmt::format("{} is {}. Give a number.", what, type_name(value)));
}

/// A list with one entry per axis.
const List& axes_of(const SectionReader& in, std::string_view key, std::size_t dimensions) {
  const auto& value = *in.find(key);
  const auto* list = std::get_if<List>(&value.data);
  if (list == nullptr || list->size() != dimensions)
    fail(value, fmt::format("{} is {}. Give a list of {} values, one per axis.", in.title(key),
                            list == nullptr ? std::string(type_name(value)) : fmt::format("a list of {}", list->size()),
                            dimensions));
  return *list;
}

/// A vector with one component per axis of the box; the others are 0.
std::array<double, 3> vector_of(const SectionReader& in, std::string_view key, std::size_t dimensions) {
  std::array<double, 3> v{};
  if (!in.has(key)) return v;
  const auto& list = axes_of(in, key, dimensions);
  for (std::size_t a = 0; a < dimensions; ++a) v[a] = number_of(list[a], in.title(key));
  return v;
}

void read_lattice(const Value& section, lattice::DenseParameters& fluid) {
  const SectionReader in(
      section, "in [lattice]",
      {"velocities", "collision", "precision", "storage", "tau", "viscosity", "magic", "bulk_tau", "ghost_tau"});
  fluid.velocities = in.choice("velocities", lattice::velocity_set_names, fluid.velocities);
  fluid.collision = in.choice("collision", lattice::collision_names, fluid.collision);
  fluid.storage = in.choice("storage", lattice::storage_names, fluid.storage);
  if (fluid.storage != lattice::Storage::full) fluid.precision = lattice::Precision::fp32;
  fluid.precision = in.choice("precision", lattice::precision_names, fluid.precision);
  if (fluid.storage != lattice::Storage::full && fluid.precision == lattice::Precision::fp64)
    fail(*in.find("storage"), fmt::format("{} is \"{}\" with precision \"fp64\" (single precision computes). Use "
                                          "precision \"fp32\", or remove one of both keys.",
                                          in.title("storage"), name_of(fluid.storage)));
  if (in.exactly_one_of({"tau", "viscosity"}) == "tau") {
    fluid.tau = in.number("tau", Range::positive, 0);
    if (!(fluid.tau > 0.5))
      fail(*in.find("tau"), fmt::format("{} is {} (the viscosity would not be positive). Use more than 0.5.",
                                        in.title("tau"), fluid.tau));
  } else {
    const double viscosity = in.number("viscosity", Range::positive, 0);
    fluid.tau = 3 * viscosity + 0.5;
    if (!(fluid.tau > 0.5) || !std::isfinite(fluid.tau))
      fail(*in.find("viscosity"),
           fmt::format("{} is {} (tau would be {}). Use another value.", in.title("viscosity"), viscosity, fluid.tau));
  }
  fluid.magic = in.number("magic", Range::positive, fluid.magic);
  for (auto [key, value] : {std::pair{"bulk_tau", &fluid.bulk_tau}, std::pair{"ghost_tau", &fluid.ghost_tau}}) {
    if (!in.has(key)) continue;
    if (fluid.collision != lattice::Collision::mrt)
      fail(*in.find(key), fmt::format("{} is allowed only with collision = \"mrt\". Remove it.", in.title(key)));
    *value = in.number(key, Range::positive, 0);
    if (!(*value > 0.5)) fail(*in.find(key), fmt::format("{} is {}. Use more than 0.5.", in.title(key), *value));
  }
}

void read_box(const Value& section, Case& c) {
  const SectionReader in(section, "in [box]", {"size", "periodic", "processes", "force"});
  const bool flat = c.fluid.velocities == lattice::VelocitySet::d2q9;
  const std::size_t dimensions = flat ? 2 : 3;
  if (!in.has("size"))
    fail(section, fmt::format("The key 'size' is missing in [box]. Give a list of {} numbers of sites.", dimensions));
  constexpr std::int64_t most_sites =
      1'000'000'000'000'000;  // so that bytes and indices of all of them are whole numbers
  std::int64_t sites = 1;
  for (const auto& entry : axes_of(in, "size", dimensions)) {
    const auto* n = std::get_if<std::int64_t>(&entry.data);
    if (n == nullptr || *n < 1)
      fail(entry, fmt::format("{} has an entry that is not a positive whole number. Correct it.", in.title("size")));
    if (*n > most_sites / sites)
      fail(entry, fmt::format("{} gives more than {:.0e} sites in all. Use fewer sites.", in.title("size"),
                              static_cast<double>(most_sites)));
    sites *= *n;
    c.size.push_back(static_cast<std::size_t>(*n));
  }
  c.periodic.assign(dimensions, true);
  if (in.has("periodic")) {
    const auto& list = axes_of(in, "periodic", dimensions);
    for (std::size_t a = 0; a < dimensions; ++a) {
      const auto* flag = std::get_if<bool>(&list[a].data);
      if (flag == nullptr)
        fail(list[a], fmt::format("{} has an entry that is neither true nor false. Correct it.", in.title("periodic")));
      c.periodic[a] = *flag;
    }
  }
  if (in.has("processes"))
    for (const auto& entry : axes_of(in, "processes", dimensions)) {
      const auto* n = std::get_if<std::int64_t>(&entry.data);
      if (n == nullptr || *n < 0 || *n > std::numeric_limits<int>::max())
        fail(entry, fmt::format("{} has an entry that is not a number of ranks. Use 0 where weft should choose it.",
                                in.title("processes")));
      c.processes.push_back(static_cast<int>(*n));
    }
  c.fluid.force = vector_of(in, "force", dimensions);
}

void read_walls(const Value& section, Case& c) {
  static const std::vector<std::string> names(program::face_names.begin(), program::face_names.end());
  const SectionReader in(section, "in [walls]", names);
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (!in.has(names[k])) continue;
    const std::size_t axis = k / 2;
    if (axis >= c.dimensions() || c.periodic[axis])
      fail(*in.find(names[k]),
           fmt::format("There can't be a wall at {} ({}). Make the axis not periodic, or remove the wall.", names[k],
                       axis >= c.dimensions() ? "the box has two axes" : "the axis is periodic"));
    auto& velocity = c.wall_velocity[axis][k % 2];
    velocity = vector_of(in, names[k], c.dimensions());
    if (velocity[axis] != 0)
      fail(*in.find(names[k]),
           fmt::format("The wall at {} has a velocity normal to itself. Set its component along {} to 0.", names[k],
                       names[k].substr(1)));
  }
}

void read_start(const Value& section, Case& c) {
  using Flow = StartCase::Flow;
  const SectionReader in(section, "in [start]", {"flow", "speed", "velocity"});
  const auto flow = c.start.flow = in.choice("flow", StartCase::flow_names, c.start.flow);
  if (flow == Flow::taylor_green_3d && c.dimensions() == 2)
    fail(*in.find("flow"),
         fmt::format("{} is taylor-green-3d, but the box has two axes. Use taylor-green.", in.title("flow")));
  const bool waves = flow != Flow::rest && flow != Flow::uniform;
  if (in.has("speed") && !waves)
    fail(*in.find("speed"), fmt::format("{} is allowed only with vortices and waves. Remove it.", in.title("speed")));
  if (in.has("velocity") && flow != Flow::uniform)
    fail(*in.find("velocity"),
         fmt::format("{} is allowed only with flow = \"uniform\". Remove it.", in.title("velocity")));
  if (waves) c.start.speed = in.number("speed", Range::any, 0.05);
  c.start.velocity = vector_of(in, "velocity", c.dimensions());
}

Particle read_particle(const Value& section, const Case& c) {
  const auto dimensions = c.dimensions();
  const SectionReader in(section, "in [[particle]]", {"position", "radius", "velocity", "spin", "density", "fixed"});
  Particle p;
  if (!in.has("position")) fail(section, "The key 'position' is missing in [[particle]]. Add it.");
  p.position = vector_of(in, "position", dimensions);
  p.velocity = vector_of(in, "velocity", dimensions);
  if (in.has("spin")) {
    if (dimensions == 3)
      p.spin = vector_of(in, "spin", 3);
    else
      p.spin[2] = in.number("spin", Range::any, 0);
  }
  if (!in.has("radius")) fail(section, "The key 'radius' is missing in [[particle]]. Add it.");
  p.radius = in.number("radius", Range::positive, 0);
  p.density = in.number("density", Range::positive, p.density);
  p.fixed = in.flag("fixed", p.fixed);
  for (std::size_t a = 0; a < dimensions; ++a) {
    const auto n = static_cast<double>(c.size[a]), low = c.periodic[a] ? -0.5 : p.radius - 0.5;
    if (2 * p.radius > n)
      fail(*in.find("radius"), fmt::format("{} is {}, but the box has {} sites along {}. Use at most half of that.",
                                           in.title("radius"), p.radius, n, "xyz"[a]));
    if (p.position[a] < low || p.position[a] > n - 1 - low)
      fail(*in.find("position"), fmt::format("{} is {} along {}. Give a number from {} to {}.", in.title("position"),
                                             p.position[a], "xyz"[a], low, n - 1 - low));
  }
  return p;
}

void read_particles(const SectionReader& document, Case& c) {
  if (const auto* value = document.find("particle")) {
    const auto* list = std::get_if<List>(&value->data);
    if (list == nullptr)
      fail(*value, fmt::format("'particle' is {}. Write one [[particle]] per particle.", type_name(*value)));
    for (const auto& section : *list) c.particles.list.push_back(read_particle(section, c));
  }
  const auto* value = document.find("particles");
  if (value == nullptr) return;
  const SectionReader in(*value, "in [particles]",
                         {"count", "radius", "density", "seed", "gravity", "repulsion_range", "repulsion_strength"});
  c.particles.gravity = vector_of(in, "gravity", c.dimensions());
  c.particles.repulsion_range = in.number("repulsion_range", Range::not_negative, c.particles.repulsion_range);
  c.particles.repulsion_strength = in.number("repulsion_strength", Range::not_negative, c.particles.repulsion_strength);
  constexpr std::int64_t most_particles = 1'000'000;  // every rank stores them all
  const auto count = in.whole_number("count", 0, 0, most_particles);
  if (count == 0) return;
  if (!in.has("radius")) fail(*value, "The key 'radius' is missing in [particles]. Add it.");
  Particle p;
  p.radius = in.number("radius", Range::positive, 0);
  p.density = in.number("density", Range::positive, p.density);
  const auto seed = static_cast<std::uint64_t>(in.whole_number("seed", 0, 1));
  if (!place_particles(c, p, static_cast<std::size_t>(count), seed))
    fail(*in.find("count"),
         fmt::format(
             "{} is {} (so many particles of radius {} can't be placed at random). Use fewer or smaller particles.",
             in.title("count"), count, p.radius));
}

}  // namespace

namespace {
double magnitude(const std::array<double, 3>& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }
}  // namespace

double largest_speed(const Case& c) {
  double speed = std::max(std::abs(c.start.speed), magnitude(c.start.velocity));
  for (const auto& axis : c.wall_velocity)
    for (const auto& wall : axis) speed = std::max(speed, magnitude(wall));
  for (const auto& p : c.particles.list) speed = std::max(speed, magnitude(p.velocity) + magnitude(p.spin) * p.radius);
  return speed;
}

Case read_case(const std::filesystem::path& file, std::span<const std::string> overrides) {
  auto root = read_toml(file);
  for (const auto& text : overrides) remove_excluded(apply_override(root, text));
  return read_case(root, file);
}

void remove_excluded(const program::Override& changed) {
  if (changed.parent == "lattice") changed.exclude({"tau", "viscosity"});
}

Case read_case(const program::Value& root, const std::filesystem::path& file) {
  const SectionReader document(root, "at the top level",
                               {"title", "lattice", "box", "walls", "start", "particle", "particles", "halo", "run",
                                "monitor", "output", "checkpoint"});
  for (const auto* required : {"lattice", "box", "run"})
    if (!document.has(required)) fail(root, fmt::format("The section [{}] is missing. Add it.", required));

  Case c;
  c.file = file;
  c.title = document.text("title", file.stem().string());
  read_lattice(*document.find("lattice"), c.fluid);
  read_box(*document.find("box"), c);
  read_walls(document.section_or_empty("walls"), c);

  read_start(document.section_or_empty("start"), c);
  read_particles(document, c);

  const SectionReader halo(document.section_or_empty("halo"), "in [halo]", {"scheme", "payload"});
  c.scheme = halo.choice("scheme", scheme_names, c.scheme);
  c.payload = halo.choice("payload", halo_payload_names, c.payload);

  const SectionReader run(*document.find("run"), "in [run]", {"steps", "steady"});
  c.steps = run.whole_number("steps", 1);
  c.steady = run.number("steady", Range::not_negative, c.steady);
  const SectionReader monitor(document.section_or_empty("monitor"), "in [monitor]",
                              {"every", "incompressibility", "stability", "convergence", "entropy", "way"});
  c.monitor.every = monitor.whole_number("every", 1, c.monitor.every);
  c.monitor.incompressibility = monitor.flag("incompressibility", c.monitor.incompressibility);
  c.monitor.stability = monitor.flag("stability", c.monitor.stability);
  c.monitor.convergence = monitor.flag("convergence", c.monitor.convergence);
  c.monitor.entropy = monitor.flag("entropy", c.monitor.entropy);
  c.monitor.way = monitor.choice("way", monitor_way_names, c.monitor.way);
  const SectionReader output(document.section_or_empty("output"), "in [output]", {"directory", "every", "pictures"});
  c.output.directory = output.text("directory", (std::filesystem::path("out") / file.stem()).string());
  c.output.every = output.whole_number("every", 0, c.output.every);
  c.output.pictures = output.flag("pictures", c.output.pictures);
  const SectionReader checkpoint(document.section_or_empty("checkpoint"), "in [checkpoint]", {"every"});
  c.checkpoint_every = checkpoint.whole_number("every", 0, c.checkpoint_every);
  if (c.checkpoint_every % 2 != 0)
    fail(*checkpoint.find("every"),
         fmt::format("{} is {} (a checkpoint is possible only before even steps). Use an even number.",
                     checkpoint.title("every"), c.checkpoint_every));
  constexpr double sound = 0.5773502691896258;  // 1 / sqrt(3) sites per step
  if (const double speed = largest_speed(c); !(speed < sound))
    throw InputError(
        fmt::format("{}: The largest speed is {:.4g} sites per step (it must be below the speed of sound, {:.3f}). Use "
                    "smaller speeds in [start], [walls] or the particles; 0.1 or less is usual.",
                    file.string(), speed, sound));
  return c;
}

}  // namespace weft::box_program
