// SPDX-License-Identifier: BSD-3-Clause
#include "flow/reading/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "flow/outlets/circulation.hpp"

namespace weft::flow {

using namespace program;

namespace {

const List* sections_of(const SectionReader& document, const char* key) {
  const auto* value = document.find(key);
  if (value == nullptr) return nullptr;
  const auto* list = std::get_if<List>(&value->data);
  if (list == nullptr) fail(*value, fmt::format("{} is {}. Write [[{}]], once for each.", key, type_name(*value), key));
  return list;
}

double part_of_period(const SectionReader& in, const char* key, double fallback) {
  const double part = in.number(key, Range::not_negative, fallback);
  if (part > 1)
    fail(*in.find(key),
         fmt::format("{} is {} (it is a fraction of the period). Give a number from 0 to 1.", in.title(key), part));
  return part;
}

ElastanceCase read_elastance(const Value& value, const std::string& title) {
  if (!std::holds_alternative<Section>(value.data))
    fail(value, fmt::format("{} is {}. Give {{lowest = ..., highest = ..., period = ...}}, and start, rise and fall if "
                            "they differ from the defaults.",
                            title, type_name(value)));
  const SectionReader in(value, "in " + title, {"lowest", "highest", "period", "start", "rise", "fall"});
  ElastanceCase e{.lowest = in.quantity("lowest", Dimension::elastance, Range::positive),
                  .highest = in.quantity("highest", Dimension::elastance, Range::positive),
                  .period = in.quantity("period", Dimension::time, Range::positive)};
  constexpr double least = 1e-9;  // s
  if (e.period < least)
    fail(*in.find("period"), fmt::format("{} is {} s. Give at least {} s.", in.title("period"), e.period, least));
  if (e.highest < e.lowest)
    fail(*in.find("highest"), fmt::format("{} is less than lowest. Swap them.", in.title("highest")));
  e.start = part_of_period(in, "start", e.start);
  e.rise = part_of_period(in, "rise", e.rise);
  e.fall = part_of_period(in, "fall", e.fall);
  if (!(e.rise > 0 && e.fall > 0 && e.rise + e.fall <= 1))
    fail(value,
         fmt::format(
             "{} has rise = {} and fall = {} (fractions of the period). Give numbers above 0 whose sum is at most 1.",
             title, e.rise, e.fall));
  return e;
}

CompartmentCase read_compartment(const Value& section, std::size_t number) {
  const SectionReader in(section, "in [[compartment]]",
                         {"name", "capacitance", "elastance", "unstressed", "volume", "pressure"});
  CompartmentCase c;
  c.name = read_name(in, fmt::format("compartment{}", number), "columns of a table");
  if (in.exactly_one_of({"capacitance", "elastance"}) == "capacitance") {
    c.capacitance = in.quantity("capacitance", Dimension::capacitance, Range::positive);
  } else {
    c.elastance = read_elastance(*in.find("elastance"), in.title("elastance"));
  }
  c.unstressed = in.quantity("unstressed", Dimension::volume, Range::not_negative, 0);
  if (in.exactly_one_of({"volume", "pressure"}) == "volume") {
    c.volume = in.quantity("volume", Dimension::volume, Range::not_negative);
  } else {
    c.volume = c.unstressed + in.quantity("pressure", Dimension::pressure, Range::any) / c.stiffness(0);
  }
  if (!std::isfinite(c.volume) || !std::isfinite(c.largest_stiffness()) || !std::isfinite(c.pressure(0, c.volume)))
    fail(section,
         fmt::format("[[compartment]] '{}' has a volume or pressure that is not finite. Correct its values.", c.name));
  return c;
}

std::string no_compartment(const std::string& title, const std::string& name, const std::vector<std::string>& names) {
  return fmt::format("{} is '{}', but no [[compartment]] has this name (there are: {}).{}", title, name,
                     names.empty() ? "none" : joined(names), suggestion(name, names));
}

std::size_t compartment_of(const SectionReader& in, const char* key, const std::vector<CompartmentCase>& compartments) {
  const auto name = in.text(key);
  std::vector<std::string> names;
  for (const auto& c : compartments) names.push_back(c.name);
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) fail(*in.find(key), no_compartment(in.title(key), name, names));
  return static_cast<std::size_t>(found - names.begin());
}

ConnectionCase read_connection(const Value& section, const std::vector<CompartmentCase>& compartments) {
  const SectionReader in(section, "in [[connection]]", {"name", "from", "to", "resistance", "inertance", "valve"});
  ConnectionCase k;
  k.from = compartment_of(in, "from", compartments);
  k.to = compartment_of(in, "to", compartments);
  if (k.from == k.to)
    fail(*in.find("to"), "A [[connection]] begins and ends at the same compartment. Give it another end.");
  k.name =
      read_name(in, fmt::format("{}_to_{}", compartments[k.from].name, compartments[k.to].name), "columns of a table");
  k.inertance = in.quantity("inertance", Dimension::inertance, Range::not_negative, 0);
  k.resistance =
      in.quantity("resistance", Dimension::resistance, k.inertance > 0 ? Range::not_negative : Range::positive,
                  k.inertance > 0 ? std::optional<double>(0) : std::nullopt);
  k.valve = in.flag("valve", false);
  return k;
}

template <class T>
void refuse_same_name(const std::vector<T>& others, const T& one, const Value& section, const char* what) {
  if (std::ranges::find(others, one.name, &T::name) != others.end())
    fail(section, fmt::format("Two {}s are called '{}'. Give each its own name.", what, one.name));
}

}  // namespace

