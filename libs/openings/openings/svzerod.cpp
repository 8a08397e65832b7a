// SPDX-License-Identifier: BSD-3-Clause
#include "openings/svzerod.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "weft/error.hpp"
#include "weft/file/read_whole.hpp"

namespace weft::openings {
namespace {

using Json = nlohmann::json;

// CGS: dyn s/cm^5, cm^5/dyn, dyn/cm^2.
constexpr double resistance_unit = 1e5, capacitance_unit = 1e-5, pressure_unit = 0.1;
constexpr double millilitre = 1e-6, millimetre_mercury = 133.322;

class ZeroDReader {
 public:
  explicit ZeroDReader(const std::filesystem::path& file) : file_(file) {
    const auto content = read_whole(file, "Give a file of svZeroDSolver.");
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
    std::map<std::string, const Json*> conditions;
    for (const auto& c : list(root_, "boundary_conditions")) conditions[text(c, "bc_name")] = &c;
    std::vector<ZeroDOutlet> outlets;
    for (const auto& vessel : list(root_, "vessels")) {
      const auto ends = vessel.is_object() ? vessel.find("boundary_conditions") : vessel.end();
      if (!vessel.is_object() || ends == vessel.end() || !ends->is_object() || !ends->contains("outlet")) continue;
      const auto name = text(*ends, "outlet");
      const auto found = conditions.find(name);
      if (found == conditions.end())
        refuse(fmt::format("Vessel '{}' has the outlet '{}' (no boundary condition has this name).",
                           vessel_name(vessel), name));
      outlets.push_back(outlet(*found->second, name, vessel_name(vessel)));
    }
    if (outlets.empty()) refuse("No vessel names a boundary condition as its outlet.");
    return outlets;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(fmt::format("{}: {} Correct the file.", file_.string(), what));
  }
  const Json& list(const Json& object, const char* key) const {
    if (!object.is_object() || !object.contains(key) || !object[key].is_array())
      refuse(fmt::format("The list \"{}\" is missing (every file of svZeroDSolver has it).", key));
    return object[key];
  }
  std::string text(const Json& object, const char* key) const {
    if (!object.is_object() || !object.contains(key) || !object[key].is_string())
      refuse(fmt::format("A boundary condition or a vessel has no text \"{}\".", key));
    return object[key];
  }
  std::string vessel_name(const Json& vessel) const {
    return vessel.contains("vessel_name") ? text(vessel, "vessel_name") : "";
  }

  ZeroDOutlet outlet(const Json& condition, const std::string& name, const std::string& vessel) const {
    ZeroDOutlet o{.name = name, .vessel = vessel, .type = text(condition, "bc_type")};
    const auto& values = condition.contains("bc_values") ? condition["bc_values"] : Json();
    const auto number = [&](const char* key, double unit, double least, const char* other = nullptr) {
      return value(values, name, key, other, least) * unit;
    };
    constexpr double any = -HUGE_VAL;
    if (o.type == "RCR") {
      o.proximal = number("Rp", resistance_unit, 0);
      o.resistance = number("Rd", resistance_unit, 0);
      o.capacitance = number("C", capacitance_unit, 0);
      o.pressure = number("Pd", pressure_unit, any);
    } else if (o.type == "RESISTANCE") {
      o.resistance = number("R", resistance_unit, 0);
      o.pressure = number("Pd", pressure_unit, any);
    } else if (o.type == "CORONARY") {
      o.proximal = number("Ra1", resistance_unit, 0);
      o.resistance = number("Ra2", resistance_unit, 0) + number("Rv1", resistance_unit, 0);
      o.capacitance = number("Ca", capacitance_unit, 0) + number("Cc", capacitance_unit, 0);
      o.pressure = number("P_v", pressure_unit, any, "Pv");
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
    if (!std::isfinite(number * resistance_unit) || number < least)
      refuse(fmt::format("\"{}\" of the outlet '{}' is {} (it must be a number{}).", used, name, v.dump().substr(0, 40),
                         least == 0 ? " of at least 0" : ""));
    return number;
  }

  // The pressures of PRESSURE: one value, or a table over time.
  std::vector<std::array<double, 2>> pressures(const Json& values, const std::string& name) const {
    std::vector<std::array<double, 2>> table;
    if (values.is_object() && values.contains("P") && values["P"].is_number())
      return {{0, values["P"].get<double>() * pressure_unit}};
    const auto &p = list(values, "P"), &t = list(values, "t");
    for (std::size_t k = 0; k < p.size() && k < t.size(); ++k) {
      const bool is_later = table.empty() || (t[k].is_number() && t[k].get<double>() > table.back()[0]);
      if (!p[k].is_number() || !t[k].is_number() || !is_later)
        table.clear(), k = p.size();
      else
        table.push_back({t[k].get<double>(), p[k].get<double>() * pressure_unit});
    }
    if (table.empty() || p.size() != t.size())
      refuse(fmt::format("\"P\" and \"t\" of the outlet '{}' are not a table (equally many numbers, times ascending).",
                         name));
    return table;
  }

  const std::filesystem::path& file_;
  Json root_;
};

}  // namespace

std::vector<ZeroDOutlet> read_svzerod(const std::filesystem::path& file) { return ZeroDReader(file).run(); }

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
  if (!o.pressures.empty()) {
    if (o.pressures.size() == 1) return fmt::format("pressure = {:.6g}   # Pa\n", o.pressures.front()[1]);
    std::string text = "pressure = [";
    for (std::size_t k = 0; k < o.pressures.size(); ++k)
      text += fmt::format("{}[{:.6g}, {:.6g}]", k > 0 ? ", " : "", o.pressures[k][0], o.pressures[k][1]);
    return text + fmt::format("]   # s, Pa\nperiod = \"{:.6g} s\"\n", o.pressures.back()[0]);
  }
  const auto resistance = [](double si) {
    return fmt::format("\"{:.5g} mmHg s/ml\"", si * millilitre / millimetre_mercury);
  };
  std::string text = "windkessel = {resistance = " + resistance(o.resistance);
  if (o.capacitance > 0)
    text += fmt::format(", capacitance = \"{:.5g} ml/mmHg\"", o.capacitance / millilitre * millimetre_mercury);
  if (o.proximal > 0) text += ", proximal = " + resistance(o.proximal);
  if (o.pressure != 0) text += fmt::format(", pressure = \"{:.5g} mmHg\"", o.pressure / millimetre_mercury);
  return text + "}\n";
}

}  // namespace weft::openings
