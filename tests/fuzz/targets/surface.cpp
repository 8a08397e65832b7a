// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "geometry/read_surface.hpp"
#include "geometry/repair.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "weft/error.hpp"

namespace weft::fuzz {

void surface(Bytes bytes) {
  const auto file = as_file(text_of(bytes), "vessel");
  constexpr double metres_per_unit = 0.001;
  is_read(file, [&] {
    auto read = geometry::read_surface(file, metres_per_unit);
    for (const auto& t : read.triangles)
      for (const auto v : t) expect(v < read.vertices.size(), "a corner that is not there");
    for (const auto& v : read.vertices)
      for (const auto x : v) expect(std::isfinite(x), "a vertex that is not finite");
    geometry::repair_surface(read, metres_per_unit);
    for (const auto& t : read.triangles)
      for (const auto v : t) expect(v < read.vertices.size(), "a corner that is not there after the repair");
    geometry::close_surface(read, {{geometry::Opening::Kind::inlet, "in", {}, {0, 0, 1}, 0.001}}, file,
                            metres_per_unit);
  });
}

}  // namespace weft::fuzz
