// SPDX-License-Identifier: BSD-3-Clause
#include "box_program/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "box_program/place_particles.hpp"
#include "program/overrides.hpp"
#include "program/section_reader.hpp"

namespace weft::box_program {
namespace {

using namespace program;

const Value& section_or_empty(const SectionReader& document, std::string_view key) {
  static const Value empty{Section{}, ""};
  const auto* value = document.find(key);
  return value == nullptr ? empty : *value;
}

double number_of(const Value& value, const std::string& what) {
  if (const auto* d = std::get_if<double>(&value.data)) {
    if (!std::isfinite(*d)) fail(value, fmt::format("{} is not finite. give a number.", what));
    return *d;
  }
  if (const auto* i = std::get_if<std::int64_t>(&value.data)) return static_cast<double>(*i);
  fail(value, fmt::format("{} is {}. give a number.", what, type_name(value)));
}

/// A list of one entry an axis.
const List& axes_of(const SectionReader& in, std::string_view key, std::size_t dimensions) {
  const auto& value = *in.find(key);
  const auto* list = std::get_if<List>(&value.data);
  if (list == nullptr || list->size() != dimensions)
    fail(value, fmt::format("{} is {}. give a list of {}, one an axis.", in.title(key),
                            list == nullptr ? std::string(type_name(value)) : fmt::format("a list of {}", list->size()),
                            dimensions));
  return *list;
}

/// A vector of as many components as the box has axes; the others are 0.
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
      {"velocities", "collision", "precision", "tau", "viscosity", "magic", "bulk_tau", "ghost_tau"});
  static const std::vector<std::string> sets = {"D2Q9", "D3Q15", "D3Q19", "D3Q27"},
                                        collisions = {"bgk", "trt", "mrt", "regularised", "cumulant"},
                                        precisions = {"fp64", "fp32"};
  fluid.velocities = static_cast<lattice::VelocitySet>(in.choice("velocities", sets, 2));
  fluid.collision = static_cast<lattice::Collision>(in.choice("collision", collisions, 1));
  fluid.precision = static_cast<lattice::Precision>(in.choice("precision", precisions, 0));
  if (in.exactly_one_of({"tau", "viscosity"}) == "tau") {
    fluid.tau = in.number("tau", Range::positive, 0);
    if (!(fluid.tau > 0.5))
      fail(*in.find("tau"), fmt::format("{} is {} (the viscosity would not be positive). use more than 0.5.",
                                        in.title("tau"), fluid.tau));
  } else {
    const double viscosity = in.number("viscosity", Range::positive, 0);
    fluid.tau = 3 * viscosity + 0.5;
    if (!(fluid.tau > 0.5) || !std::isfinite(fluid.tau))
      fail(*in.find("viscosity"),
           fmt::format("{} is {} (tau would be {}). use another one.", in.title("viscosity"), viscosity, fluid.tau));
  }
  fluid.magic = in.number("magic", Range::positive, fluid.magic);
  for (auto [key, value] : {std::pair{"bulk_tau", &fluid.bulk_tau}, std::pair{"ghost_tau", &fluid.ghost_tau}}) {
    if (!in.has(key)) continue;
    if (fluid.collision != lattice::Collision::mrt)
      fail(*in.find(key), fmt::format("{} is for collision = \"mrt\" only. take it out.", in.title(key)));
    *value = in.number(key, Range::positive, 0);
    if (!(*value > 0.5)) fail(*in.find(key), fmt::format("{} is {}. use more than 0.5.", in.title(key), *value));
  }
}

