// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "geometry/vector.hpp"
#include "hemelb/case.hpp"
#include "hemelb/import.hpp"
#include "program/toml_reader.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace weft::fuzz {

void hemelb_xml(Bytes bytes) {
  as_file("0 1\n0.5 2\n1 1\n", "series.txt");  // for conditions that use it
  const auto file = as_file(text_of(bytes), "hemelb.xml");
  is_read(file, [&] {
    const auto c = hemelb::read_case(file);
    expect(c.voxel > 0 && c.time_step > 0 && c.steps > 0, "numbers that are not positive");
    for (const auto& opening : c.openings) {
      for (const auto x : opening.disc.centre) expect(std::isfinite(x), "a centre that is not finite");
      constexpr double slack = 1e-9;
      expect(std::abs(geometry::length(opening.disc.normal) - 1) < slack, "a normal that is not of unit length");
      expect(opening.disc.radius >= 0 && std::isfinite(opening.disc.radius), "a radius");
      const auto& value = opening.value;
      expect(!value.points.empty() || value.cosine || value.windkessel, "an opening prescribes nothing");
      if (const auto& cosine = value.cosine)
        for (const double x : {cosine->mean, cosine->amplitude, cosine->period, cosine->phase})
          expect(std::isfinite(x), "a cosine prescribes what is not finite");
      if (const auto& w = value.windkessel)
        for (const double x : {w->resistance, w->capacitance, w->proximal, w->initial})
          expect(std::isfinite(x) && (x >= 0 || &x != &w->resistance), "a windkessel of what is not finite");
      for (const auto& [time, value] : opening.value.points)
        expect(std::isfinite(time) && std::isfinite(value), "an opening prescribes what is not finite");
    }
    // The imported case must be a valid case file.
    const auto text = hemelb::case_text(c, {.file = "hemelb.stl", .is_gmy = false});
    program::read_toml(as_file(text, "made_of_hemelb.xml.toml"));
  });
}

}  // namespace weft::fuzz
