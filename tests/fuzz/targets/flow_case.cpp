// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "flow/case/case.hpp"
#include "flow/reading/case_reader.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/set_up/check.hpp"
#include "flow/steering/limits.hpp"
#include "geometry/vector.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/support/gmy_writer.hpp"

namespace weft::fuzz {

namespace {

void expect_vector(const geometry::Vector& v, const std::string& what) {
  for (const auto x : v) expect(std::isfinite(x), what + " is not finite");
}

void expect_unit(const geometry::Vector& v, const std::string& what) {
  expect_vector(v, what);
  constexpr double slack = 1e-9;
  expect(std::abs(geometry::length(v) - 1) < slack, what + " is not of unit length");
}

void expect_positive(double x, const std::string& what) {
  expect(x > 0 && std::isfinite(x), what + " is not positive");
}

}  // namespace

void flow_case(Bytes bytes) {
  static const auto vessel = as_file(hemelb::test::Duct{.version = 3}.text(), "v.gmy");  // for cases that use it
  const auto file = as_file(text_of(bytes), "case.toml");
  is_read(file, [&] {
    const auto c = flow::read_case(file);
    expect_positive(c.surface.voxel, "voxel");
    expect_positive(c.surface.metres_per_unit, "unit");
    if (c.surface.origin) expect_vector(*c.surface.origin, "origin");
    expect_positive(c.fluid.density, "density");
    expect_positive(c.fluid.kinematic_viscosity(), "kinematic viscosity");
    expect_positive(c.lattice.magic.value_or(1), "magic");
    if (c.lattice.time_step) expect_positive(*c.lattice.time_step, "time_step");
    expect(c.run.steps.has_value() != c.run.duration.has_value(), "steps and duration");
    expect(!c.run.steps || *c.run.steps > 0, "steps");
    for (const auto& opening : c.openings) {
      expect_vector(opening.disc.centre, "centre");
      expect_unit(opening.disc.normal, "normal");
      expect_positive(opening.disc.radius, "radius");
      expect(!opening.value.points.empty() || opening.value.cosine, "an opening prescribes nothing");
      for (const auto& [time, value] : opening.value.points)
        expect(std::isfinite(time) && std::isfinite(value), "an opening prescribes what is not finite");
      for (const double time : {0.0, 0.3, 1e6}) expect(std::isfinite(opening.value.at(time)), "a table's value");
    }
    const auto& scene = c.pictures.scene;
    // NaN if they are not given.
    expect(!(scene.low >= scene.high), "pictures: low and high");
    if (scene.plane)
      for (const auto x : scene.plane_normal) expect(std::isfinite(x), "pictures: plane");
    const auto scaling = flow::make_scaling(c);
    expect(std::isfinite(scaling.tau()), "tau");
    constexpr std::int64_t most = 1'000'000'000'000'000;
    const auto steps = flow::steps_of(c, scaling);
    expect(steps >= 1 && steps <= most, "steps");
    for (const auto every : {flow::steps_between(c.output, scaling), flow::steps_between(c.checkpoint, scaling),
                             flow::picture_interval(c, scaling), c.monitor.every})
      expect(every >= 0 && every <= most, "an interval");
    for (const auto& extract : c.extracts) {
      expect(!extract.quantities.empty() && !extract.name.empty(), "an extract of nothing");
      expect_vector(extract.at, "an extract's place");
      expect_vector(extract.to, "an extract's end");
      if (extract.shape == flow::ExtractCase::Shape::plane) expect_unit(extract.normal, "an extract's normal");
      if (extract.radius) expect_positive(*extract.radius, "an extract's radius");
      const auto every = flow::steps_between(extract, scaling);
      expect(every >= 0 && every <= most, "an extract's interval");
    }
    for (const auto& section : c.sections) {
      expect_vector(section.centre, "a section's centre");
      expect_unit(section.normal, "a section's normal");
      expect_positive(section.radius, "a section's radius");
    }
    expect(std::isfinite(c.average.start) && c.average.start >= 0, "the start of averages");
    flow::check_report(c, scaling, {});
    const auto problems = flow::find_problems(c, scaling);
    if (std::any_of(problems.begin(), problems.end(), [](const auto& found) { return found.refused; })) return;
    const auto limits = flow::make_limits(c, scaling, {20, 20, 60});
    for (const auto& opening : limits.openings) expect(opening.low <= opening.high, "an opening's limits");
    expect(limits.lowest_viscosity <= limits.highest_viscosity, "limits of the viscosity");
    expect(limits.shortest_ramp <= limits.default_ramp && limits.default_ramp <= limits.longest_ramp,
           "limits of ramps");
  });
}

}  // namespace weft::fuzz