void read_box(const Value& section, Case& c) {
  const SectionReader in(section, "in [box]", {"size", "periodic", "processes", "force"});
  const bool flat = c.fluid.velocities == lattice::VelocitySet::d2q9;
  const std::size_t dimensions = flat ? 2 : 3;
  if (!in.has("size"))
    fail(section, fmt::format("size in [box] is missing. give a list of {} numbers of sites.", dimensions));
  constexpr std::int64_t most_sites =
      1'000'000'000'000'000;  // so that bytes and indices of all of them are whole numbers
  std::int64_t sites = 1;
  for (const auto& entry : axes_of(in, "size", dimensions)) {
    const auto* n = std::get_if<std::int64_t>(&entry.data);
    if (n == nullptr || *n < 1)
      fail(entry, fmt::format("{} has an entry that is no positive whole number.", in.title("size")));
    if (*n > most_sites / sites)
      fail(entry, fmt::format("{} has more than {:.0e} sites in all. use fewer.", in.title("size"),
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
        fail(list[a], fmt::format("{} has an entry that is neither true nor false.", in.title("periodic")));
      c.periodic[a] = *flag;
    }
  }
  if (in.has("processes"))
    for (const auto& entry : axes_of(in, "processes", dimensions)) {
      const auto* n = std::get_if<std::int64_t>(&entry.data);
      if (n == nullptr || *n < 0 || *n > std::numeric_limits<int>::max())
        fail(entry, fmt::format("{} has an entry that is no number of ranks. use 0 where it is to be chosen.",
                                in.title("processes")));
      c.processes.push_back(static_cast<int>(*n));
    }
  c.fluid.force = vector_of(in, "force", dimensions);
}

void read_walls(const Value& section, Case& c) {
  static const std::vector<std::string> names = {"-x", "+x", "-y", "+y", "-z", "+z"};
  const SectionReader in(section, "in [walls]", names);
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (!in.has(names[k])) continue;
    const std::size_t axis = k / 2;
    if (axis >= c.dimensions() || c.periodic[axis])
      fail(*in.find(names[k]),
           fmt::format("there is no wall at {} ({}). make the axis not periodic, or take the wall out.", names[k],
                       axis >= c.dimensions() ? "the box has two axes" : "the axis is periodic"));
    auto& velocity = c.wall_velocity[axis][k % 2];
    velocity = vector_of(in, names[k], c.dimensions());
    if (velocity[axis] != 0)
      fail(*in.find(names[k]), fmt::format("the wall at {} moves through itself. its velocity along {} has to be 0.",
                                           names[k], names[k].substr(1)));
  }
}

void read_start(const Value& section, Case& c) {
  using Flow = StartCase::Flow;
  const SectionReader in(section, "in [start]", {"flow", "speed", "velocity"});
  static const std::vector<std::string> flows = {"rest", "uniform", "taylor-green", "taylor-green-3d", "shear-wave"};
  const auto flow = c.start.flow = static_cast<Flow>(in.choice("flow", flows, 0));
  if (flow == Flow::taylor_green_3d && c.dimensions() == 2)
    fail(*in.find("flow"),
         fmt::format("{} is taylor-green-3d in a box of two axes. use taylor-green.", in.title("flow")));
  const bool waves = flow != Flow::rest && flow != Flow::uniform;
  if (in.has("speed") && !waves)
    fail(*in.find("speed"), fmt::format("{} is for vortices and waves. take it out.", in.title("speed")));
  if (in.has("velocity") && flow != Flow::uniform)
    fail(*in.find("velocity"), fmt::format("{} is for flow = \"uniform\". take it out.", in.title("velocity")));
  if (waves) c.start.speed = in.number("speed", Range::any, 0.05);
  c.start.velocity = vector_of(in, "velocity", c.dimensions());
}

Particle read_particle(const Value& section, const Case& c) {
  const auto dimensions = c.dimensions();
  const SectionReader in(section, "in [[particle]]", {"position", "radius", "velocity", "spin", "density", "fixed"});
  Particle p;
  if (!in.has("position")) fail(section, "position in [[particle]] is missing.");
  p.position = vector_of(in, "position", dimensions);
  p.velocity = vector_of(in, "velocity", dimensions);
  if (in.has("spin")) {
    if (dimensions == 3)
      p.spin = vector_of(in, "spin", 3);
    else
      p.spin[2] = in.number("spin", Range::any, 0);
  }
  if (!in.has("radius")) fail(section, "radius in [[particle]] is missing.");
  p.radius = in.number("radius", Range::positive, 0);
  p.density = in.number("density", Range::positive, p.density);
  p.fixed = in.flag("fixed", false);
  for (std::size_t a = 0; a < dimensions; ++a) {
    const auto n = static_cast<double>(c.size[a]), low = c.periodic[a] ? -0.5 : p.radius - 0.5;
    if (2 * p.radius > n)
      fail(*in.find("radius"), fmt::format("{} is {} in a box of {} sites along {}. use at most half of it.",
                                           in.title("radius"), p.radius, n, "xyz"[a]));
    if (p.position[a] < low || p.position[a] > n - 1 - low)
      fail(*in.find("position"), fmt::format("{} is {} along {}. use {} to {}.", in.title("position"), p.position[a],
                                             "xyz"[a], low, n - 1 - low));
  }
  return p;
}

