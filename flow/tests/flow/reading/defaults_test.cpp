// SPDX-License-Identifier: BSD-3-Clause
//
// The defaults in docs/keys.md are those of a case without the key, and without its section.
#include <cmath>

#include "flow/case/case.hpp"
#include "flow/reading/case_reader.hpp"
#include "tests/support/documented_defaults.hpp"

namespace weft::flow {
namespace {

constexpr auto bare_case = R"([surface]
file = "/data/pipe.stl"
unit = "mm"
voxel = 1e-4
[[inlet]]
centre = [0, 0, 0]
normal = [0, 0, 1]
radius = 1
velocity = {mean = 0.1, amplitude = 0.1, period = 1.0}
[[outlet]]
centre = [0, 0, 10]
normal = [0, 0, -1]
radius = 1
[outlet.windkessel]
resistance = 1e9
[[outlet]]
centre = [0, 5, 10]
normal = [0, 0, -1]
radius = 1
compartment = "heart"
[[compartment]]
name = "heart"
elastance = {lowest = 1e6, highest = 1e8, period = 1.0}
volume = 1e-4
[[compartment]]
name = "veins"
capacitance = 1e-8
volume = 1e-4
[[connection]]
from = "veins"
to = "heart"
resistance = 1e6
[[section]]
centre = [0, 0, 5]
normal = [0, 0, 1]
radius = 1
[[extract]]
shape = "triangles"
[run]
steps = 10
)";

constexpr auto tuned_case = R"([surface]
file = "/data/pipe.stl"
unit = "mm"
voxel = 1e-4
[[inlet]]
centre = [0, 0, 0]
normal = [0, 0, 1]
radius = 1
velocity = 0.1
[[outlet]]
centre = [0, 0, 10]
normal = [0, 0, -1]
radius = 1
pressure = 0
[run]
steps = 10
)";

Case read_plain(const std::filesystem::path& file, const std::vector<std::string>& set) {
  auto c = read_case(file, set);
  for (auto* end : {&c.pictures.scene.low, &c.pictures.scene.high})
    if (std::isnan(*end)) *end = 0;  // a NaN equals nothing
  return c;
}

TEST(FlowDefaults, are_those_of_the_documents) {
  test::expect_documented_defaults<Case>(WEFT_KEYS, "flow", {bare_case, tuned_case},
                                         {{"inlet", "inlet.0"},
                                          {"outlet", "outlet.0"},
                                          {"outlet.windkessel", "outlet.0.windkessel"},
                                          {"WAVEFORM", "inlet.0.velocity"},
                                          {"compartment", "compartment.0"},
                                          {"compartment.elastance", "compartment.0.elastance"},
                                          {"connection", "connection.0"},
                                          {"extract", "extract.0"}},
                                         {{},
                                          {"fluid.model=\"casson\""},
                                          {"fluid.model=\"carreau-yasuda\""},
                                          {"fluid.model=\"power-law\""},
                                          {"lattice.turbulence=\"smagorinsky\""},
                                          {"run.until=\"periodic\""},
                                          {"inlet.0.extension=\"2 diameters\""},
                                          {"outlet.0.extension=\"2 diameters\""},
                                          {"outlet.0.windkessel=\"tuned\"", "tune.mean=1e4"}},
                                         {"inlet.resistance", "outlet.resistance"}, read_plain);
}

}  // namespace
}  // namespace weft::flow
