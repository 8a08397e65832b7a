// SPDX-License-Identifier: BSD-3-Clause
#include "flow/summary/prescribed.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace weft::flow::summary {

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
