// SPDX-License-Identifier: BSD-3-Clause
#include "wave/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "program/overrides.hpp"
#include "program/section_reader.hpp"

namespace weft::wave {
namespace {

using namespace program;

// Sections of the form [[name]].
const List& list_or_empty(const SectionReader& document, std::string_view key) {
  static const List empty;
  const auto* value = document.find(key);
  if (value == nullptr) return empty;
  const auto* list = std::get_if<List>(&value->data);
  if (list == nullptr)
    fail(*value, fmt::format("'{}' is {}. Write one [[{}]] per entry.", key, type_name(*value), key));
  return *list;
}

std::array<double, 3> vector_or(const SectionReader& in, std::string_view key, const std::array<double, 3>& fallback) {
  return in.has(key) ? in.vector(key) : fallback;
}

std::array<int, 3> whole_numbers(const SectionReader& in, std::string_view key) {
  std::array<int, 3> numbers{};
  const auto given = in.vector(key);
  for (std::size_t a = 0; a < 3; ++a) {
    if (given[a] != std::floor(given[a]) || std::abs(given[a]) > 1e6)
      fail(*in.find(key),
           fmt::format("{} has an entry that is not a whole number. Give three whole numbers.", in.title(key)));
    numbers[a] = static_cast<int>(given[a]);
  }
  return numbers;
}

constexpr std::int64_t most_blocks = 10'000'000;  // of level 0
constexpr double least_measure = 1e-90, most_measure = 1e90;

// A positive number whose square, and cube with other such numbers, is finite.
double measure(const SectionReader& in, const char* key, double fallback) {
  const double number = in.number(key, Range::positive, fallback);
  if (!(number >= least_measure && number <= most_measure))
    fail(*in.find(key), fmt::format("{} is {} (allowed: {:g} to {:g}). Choose another unit.", in.title(key), number,
                                    least_measure, most_measure));
  return number;
}

int int_of(const SectionReader& in, const char* key, int lowest, int fallback) {
  return static_cast<int>(in.whole_number(key, lowest, fallback, std::numeric_limits<int>::max()));
}

void read_domain(const Value& section, amr::Domain& domain) {
  const SectionReader in(section, "in [domain]", {"cells", "block", "low", "length"});
  for (const auto* key : {"cells", "length"}) {
    if (!in.has(key)) fail(section, fmt::format("The key '{}' is missing in [domain]. Add it.", key));
  }
  domain.cells = int_of(in, "block", 8, domain.cells);
  if (domain.cells != 8 && domain.cells != 16 && domain.cells != 32)
    fail(*in.find("block"), fmt::format("{} is {}. Use 8, 16 or 32.", in.title("block"), domain.cells));
  const auto cells = whole_numbers(in, "cells");
  for (std::size_t a = 0; a < 3; ++a) {
    if (cells[a] <= 0 || cells[a] % domain.cells != 0)
      fail(*in.find("cells"), fmt::format("{} is {} along {} (blocks have {} cells). Use a multiple of {}.",
                                          in.title("cells"), cells[a], "xyz"[a], domain.cells, domain.cells));
    domain.blocks[a] = cells[a] / domain.cells;
  }
  const auto blocks = std::int64_t{domain.blocks[0]} * domain.blocks[1] * domain.blocks[2];
  if (blocks > most_blocks)
    fail(*in.find("cells"), fmt::format("{} gives {} blocks (at most {} are allowed: every rank stores them all). Use "
                                        "fewer cells, or larger blocks.",
                                        in.title("cells"), blocks, most_blocks));
  domain.spacing = measure(in, "length", 1) / cells[0];
  domain.low = vector_or(in, "low", {});
  for (const auto x : domain.low)
    if (std::abs(x) > most_measure)
      fail(*in.find("low"),
           fmt::format("{} has an entry beyond {:g}. Choose another unit.", in.title("low"), most_measure));
}

Boundary read_boundary(const Value& value, const std::string& title) {
  static constexpr auto kinds = Boundary::kind_names;
  if (const auto* word = std::get_if<std::string>(&value.data)) {
    if (const auto kind = kinds.find(*word)) return {*kind, 0};
    fail(value, fmt::format("{} is '{}' (allowed: {}).{}", title, *word, kinds.list(),
                            suggestion(*word, kinds.all(), " Give one of these.")));
  }
  if (!std::holds_alternative<Section>(value.data))
    fail(value, fmt::format("{} is {}. Give one of {}, or {{kind = \"fixed\", value = 1.0}}.", title, type_name(value),
                            kinds.list()));
  const SectionReader in(value, "in " + title, {"kind", "value"});
  Boundary boundary;
  boundary.kind = in.choice("kind", kinds, boundary.kind);
  boundary.value = in.number("value", Range::any, boundary.value);
  return boundary;
}

void read_boundaries(const Value& section, Case& c) {
  static const std::vector<std::string> faces(program::face_names.begin(), program::face_names.end());
  auto keys = faces;
  keys.emplace_back("all");
  const SectionReader in(section, "in [boundary]", keys);
  if (in.has("all")) c.boundaries.fill(read_boundary(*in.find("all"), in.title("all")));
  for (std::size_t f = 0; f < faces.size(); ++f) {
    if (in.has(faces[f])) c.boundaries[f] = read_boundary(*in.find(faces[f]), in.title(faces[f]));
  }
  for (std::size_t a = 0; a < 3; ++a) {
    const bool low = c.boundaries[2 * a].kind == Boundary::Kind::periodic,
               high = c.boundaries[2 * a + 1].kind == Boundary::Kind::periodic;
    if (low != high)
      fail(section, fmt::format("Only one of {} and {} in [boundary] is periodic. Make both periodic, or neither.",
                                faces[2 * a], faces[2 * a + 1]));
    c.domain.periodic[a] = low;
  }
}

Pulse read_pulse(const Value& section, const Case& c) {
  using Shape = Pulse::Shape;
  const SectionReader in(section, "in [[pulse]]", {"shape", "amplitude", "width", "centre", "direction", "waves"});
  Pulse pulse;
  pulse.shape = in.choice("shape", Pulse::shape_names, pulse.shape);
  const auto* shape = Pulse::shape_names.of(pulse.shape);
  const bool local = pulse.shape == Shape::gaussian || pulse.shape == Shape::front;
  const auto refuse = [&](const char* key) {
    if (in.has(key))
      fail(*in.find(key), fmt::format("{} is not used with shape = \"{}\". Remove it.", in.title(key), shape));
  };
  pulse.amplitude = in.number("amplitude", Range::any, pulse.amplitude);
  if (pulse.shape != Shape::front) refuse("direction");
  if (local) {
    refuse("waves");
    if (!in.has("width"))
      fail(section, fmt::format("The key 'width' is missing in [[pulse]] (a {} needs it). Add it.", shape));
    pulse.width = measure(in, "width", 1);
    for (std::size_t a = 0; a < 3; ++a) pulse.centre[a] = c.domain.low[a] + c.domain.size(a) / 2;
    pulse.centre = vector_or(in, "centre", pulse.centre);
    if (in.has("direction")) pulse.direction = in.direction("direction", "the direction of propagation");
  } else {
    refuse("width");
    refuse("centre");
    if (!in.has("waves"))
      fail(section,
           fmt::format("The key 'waves' is missing in [[pulse]] (a {} wave needs it). Give three whole numbers.",
                       shape));
    pulse.waves = whole_numbers(in, "waves");
    if (pulse.waves == std::array<int, 3>{})
      fail(*in.find("waves"), fmt::format("{} is zero. Give at least one number that is not 0.", in.title("waves")));
  }
  return pulse;
}

void read_refinement(const SectionReader& document, Case& c) {
  auto& r = c.refinement;
  const auto& section = document.section_or_empty("refinement");
  const SectionReader in(section, "in [refinement]",
                         {"levels", "criterion", "threshold", "floor", "buffer", "every", "curve"});
  using Criterion = Refinement::Criterion;
  static constexpr Names<amr::Curve> curves("curve",
                                            {{amr::Curve::hilbert, "hilbert"}, {amr::Curve::morton, "morton"}});
  constexpr std::int64_t most_levels = 12;
  r.levels = int_of(in, "levels", 0, r.levels);
  if (r.levels > most_levels)
    fail(*in.find("levels"), fmt::format("{} is {}. Use at most {}.", in.title("levels"), r.levels, most_levels));
  for (const auto n : c.domain.blocks)
    if (std::int64_t{n} << r.levels > amr::Tree::most_along)
      fail(*in.find("levels"), fmt::format("{} is {} with {} blocks along an axis (at most {} are allowed on the "
                                           "finest level). Use fewer levels or cells.",
                                           in.title("levels"), r.levels, n, amr::Tree::most_along));
  r.criterion = in.choice("criterion", Refinement::criterion_names, r.criterion);
  if (r.criterion != Criterion::none && !in.has("threshold"))
    fail(section, "The key 'threshold' is missing in [refinement] (the criterion needs it). Add it.");
  r.threshold = in.number("threshold", Range::positive, r.threshold);
  r.floor = in.number("floor", Range::not_negative, r.floor);
  r.buffer = int_of(in, "buffer", 0, r.buffer);
  if (r.buffer > c.domain.cells)
    fail(*in.find("buffer"),
         fmt::format("{} is {}. Use at most the {} cells of a block.", in.title("buffer"), r.buffer, c.domain.cells));
  r.every = in.whole_number("every", 0, r.every);
  c.curve = in.choice("curve", curves, c.curve);
  for (const auto& value : list_or_empty(document, "region")) {
    const SectionReader region(value, "in [[region]]", {"low", "high", "level"});
    FixedRegion fixed{region.vector("low"), region.vector("high"), int_of(region, "level", 1, 1)};
    if (fixed.level > r.levels)
      fail(value,
           fmt::format(
               "The level in [[region]] is {}, but levels in [refinement] is {}. Increase levels, or decrease level.",
               fixed.level, r.levels));
    r.regions.push_back(fixed);
  }
}

// The step follows from wave.cfl alone, so that a restarted run may have another end.
void read_time(const SectionReader& run, Case& c) {
  constexpr double most_steps = 1e15;
  c.time = run.number("time", Range::positive, 1);
  const double steps = *c.time / c.dt();
  if (!(steps <= most_steps))
    fail(*run.find("time"),
         fmt::format("{} is {}, which takes {:.3g} steps (at most {:g} are allowed). Use a shorter time.",
                     run.title("time"), *c.time, steps, most_steps));
  c.steps = std::llround(std::max(steps, 1.0));
}

CommunicationCase read_communication(const Value& section) {
  const SectionReader in(section, "in [communication]", {"progress", "grouping", "shared_memory", "defer_unpacking"});
  CommunicationCase communication;
  communication.progress = in.choice("progress", progress_names, communication.progress);
  communication.grouping = in.choice("grouping", grouping_names, communication.grouping);
  communication.shared_memory = in.flag("shared_memory", communication.shared_memory);
  communication.defer_unpacking = in.flag("defer_unpacking", communication.defer_unpacking);
  return communication;
}

}  // namespace

Case read_case(const std::filesystem::path& file, std::span<const std::string> overrides) {
  auto root = read_toml(file);
  for (const auto& text : overrides) remove_excluded(apply_override(root, text));
  return read_case(root, file);
}

void remove_excluded(const program::Override& changed) {
  if (changed.parent == "run") changed.exclude({"steps", "time"});
}

Case read_case(const program::Value& root, const std::filesystem::path& file) {
  const SectionReader document(root, "at the top level",
                               {"title", "domain", "boundary", "wave", "pulse", "refinement", "region", "run",
                                "monitor", "output", "checkpoint", "constraint", "communication"});
  for (const auto* required : {"domain", "pulse", "run"}) {
    if (!document.has(required)) fail(root, fmt::format("The section [{}] is missing. Add it.", required));
  }
  Case c;
  c.file = file;
  c.title = document.text("title", file.stem().string());
  read_domain(*document.find("domain"), c.domain);
  read_boundaries(document.section_or_empty("boundary"), c);

  const SectionReader wave(document.section_or_empty("wave"), "in [wave]", {"speed", "laplacian", "cfl"});
  c.speed = measure(wave, "speed", c.speed);
  const auto order = wave.whole_number("laplacian", 2, 4);
  if (order != 2 && order != 4)
    fail(*wave.find("laplacian"), fmt::format("{} is {}. Use 2 or 4.", wave.title("laplacian"), order));
  c.laplacian = static_cast<Laplacian>(order);
  c.cfl = measure(wave, "cfl", c.cfl);
  if (c.cfl > stable_limit(c.laplacian))
    fail(*wave.find("cfl"), fmt::format("{} is {} (unstable above {:.3f}). Use a smaller value.", wave.title("cfl"),
                                        c.cfl, stable_limit(c.laplacian)));

  for (const auto& pulse : list_or_empty(document, "pulse")) c.pulses.push_back(read_pulse(pulse, c));
  if (c.pulses.empty()) fail(*document.find("pulse"), "'pulse' has no entry (nothing would move). Give at least one.");
  read_refinement(document, c);

  const SectionReader run(*document.find("run"), "in [run]", {"steps", "time"});
  if (run.exactly_one_of({"steps", "time"}) == "steps")
    c.steps = run.whole_number("steps", 1);
  else
    read_time(run, c);
  const SectionReader monitor(document.section_or_empty("monitor"), "in [monitor]", {"every", "error"});
  c.monitor_every = monitor.whole_number("every", 1, c.monitor_every);
  c.error = monitor.flag("error", c.error);
  const SectionReader output(document.section_or_empty("output"), "in [output]", {"directory", "every", "pictures"});
  c.output.directory = output.text("directory", (std::filesystem::path("out") / file.stem()).string());
  c.output.every = output.whole_number("every", 0, c.output.every);
  c.output.pictures = output.flag("pictures", c.output.pictures);
  const SectionReader constraint(document.section_or_empty("constraint"), "in [constraint]", {"every", "tolerance"});
  c.constraint_every = constraint.whole_number("every", 0, c.constraint_every);
  c.constraint_tolerance = constraint.number("tolerance", Range::positive, c.constraint_tolerance);
  const SectionReader checkpoint(document.section_or_empty("checkpoint"), "in [checkpoint]", {"every"});
  c.checkpoint_every = checkpoint.whole_number("every", 0, c.checkpoint_every);
  c.communication = read_communication(document.section_or_empty("communication"));
  return c;
}

}  // namespace weft::wave