CirculationCase read_circulation(const SectionReader& document) {
  CirculationCase result;
  if (const auto* list = sections_of(document, "compartment"))
    for (const auto& section : *list) {
      auto compartment = read_compartment(section, result.compartments.size());
      refuse_same_name(result.compartments, compartment, section, "compartment");
      result.compartments.push_back(std::move(compartment));
    }
  if (const auto* list = sections_of(document, "connection"))
    for (const auto& section : *list) {
      auto connection = read_connection(section, result.compartments);
      refuse_same_name(result.connections, connection, section, "connection");
      result.connections.push_back(std::move(connection));
    }
  return result;
}

void join_circulation(const SectionReader& document, Case& c) {
  bool any = false;
  std::vector<std::string> names;
  for (const auto& compartment : c.circulation.compartments) names.push_back(compartment.name);
  for (const auto* word : {"inlet", "outlet"}) {
    const auto* openings = sections_of(document, word);
    if (openings == nullptr) continue;
    for (const auto& section : *openings) {
      const auto* given = std::get<Section>(section.data).find("compartment");
      if (given == nullptr) continue;
      any = true;
      const auto& name = std::get<std::string>(given->data);  // read_openings() checked its type
      if (std::ranges::find(names, name) == names.end())
        fail(*given, no_compartment(fmt::format("compartment in [[{}]]", word), name, names));
    }
  }
  if (c.circulation.empty()) return;
  if (!any)
    fail(*document.find("compartment"),
         "There is a [[compartment]], but no opening names one (the circulation would not affect the vessel). Give an "
         "[[inlet]] or [[outlet]] compartment = \"NAME\".");
  for (auto& opening : c.openings) {
    if (!opening.is(OpeningCase::Rule::compartment)) continue;
    const auto& compartments = c.circulation.compartments;
    const auto found = std::ranges::find(compartments, opening.compartment_name, &CompartmentCase::name);
    opening.compartment = static_cast<std::size_t>(found - compartments.begin());
    opening.windkessel.initial = found->pressure(0, found->volume);
    opening.value.points = {{0, opening.windkessel.initial}};
  }
  expect_flows(c);
}

}  // namespace weft::flow
