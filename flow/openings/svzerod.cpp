// SPDX-License-Identifier: BSD-3-Clause
#include "openings/svzerod.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "text/case_writer.hpp"
#include "weft/error.hpp"
#include "weft/file/read_text.hpp"

namespace weft::openings {
namespace {

using Json = nlohmann::json;

constexpr double millilitre = 1e-6, millimetre_mercury = 133.322;

class ZeroDReader {
 public:
  ZeroDReader(const std::filesystem::path& file, const ZeroDUnits& units) : file_(file), units_(units) {
    const auto content = read_text(file, "Give a file of svZeroDSolver.");
    try {
      root_ = Json::parse(content);
    } catch (const Json::parse_error& e) {
      throw InputError(
          fmt::format("{}: byte {}: This is not JSON. Give a file of svZeroDSolver.", file.string(), e.byte));
    } catch (const Json::out_of_range&) {
      throw InputError(file.string() + ": The file has a number that is too large. Correct the file.");
    }
  }

  std::vector<ZeroDOutlet> run() {
    for (const auto& c : list("boundary_conditions")) conditions_[text(c, "bc_name")] = &c;
    // Of a file for a coupled run the 3-D vessel's outlets are the blocks; its own vessels, if any, lie behind them.
    if (root_.contains("external_solver_coupling_blocks"))
      for (const auto& block : list("external_solver_coupling_blocks")) add_block(block);
    const bool is_coupled = !outlets_.empty();
    if (!is_coupled && root_.contains("vessels"))
      for (const auto& vessel : list("vessels")) add_vessel(vessel);
    if (outlets_.empty())
      refuse(
          "No block of \"external_solver_coupling_blocks\", and no vessel, names a boundary condition as its outlet.");
    return outlets_;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(fmt::format("{}: {} Correct the file.", file_.string(), what));
  }
  const Json& list(const char* key) const {
    if (!root_.is_object() || !root_.contains(key) || !root_[key].is_array())
      refuse(fmt::format("There is no list \"{}\".", key));
    return root_[key];
  }
  std::string text(const Json& object, const char* key) const {
    if (!object.is_object() || !object.contains(key) || !object[key].is_string())
      refuse(fmt::format("A boundary condition, a vessel or a coupling block has no text \"{}\".", key));
    return object[key];
  }

  void add_vessel(const Json& vessel) {
    const auto ends = vessel.is_object() ? vessel.find("boundary_conditions") : vessel.end();
    if (!vessel.is_object() || ends == vessel.end() || !ends->is_object() || !ends->contains("outlet")) return;
    const auto name = text(*ends, "outlet"), own = vessel.contains("vessel_name") ? text(vessel, "vessel_name") : "";
    const auto found = conditions_.find(name);
    if (found == conditions_.end())
      refuse(fmt::format("Vessel '{}' has the outlet '{}' (no boundary condition has this name).", own, name));
    outlets_.push_back(outlet(*found->second, name, own));
  }

  // A block at the inlet of the 0-D model is an outlet of the 3-D vessel; one at its outlet is an inlet.
  void add_block(const Json& block) {
    const auto own = text(block, "name"), name = text(block, "connected_block");
    if (block.contains("location") && text(block, "location") != "inlet") return;
    const auto found = conditions_.find(name);
    if (found == conditions_.end())
      refuse(
          fmt::format("The coupling block '{}' has the connected_block '{}' (it is not the name of a boundary "
                      "condition; weft reads no network of vessels behind an outlet).",
                      own, name));
    outlets_.push_back(outlet(*found->second, name, own));
  }

