// SPDX-License-Identifier: BSD-3-Clause
#include "flow/reading/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace weft::flow {

using namespace program;

namespace {

// With an exponent of 0 the stress would not grow with the shear rate.
double read_exponent(const SectionReader& in, double usual) {
  const double n = in.number("exponent", Range::positive, usual);
  if (n > 2)
    fail(*in.find("exponent"), fmt::format("{} is {}. Give a number above 0 and at most 2.", in.title("exponent"), n));
  return n;
}

std::vector<std::string> keys_of(FluidCase::Model model) {
  std::vector<std::string> keys = {"density", "viscosity", "model"};
  if (model != FluidCase::Model::newtonian) keys.emplace_back("viscosity_at_rest");
  if (model == FluidCase::Model::carreau_yasuda) keys.insert(keys.end(), {"time", "exponent", "yasuda"});
  if (model == FluidCase::Model::casson) keys.emplace_back("yield_stress");
  if (model == FluidCase::Model::power_law) keys.insert(keys.end(), {"consistency", "exponent"});
  return keys;
}

}  // namespace

FluidCase read_fluid(const Value& section) {
  FluidCase fluid;
  // The other keys depend on the model.
  std::vector<std::string> all = keys_of(FluidCase::Model::newtonian);
  for (const auto m : {FluidCase::Model::carreau_yasuda, FluidCase::Model::casson, FluidCase::Model::power_law})
    for (const auto& key : keys_of(m))
      if (std::find(all.begin(), all.end(), key) == all.end()) all.push_back(key);
  {
    const SectionReader any(section, "in [fluid]", all);
    fluid.model = any.choice("model", fluid_model_names, FluidCase::Model::newtonian);
  }
  const auto keys = keys_of(fluid.model);
  const auto title = fluid.is_newtonian() ? std::string("in [fluid]")
                                          : fmt::format("in [fluid] of model {}", fluid_model_names.of(fluid.model));
  const SectionReader in(section, title, keys_of(fluid.model));
  fluid.density = in.quantity("density", Dimension::density, Range::positive, fluid.density);
  fluid.viscosity = in.quantity("viscosity", Dimension::viscosity, Range::positive, fluid.viscosity);
  if (const double nu = fluid.kinematic_viscosity(); !(nu > 0) || !std::isfinite(nu))
    fail(section,
         fmt::format(
             "viscosity / density in [fluid] is {} m^2/s (it must be positive and finite). Correct one of them.", nu));
  if (fluid.is_newtonian()) return fluid;

  fluid.at_rest =
      in.quantity("viscosity_at_rest", Dimension::viscosity, Range::positive, std::max(fluid.at_rest, fluid.viscosity));
  if (fluid.at_rest < fluid.viscosity)
    fail(*in.find("viscosity_at_rest"),
         fmt::format("{} is {} Pa s, below viscosity, {} Pa s. Give a viscosity at rest that is not below viscosity.",
                     in.title("viscosity_at_rest"), fluid.at_rest, fluid.viscosity));
  using Model = FluidCase::Model;
  if (fluid.model == Model::carreau_yasuda) {
    fluid.time = in.quantity("time", Dimension::time, Range::positive, fluid.time);
    fluid.exponent = read_exponent(in, fluid.exponent);
    fluid.yasuda = in.number("yasuda", Range::positive, fluid.yasuda);
  }
  if (fluid.model == Model::casson)
    fluid.yield_stress = in.quantity("yield_stress", Dimension::pressure, Range::not_negative, fluid.yield_stress);
  if (fluid.model == Model::power_law) {
    fluid.consistency = in.number("consistency", Range::positive, fluid.consistency);
    fluid.exponent = read_exponent(in, 0.8);
  }
  return fluid;
}

}  // namespace weft::flow
