// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "flow/summary/sections.hpp"

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

namespace {

using Rule = OpeningCase::Rule;

bool is_at_inlet(const OpeningCase& o) { return o.disc.kind == geometry::Opening::Kind::inlet; }
bool has_velocity(const OpeningCase& o) {
  return o.is(Rule::prescribed) && o.kind == lattice::OpeningState::Kind::velocity;
}
/// Flow / velocity.
double area_of(const OpeningCase& o) { return o.flow_area > 0 ? o.flow_area : o.area(); }

template <class Value>
std::vector<Curve> curves_of(const Page& page, const std::vector<Curve>& computed, const Value& value) {
  std::vector<Curve> result(computed.size());
  for (std::size_t k = 0; k < result.size(); ++k)
    for (std::size_t i = 0; i < computed[k].time_s.size(); ++i)
      if (const auto v = value(page.c.openings[k], computed[k].time_s[i])) {
        result[k].time_s.push_back(computed[k].time_s[i]);
        result[k].value.push_back(*v);
      }
  return result;
}

/// Whether the flow that nothing else prescribes leaves through windkessels that all have the same pressure behind
/// them.
bool is_split_by_resistances(const Case& c) {
  const OpeningCase* first = nullptr;
  for (const auto& o : c.openings) {
    if (o.kind != lattice::OpeningState::Kind::pressure) continue;
    if (is_at_inlet(o) || !o.is(Rule::windkessel)) return false;
    if (first == nullptr) first = &o;
    if (o.value.mean() != first->value.mean()) return false;
  }
  return first != nullptr;
}

}  // namespace

std::vector<double> prescribed_shares(const Case& c) {
  std::vector<double> shares(c.openings.size(), std::numeric_limits<double>::quiet_NaN());
  double inflow = 0, conductance = 0, rest = 1;
  for (const auto& o : c.openings) {
    if (is_at_inlet(o) && has_velocity(o)) inflow += o.value.mean() * area_of(o);
    if (is_at_inlet(o) && !has_velocity(o)) inflow = std::numeric_limits<double>::quiet_NaN();
    if (o.is(Rule::windkessel) && !o.tuned) conductance += 1 / (o.windkessel.resistance + o.windkessel.proximal);
  }
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const auto& o = c.openings[k];
    if (is_at_inlet(o)) continue;
    if (o.is(Rule::share)) shares[k] = o.value.at(0);
    if (has_velocity(o)) shares[k] = -o.value.mean() * area_of(o) / inflow;
    if (shares[k] > 0) rest -= shares[k];
  }
  if (!is_split_by_resistances(c)) return shares;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const auto& o = c.openings[k];
    if (o.tuned && k < c.tune.share.size()) shares[k] = rest * c.tune.share[k];
    if (o.is(Rule::windkessel) && !o.tuned && std::ranges::none_of(c.openings, &OpeningCase::tuned))
      shares[k] = rest / (o.windkessel.resistance + o.windkessel.proximal) / conductance;
  }
  return shares;
}

std::vector<Curve> prescribed_flows(const Page& page) {
  return curves_of(page, page.history.flow, [&](const OpeningCase& o, double t) -> std::optional<double> {
    if (!has_velocity(o)) return {};
    return o.value.at(t) * area_of(o);
  });
}

std::vector<Curve> prescribed_pressures(const Page& page) {
  return curves_of(page, page.history.pressure, [](const OpeningCase& o, double t) -> std::optional<double> {
    if (!o.is(Rule::prescribed) || o.kind != lattice::OpeningState::Kind::pressure) return {};
    return o.value.at(t);
  });
}

}  // namespace weft::flow::summary
