// SPDX-License-Identifier: BSD-3-Clause
#include "wave/case.hpp"

#include <cmath>

#include "tests/fuzz/fuzz.hpp"
#include "wave/run.hpp"

namespace weft::fuzz {

void wave_case(Bytes bytes) {
  const auto file = as_file(text_of(bytes), "wave.toml");
  is_read(file, [&] {
    const auto c = wave::read_case(file);
    const auto& domain = c.domain;
    expect(domain.spacing > 0 && c.dt() > 0 && c.speed > 0, "a step of nothing");
    expect_finite({domain.spacing, c.dt(), c.speed, 1 / domain.spacing, c.constraint_tolerance}, "a number");
    expect_finite(domain.low, "the domain's corner");
    expect_finite({domain.size(0), domain.size(1), domain.size(2)}, "the domain's size");
    expect(c.steps >= 1, "steps");
    std::int64_t blocks = 1;
    for (const auto n : domain.blocks) {
      expect(n >= 1 && (std::int64_t{n} << c.refinement.levels) <= amr::Tree::most_along, "blocks along an axis");
      blocks *= n;
    }
    for (const auto& pulse : c.pulses) {
      expect_finite(pulse.centre, "a centre");
      expect_finite(
          {pulse.amplitude, pulse.width, std::hypot(pulse.direction[0], pulse.direction[1], pulse.direction[2])},
          "a pulse");
    }
    wave::find_problems(c);
    constexpr std::int64_t few = 4096;
    if (blocks > few) return;
    const amr::Tree tree(domain, {}, 2, c.curve);
    expect(tree.blocks() == static_cast<std::size_t>(blocks), "blocks of level 0");
    wave::exact_average(c.pulses, domain, c.speed, {0, 0, 0}, domain.spacing, 0);
  });
}

}  // namespace weft::fuzz