  ZeroDOutlet outlet(const Json& condition, const std::string& name, const std::string& vessel) const {
    ZeroDOutlet o{.name = name, .vessel = vessel, .type = text(condition, "bc_type")};
    const auto& values = condition.contains("bc_values") ? condition["bc_values"] : Json();
    const auto number = [&](const char* key, double unit, double least, const char* other = nullptr) {
      return value(values, name, key, other, least) * unit;
    };
    constexpr double any = -HUGE_VAL;
    if (o.type == "RCR") {
      o.proximal = number("Rp", units_.resistance, 0);
      o.resistance = number("Rd", units_.resistance, 0);
      o.capacitance = number("C", units_.capacitance, 0);
      o.pressure = number("Pd", units_.pressure, any);
    } else if (o.type == "RESISTANCE") {
      o.resistance = number("R", units_.resistance, 0);
      o.pressure = number("Pd", units_.pressure, any);
    } else if (o.type == "CORONARY") {
      o.proximal = number("Ra1", units_.resistance, 0);
      o.resistance = number("Ra2", units_.resistance, 0) + number("Rv1", units_.resistance, 0);
      o.capacitance = number("Ca", units_.capacitance, 0) + number("Cc", units_.capacitance, 0);
      o.pressure = number("P_v", units_.pressure, any, "Pv");
    } else if (o.type == "PRESSURE") {
      o.pressures = pressures(values, name);
    } else {
      refuse(fmt::format("The outlet '{}' has the bc_type '{}' (weft reads RCR, RESISTANCE, CORONARY and PRESSURE).",
                         name, o.type));
    }
    if (o.type != "PRESSURE" && !(o.resistance > 0))
      refuse(fmt::format("The outlet '{}' has no resistance above 0 (nothing would hold its pressure).", name));
    return o;
  }

  // A number, or a list of equal numbers.
  double value(const Json& values, const std::string& name, const char* key, const char* other, double least) const {
    const char* used = values.is_object() && !values.contains(key) && other != nullptr ? other : key;
    if (!values.is_object() || !values.contains(used)) refuse(fmt::format("The outlet '{}' has no \"{}\".", name, key));
    const auto& v = values[used];
    const bool is_list = v.is_array() && !v.empty() && std::ranges::all_of(v, [&](const Json& x) { return x == v[0]; });
    const auto& one = is_list ? v[0] : v;
    const double number = one.is_number() ? one.get<double>() : NAN;
    if (!std::isfinite(number * units_.resistance) || number < least)
      refuse(fmt::format("\"{}\" of the outlet '{}' is {} (it must be a number{}).", used, name, v.dump().substr(0, 40),
                         least == 0 ? " of at least 0" : ""));
    return number;
  }

  // The pressures of PRESSURE: one value, or a table over time.
  std::vector<std::array<double, 2>> pressures(const Json& values, const std::string& name) const {
    std::vector<std::array<double, 2>> table;
    if (values.is_object() && values.contains("P") && values["P"].is_number())
      return {{0, values["P"].get<double>() * units_.pressure}};
    const auto is_list = [&](const char* key) {
      return values.is_object() && values.contains(key) && values[key].is_array();
    };
    const Json none, &p = is_list("P") ? values["P"] : none, &t = is_list("t") ? values["t"] : none;
    for (std::size_t k = 0; k < p.size() && k < t.size(); ++k) {
      const bool is_later = table.empty() || (t[k].is_number() && t[k].get<double>() > table.back()[0]);
      if (!p[k].is_number() || !t[k].is_number() || !is_later)
        table.clear(), k = p.size();
      else
        table.push_back({t[k].get<double>(), p[k].get<double>() * units_.pressure});
    }
    if (table.empty() || p.size() != t.size())
      refuse(fmt::format("\"P\" and \"t\" of the outlet '{}' are not a table (equally many numbers, times ascending).",
                         name));
    return table;
  }