void read_particles(const SectionReader& document, Case& c) {
  if (const auto* value = document.find("particle")) {
    const auto* list = std::get_if<List>(&value->data);
    if (list == nullptr)
      fail(*value, fmt::format("particle is {}. write [[particle]], once for each.", type_name(*value)));
    for (const auto& section : *list) c.particles.list.push_back(read_particle(section, c));
  }
  const auto* value = document.find("particles");
  if (value == nullptr) return;
  const SectionReader in(*value, "in [particles]",
                         {"count", "radius", "density", "seed", "gravity", "repulsion_range", "repulsion_strength"});
  c.particles.gravity = vector_of(in, "gravity", c.dimensions());
  c.particles.repulsion_range = in.number("repulsion_range", Range::not_negative, 1);
  c.particles.repulsion_strength = in.number("repulsion_strength", Range::not_negative, 0.05);
  constexpr std::int64_t most_particles = 1'000'000;  // every rank knows them all
  const auto count = in.whole_number("count", 0, 0, most_particles);
  if (count == 0) return;
  if (!in.has("radius")) fail(*value, "radius in [particles] is missing.");
  Particle p;
  p.radius = in.number("radius", Range::positive, 0);
  p.density = in.number("density", Range::positive, p.density);
  const auto seed = static_cast<std::uint64_t>(in.whole_number("seed", 0, 1));
  if (!place_particles(c, p, static_cast<std::size_t>(count), seed))
    fail(*in.find("count"),
         fmt::format("{} is {}: so many of radius {} don't fit in at random. use fewer or smaller ones.",
                     in.title("count"), count, p.radius));
}

}  // namespace

Case read_case(const std::filesystem::path& file, std::span<const std::string> overrides) {
  auto root = read_toml(file);
  for (const auto& text : overrides) {
    const auto changed = apply_override(root, text);
    if (changed.parent == "lattice") changed.exclude({"tau", "viscosity"});
  }
  const SectionReader document(
      root, "at the top level",
      {"title", "lattice", "box", "walls", "start", "particle", "particles", "halo", "run", "monitor", "output"});
  for (const auto* required : {"lattice", "box", "run"})
    if (!document.has(required)) fail(root, fmt::format("section [{}] is missing. add it.", required));

  Case c;
  c.file = file;
  c.title = document.text("title", file.stem().string());
  read_lattice(*document.find("lattice"), c.fluid);
  read_box(*document.find("box"), c);
  read_walls(section_or_empty(document, "walls"), c);

  read_start(section_or_empty(document, "start"), c);
  read_particles(document, c);

  const SectionReader halo(section_or_empty(document, "halo"), "in [halo]", {"scheme", "payload"});
  static const std::vector<std::string> schemes = {"direct", "by_dimension"},
                                        payloads = {"whole", "directions", "reduced"};
  c.scheme = static_cast<HaloOptions::Scheme>(halo.choice("scheme", schemes, 0));
  c.payload = static_cast<HaloOptions::Payload>(halo.choice("payload", payloads, 2));

  const SectionReader run(*document.find("run"), "in [run]", {"steps", "steady"});
  c.steps = run.whole_number("steps", 1);
  c.steady = run.number("steady", Range::not_negative, 0);
  const SectionReader monitor(section_or_empty(document, "monitor"), "in [monitor]",
                              {"every", "incompressibility", "stability", "convergence", "entropy", "way"});
  static const std::vector<std::string> ways = {"nonblocking", "blocking", "rounds", "phased"};
  c.monitor.every = monitor.whole_number("every", 1, c.monitor.every);
  c.monitor.incompressibility = monitor.flag("incompressibility", c.monitor.incompressibility);
  c.monitor.stability = monitor.flag("stability", c.monitor.stability);
  c.monitor.convergence = monitor.flag("convergence", c.monitor.convergence);
  c.monitor.entropy = monitor.flag("entropy", c.monitor.entropy);
  c.monitor.way = static_cast<Monitors::Way>(monitor.choice("way", ways, 2));
  const SectionReader output(section_or_empty(document, "output"), "in [output]", {"directory", "every", "pictures"});
  c.output.directory = output.text("directory", (std::filesystem::path("out") / file.stem()).string());
  c.output.every = output.whole_number("every", 0, 0);
  c.output.pictures = output.flag("pictures", false);
  return c;
}

}  // namespace weft::box_program
