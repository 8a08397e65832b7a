// SPDX-License-Identifier: BSD-3-Clause
#include "flow/case/extract_case.hpp"

#include <algorithm>

namespace weft::flow {

bool ExtractCase::needs_stress() const {
  return std::any_of(quantities.begin(), quantities.end(), [](auto q) { return traits(q).needs_stress; });
}
bool ExtractCase::needs_averages() const {
  return std::any_of(quantities.begin(), quantities.end(), [](auto q) { return traits(q).of_time; });
}

bool ExtractCase::needs_wall_stress() const {
  return std::any_of(quantities.begin(), quantities.end(),
                     [](auto q) { return traits(q).of_wall && !traits(q).of_time; });
}

bool ExtractCase::needs_walls() const {
  return shape == Shape::surface || shape == Shape::triangles ||
         std::any_of(quantities.begin(), quantities.end(), [](auto q) { return traits(q).of_wall; });
}

std::string_view name_of(ExtractCase::Shape shape) { return extract_shape_names.of(shape); }

}  // namespace weft::flow
