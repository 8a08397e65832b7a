// SPDX-License-Identifier: BSD-3-Clause
#include "flow/summary/conditions.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

namespace weft::flow::summary {

namespace {

constexpr Unit resistance{mmhg / 1e-6, "mmHg s/ml"}, capacitance{1e-6 / mmhg, "ml/mmHg"};

std::string over_time(const Table& table, const Unit& unit, double factor) {
  const auto told = [&](double value) { return given(value * factor / unit.si); };
  if (table.constant()) return fmt::format("{}&nbsp;{}", told(table.points.front()[1]), unit.name);
  const double period = table.repeats_after();
  const auto range = fmt::format("{} to {}&nbsp;{}, mean {}", told(table.lowest()), told(table.highest()), unit.name,
                                 told(table.mean()));
  const auto how = table.cosine ? std::string("cosine") : fmt::format("table of {}", table.points.size());
  return period > 0 ? fmt::format("{}, period {}&nbsp;s ({})", range, given(period), how)
                    : fmt::format("{} ({})", range, how);
}

// The windkessel at the end of the run, if it was tuned.
WindkesselCase final_windkessel(const OpeningCase& opening, const OutletReport& outlets) {
  auto w = opening.windkessel;
  if (!opening.tuned || outlets.json.empty()) return w;
  const auto report = nlohmann::json::parse(outlets.json);
  const auto path = nlohmann::json::json_pointer("/tuned/windkessels/" + opening.disc.name);
  if (!report.contains(path)) return w;
  const auto& known = report.at(path);
  w.resistance = known.at("resistance_pa_s_per_m3"), w.capacitance = known.at("capacitance_m3_per_pa");
  w.proximal = known.at("proximal_pa_s_per_m3");
  return w;
}

std::string windkessel_text(const WindkesselCase& w, bool tuned) {
  auto text = fmt::format("windkessel{}: R&nbsp;{}&nbsp;{}", tuned ? " (tuned)" : "",
                          given(w.resistance / resistance.si), resistance.name);
  if (w.capacitance > 0)
    text += fmt::format(", C&nbsp;{}&nbsp;{}", given(w.capacitance / capacitance.si), capacitance.name);
  if (w.proximal > 0) text += fmt::format(", proximal R&nbsp;{}", given(w.proximal / resistance.si));
  return text;
}

}  // namespace

std::string condition_of(const OpeningCase& opening, const OutletReport& outlets, const PageUnits& units) {
  using Rule = OpeningCase::Rule;
  switch (opening.rule) {
    case Rule::windkessel: return windkessel_text(final_windkessel(opening, outlets), opening.tuned);
    case Rule::share: return fmt::format("takes {} of the inflow", percent(opening.value.at(0)));
    case Rule::compartment:
      return fmt::format("compartment {}, resistance {}&nbsp;{}", escaped(opening.compartment_name),
                         given(opening.windkessel.proximal / resistance.si), resistance.name);
    case Rule::prescribed: break;
  }
  if (opening.kind == lattice::OpeningState::Kind::pressure)
    return "pressure " + over_time(opening.value, units.pressure, 1);
  const auto profile = opening.womersley ? "; Womersley profile" : "; profile of steady flow";
  if (opening.flow_area > 0) return "flow " + over_time(opening.value, units.flow, opening.flow_area) + profile;
  return "mean velocity " + over_time(opening.value, {1, "m/s"}, 1) + profile;
}

std::string fluid_text(const FluidCase& fluid) {
  const auto text =
      fmt::format("{}&nbsp;kg/m³, {}&nbsp;mPa&thinsp;s", given(fluid.density), given(1e3 * fluid.viscosity));
  static constexpr std::array<const char*, 4> models{"Newtonian", "Carreau-Yasuda", "Casson", "power law"};
  return fmt::format("{}{}, {}", text, fluid.is_newtonian() ? "" : " at high shear rates",
                     models.at(static_cast<std::size_t>(fluid.model)));
}

}  // namespace weft::flow::summary