  const std::filesystem::path& file_;
  const ZeroDUnits& units_;
  Json root_;
  std::map<std::string, const Json*> conditions_;
  std::vector<ZeroDOutlet> outlets_;
};

}  // namespace

std::vector<ZeroDOutlet> read_svzerod(const std::filesystem::path& file, const ZeroDUnits& units) {
  return ZeroDReader(file, units).run();
}

void check_units(const std::vector<ZeroDOutlet>& outlets, const std::string& unit, double flow,
                 const std::filesystem::path& file) {
  double conductance = 0;
  for (const auto& o : outlets) {
    if (!o.pressures.empty()) return;
    conductance += 1 / o.total();
  }
  constexpr double lowest = 0.3, usual = 90, highest = 3000;  // mmHg; the flow may be a guess
  const double rise = flow / conductance / millimetre_mercury;
  if (rise > lowest && rise < highest) return;
  const double given = zero_d_units.find(unit)->resistance;
  const auto distance = [&](const auto& u) { return std::abs(std::log(rise / given * u.value.resistance / usual)); };
  const auto& likely = *std::ranges::min_element(zero_d_units, {}, distance);
  const double with_likely = rise / given * likely.value.resistance;
  const bool is_other = unit != likely.name && with_likely > 1 && with_likely < 300;
  throw InputError(fmt::format(
      "{}: The resistances of the outlets raise the mean pressure by {:.2g} mmHg with a mean flow of {:.3g} ml/s (in a "
      "body it is 1 to 300 mmHg). {}",
      file.string(), rise, flow / millilitre,
      is_other ? fmt::format("Give --outlets-unit {} ({:.3g} mmHg), or correct them.", likely.name, with_likely)
               : "Correct them, or give the mean flow with --flow."));
}

std::vector<int> match_outlets(const std::vector<ZeroDOutlet>& outlets, const VesselAnalysis& vessel,
                               const std::vector<Role>& roles, const std::vector<std::size_t>& order,
                               const std::filesystem::path& file) {
  std::vector<std::size_t> openings;  // the widest first
  for (std::size_t k = 0; k < roles.size(); ++k)
    if (roles[k] == Role::outlet) openings.push_back(k);
  std::stable_sort(openings.begin(), openings.end(),
                   [&](std::size_t a, std::size_t b) { return vessel.openings[a].area > vessel.openings[b].area; });
  if (openings.size() != outlets.size())
    throw InputError(
        fmt::format("{}: The file has {} outlets, but the vessel has {} (each needs one of the file). Select the "
                    "outlets with --outlets or --skip.",
                    file.string(), outlets.size(), openings.size()));
  std::vector<int> of(roles.size(), -1);
  std::size_t named = 0;
  for (std::size_t k = 0; k < outlets.size(); ++k)
    for (const auto o : openings)
      if (const auto name = name_in_case(vessel, roles, o); name == outlets[k].name || name == outlets[k].vessel)
        named += of[o] < 0 ? 1 : 0, of[o] = static_cast<int>(k);
  if (named == outlets.size()) return of;
  std::vector<std::size_t> ranked(outlets.size());
  std::iota(ranked.begin(), ranked.end(), std::size_t{0});
  if (order.empty())
    std::stable_sort(ranked.begin(), ranked.end(),
                     [&](std::size_t a, std::size_t b) { return outlets[a].total() < outlets[b].total(); });
  for (std::size_t k = 0; k < ranked.size(); ++k)
    of[order.empty() ? openings[k] : order.at(k)] = static_cast<int>(ranked[k]);
  return of;
}

std::string condition_text(const ZeroDOutlet& o) {
  text::CaseWriter out;
  if (o.pressures.size() == 1) {
    out.key("pressure", text::rounded(o.pressures.front()[1], 6), "Pa");
  } else if (!o.pressures.empty()) {
    std::vector<text::CaseValue> points;
    for (const auto& [time, pressure] : o.pressures) {
      const text::CaseValue point[] = {text::rounded(time, 6), text::rounded(pressure, 6)};
      points.push_back(text::list(point));
    }
    out.key("pressure", text::list(points), "s, Pa");
    out.key("period", text::with_unit(o.pressures.back()[0], "s"));
  } else {
    const auto resistance = [](double si) {
      return text::with_unit(si * millilitre / millimetre_mercury, "mmHg s/ml", 5);
    };
    std::vector<std::pair<std::string_view, text::CaseValue>> parts = {{"resistance", resistance(o.resistance)}};
    if (o.capacitance > 0)
      parts.emplace_back("capacitance", text::with_unit(o.capacitance / millilitre * millimetre_mercury, "ml/mmHg", 5));
    if (o.proximal > 0) parts.emplace_back("proximal", resistance(o.proximal));
    if (o.pressure != 0) parts.emplace_back("pressure", text::with_unit(o.pressure / millimetre_mercury, "mmHg", 5));
    out.key("windkessel", text::table(parts));
  }
  return out.text();
}

}  // namespace weft::openings
