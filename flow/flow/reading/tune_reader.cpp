// SPDX-License-Identifier: BSD-3-Clause
#include "flow/reading/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "flow/outlets/outlet_fit.hpp"
#include "weft/error.hpp"

namespace weft::flow {

using namespace program;

namespace {

/// Parses "120/80 mmHg" into systolic and diastolic pressure: the unit stands only once, at the end.
std::pair<double, double> read_pressures(const SectionReader& in) {
  const auto& value = *in.find("pressure");
  const auto text = in.text("pressure");
  const auto refuse = [&] {
    fail(value,
         fmt::format("{} is '{}'. Give systolic over diastolic pressure with one unit, for example \"120/80 mmHg\".",
                     in.title("pressure"), text));
  };
  const auto slash = text.find('/');
  if (slash == std::string::npos) refuse();
  const auto first = text.substr(0, slash), second = text.substr(slash + 1);
  const auto unit = second.find_first_not_of("0123456789.+-eE \t");
  if (unit == std::string::npos) refuse();
  try {
    const double systolic = parse_quantity(first + " " + second.substr(unit), Dimension::pressure);
    const double diastolic = parse_quantity(second, Dimension::pressure);
    if (systolic > diastolic) return {systolic, diastolic};
  } catch (const InputError&) {
  }
  refuse();
  return {};
}

std::size_t opening_called(const Value& value, const std::string& title, const std::string& name, const Case& c) {
  std::vector<std::string> names;
  for (const auto& opening : c.openings) names.push_back(opening.disc.name);
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    fail(value, fmt::format("{} is '{}', but no opening has this name (there are: {}).{}", title, name, joined(names),
                            suggestion(name, names)));
  return static_cast<std::size_t>(found - names.begin());
}

std::vector<std::string> tuned_names(const Case& c) {
  std::vector<std::string> names;
  for (const auto& opening : c.openings)
    if (opening.tuned) names.push_back(opening.disc.name);
  return names;
}

void share_out(const SectionReader& in, const Case& c, TuneCase& tune) {
  tune.share.assign(c.openings.size(), 0);
  const auto* given = in.find("split");
  const bool each = given != nullptr && std::holds_alternative<Section>(given->data);
  using Split = TuneCase::Split;
  static constexpr Names<Split> splits("split", {{Split::murray, "murray"}, {Split::area, "area"}});
  tune.split = each ? Split::given : in.choice("split", splits, Split::murray);
  double sum = 0;
  const auto names = tuned_names(c);
  for (std::size_t k = 0; k < c.openings.size(); ++k) {
    const auto& opening = c.openings[k];
    if (!opening.tuned) continue;
    const double r = opening.disc.radius;
    tune.share[k] = tune.split == TuneCase::Split::murray ? r * r * r : r * r;
    if (each) {
      const SectionReader shares(*given, "in " + in.title("split"), names);
      if (!shares.has(opening.disc.name))
        fail(*given, fmt::format("{} lacks '{}' (each tuned outlet needs its share). Add it.", in.title("split"),
                                 opening.disc.name));
      tune.share[k] = shares.number(opening.disc.name, Range::positive, 0);
    }
    sum += tune.share[k];
  }
  for (auto& share : tune.share) share /= sum;
}

/// Throws if the flow through the tuned outlets is unknown before the run.
void check_flows(const Value& value, const Case& c) {
  for (const auto& opening : c.openings) {
    const bool known =
        opening.tuned || opening.is(OpeningCase::Rule::share) ||
        (opening.kind == lattice::OpeningState::Kind::velocity && opening.is(OpeningCase::Rule::prescribed));
    if (!known)
      fail(value, fmt::format("'{}' prescribes no flow (the flow through the tuned outlets is then unknown). Give it a "
                              "flow, a velocity or a "
                              "share, or tune it too.",
                              opening.disc.name));
  }
}

}  // namespace

void read_tune(const SectionReader& document, Case& c) {
  const auto names = tuned_names(c);
  const auto* value = document.find("tune");
  if (value == nullptr) {
    if (names.empty()) return;
    const auto* outlets = document.find("outlet");
    fail(*outlets,
         fmt::format("Outlet '{}' has a tuned windkessel, but there is no [tune]. Add one with the target pressure.",
                     names.front()));
  }
  const SectionReader in(*value, "in [tune]",
                         {"pressure", "mean", "pulse", "at", "split", "proximal", "behind", "tolerance"});
  if (names.empty())
    fail(*value, "There is a [tune], but no outlet is tuned. Give the outlets to be tuned windkessel = \"tuned\".");
  auto& tune = c.tune;
  tune.wanted = true;
  if (in.exactly_one_of({"pressure", "mean"}) == "pressure") {
    std::tie(tune.systolic, tune.diastolic) = read_pressures(in);
    if (in.has("pulse"))
      fail(
          *in.find("pulse"),
          "A pulse is given beside systolic and diastolic pressure (their difference is the pulse). Remove the pulse.");
  } else {
    tune.mean = in.quantity("mean", Dimension::pressure, Range::any);
    if (in.has("pulse")) tune.pulse = in.quantity("pulse", Dimension::pressure, Range::positive);
  }
  if (in.has("at")) tune.at = opening_called(*in.find("at"), in.title("at"), in.text("at"), c);
  tune.proximal = in.number("proximal", Range::not_negative, tune.proximal);
  constexpr double most_proximal = 0.9;
  if (tune.proximal > most_proximal)
    fail(*in.find("proximal"), fmt::format("{} is {} (it is a fraction of the resistance). Give at most {}.",
                                           in.title("proximal"), tune.proximal, most_proximal));
  tune.behind = in.quantity("behind", Dimension::pressure, Range::any, 0);
  tune.tolerance = in.number("tolerance", Range::positive, tune.tolerance);
  share_out(in, c, tune);
  check_flows(*value, c);
  if (const auto why = fit_outlets(c)) fail(*value, *why);
}

}  // namespace weft::flow
