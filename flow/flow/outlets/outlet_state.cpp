// SPDX-License-Identifier: BSD-3-Clause
#include "flow/outlets/outlet_state.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "flow/case/case.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

using nlohmann::json;

json state_of(Transport& transport, const std::deque<OpeningSum>& openings) {
  std::vector<TickSum> mine, sums(openings.size());
  for (const auto& one : openings) mine.push_back(TickSum::of(one.ticks()));
  const auto every = all_gather(transport, mine);  // ordered by rank
  for (std::size_t i = 0; i < every.size(); ++i) sums[i % sums.size()] = sums[i % sums.size()] + every[i];
  auto result = json::array();
  for (std::size_t k = 0; k < sums.size(); ++k)
    result.push_back({sums[k].high, sums[k].low, openings[k].calls, openings[k].sum.high, openings[k].sum.low});
  return result;
}

void restore(std::deque<OpeningSum>& openings, const json& state) {
  const auto sum = [](const json& numbers, std::size_t first) {
    return TickSum{numbers.at(first).get<std::int64_t>(), numbers.at(first + 1).get<std::int64_t>()};
  };
  for (std::size_t k = 0; k < openings.size(); ++k) {
    const auto& numbers = state.at(k);
    openings[k].restored = sum(numbers, 0);
    openings[k].calls = numbers.at(2);
    openings[k].sum = sum(numbers, 3);
  }
}

using nlohmann::json;

namespace {

std::vector<double> numbers_of(const json& list) {
  std::vector<double> result;
  for (const auto& value : list) result.push_back(number_of(value));
  return result;
}

}  // namespace

double number_of(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

json json_of(const Beats::State& state) {
  auto differences = json::array();
  for (const auto& d : state.differences) differences.push_back({d.beat, d.difference, d.of});
  return {{"next", state.next}, {"finished", state.finished}, {"time", state.time},        {"value", state.value},
          {"now", state.now},   {"last", state.last},         {"differences", differences}};
}
Beats::State beats_of(const json& value) {
  Beats::State state{.next = value.at("next"),
                     .finished = value.at("finished"),
                     .time = number_of(value.at("time")),
                     .value = numbers_of(value.at("value")),
                     .now = numbers_of(value.at("now")),
                     .last = numbers_of(value.at("last"))};
  for (const auto& d : value.at("differences")) state.differences.push_back({d.at(0), number_of(d.at(1)), d.at(2)});
  return state;
}

json json_of(const Tuner::State& state) {
  auto windkessels = json::array();
  for (const auto& w : state.windkessels) windkessels.push_back({w.resistance, w.capacitance, w.proximal, w.initial});
  return {{"windkessels", windkessels},
          {"fill", state.fill},
          {"offset", state.offset},
          {"changes", state.changes},
          {"met", state.met}};
}
Tuner::State tuner_of(const json& value) {
  Tuner::State state{.fill = numbers_of(value.at("fill")),
                     .offset = numbers_of(value.at("offset")),
                     .changes = value.at("changes"),
                     .met = value.at("met")};
  for (const auto& w : value.at("windkessels"))
    state.windkessels.push_back({number_of(w.at(0)), number_of(w.at(1)), number_of(w.at(2)), number_of(w.at(3))});
  return state;
}

json json_of(const Circulation::State& state) { return {{"volume", state.volume}, {"flow", state.flow}}; }
Circulation::State circulation_of(const json& value) {
  return {numbers_of(value.at("volume")), numbers_of(value.at("flow"))};
}

namespace {

using nlohmann::json;

constexpr double mmhg_in_pa = 133.322387415;

std::string pasteable(const WindkesselCase& w, double behind) {
  return fmt::format(
      "windkessel = {{resistance = {:.6g}, capacitance = {:.6g}, proximal = {:.6g}, pressure = {:.6g}, initial = "
      "{:.6g}}}",
      w.resistance, w.capacitance, w.proximal, behind, w.initial);
}

json windkessel_json(const WindkesselCase& w, double behind) {
  return {{"resistance_pa_s_per_m3", w.resistance},
          {"capacitance_m3_per_pa", w.capacitance},
          {"proximal_pa_s_per_m3", w.proximal},
          {"pressure_pa", behind},
          {"initial_pa", w.initial}};
}

void tell_tuned(const Case& c, const Beats& beats, const Tuner& tuner, std::string& text, json& object) {
  const auto& tune = c.tune;
  if (beats.beats() == 0) {
    text += "tuned outlets: no beat was completed, so they are as fitted before the run\n";
  } else {
    const auto at = beats.last(tune.at);
    const auto wanted = tuner.target(at);
    const auto is_met = tuner.met() ? "targets met" : "targets not yet met";
    text += fmt::format(
        "tuned outlets: {}, changed after {} of {} beats. Pressure at '{}' in the last beat: {:.1f}/{:.1f} mmHg, mean "
        "{:.1f} (target: mean {:.1f}{})\n",
        is_met, tuner.changes(), beats.beats(), c.openings[tune.at].disc.name, at.highest / mmhg_in_pa,
        at.lowest / mmhg_in_pa, at.mean / mmhg_in_pa, wanted.mean / mmhg_in_pa,
        wanted.pulse > 0 ? fmt::format(", pulse {:.1f}", wanted.pulse / mmhg_in_pa) : "");
    object["pressure_at"] = c.openings[tune.at].disc.name;
    object["pressure_pa"] = {{"systolic", at.highest}, {"diastolic", at.lowest}, {"mean", at.mean}};
    object["wanted_pa"] = {{"mean", wanted.mean}, {"pulse", wanted.pulse}};
  }
  object["met"] = tuner.met();
  object["changes"] = tuner.changes();
  double through = 0;
  for (std::size_t k = 0; k < c.openings.size(); ++k)
    if (c.openings[k].tuned && beats.beats() > 0) through -= beats.last(k).flow;
  for (std::size_t k = 0; k < c.openings.size(); ++k) {
    const auto& name = c.openings[k].disc.name;
    if (!c.openings[k].tuned) continue;
    const auto& w = tuner.windkessel(k);
    text += fmt::format("  {}: {}\n", name, pasteable(w, tune.behind));
    auto one = windkessel_json(w, tune.behind);
    one["share_wanted"] = tune.share[k];
    if (through > 0) {
      one["share"] = -beats.last(k).flow / through;
      text += fmt::format("    takes {:.4f} of the flow through tuned outlets (target: {:.4f})\n",
                          -beats.last(k).flow / through, tune.share[k]);
    }
    object["windkessels"][name] = std::move(one);
  }
}

}  // namespace

bool is_periodic(const Case& c, const Beats& beats, const Tuner* tuner) {
  if (!c.run.until_periodic || beats.differences().empty()) return false;
  return beats.differences().back().difference <= c.run.tolerance && (tuner == nullptr || tuner->met());
}

OutletReport report_outlets(const Case& c, const Beats* beats, const Tuner* tuner, const Circulation* circulation,
                            double time_s) {
  OutletReport result;
  json object = json::object();
  if (beats != nullptr) {
    result.periodic = is_periodic(c, *beats, tuner);
    if (c.run.until_periodic) {
      const auto& all = beats->differences();
      const auto last =
          all.empty() ? std::string("fewer than two beats were completed")
                      : fmt::format("the last two of {} beats differ by {:.3g} ({}; wanted: at most {:.3g}{})",
                                    beats->beats(), all.back().difference, all.back().of, c.run.tolerance,
                                    tuner != nullptr && !tuner->met() ? ", and tuned outlets at their targets" : "");
      result.text +=
          fmt::format("{}: {}\n", result.periodic ? "periodic" : "not periodic within the run's duration", last);
    }
    object["periodic"] = result.periodic;
    object["tolerance"] = c.run.tolerance;
    object["period_s"] = *common_period(c);
    object["beats"] = json::array();
    for (const auto& beat : beats->differences())
      object["beats"].push_back({{"beat", beat.beat}, {"difference", beat.difference}, {"of", beat.of}});
  }
  if (tuner != nullptr && beats != nullptr) tell_tuned(c, *beats, *tuner, result.text, object["tuned"]);
  if (circulation != nullptr) {
    auto& compartments = object["compartments"];
    for (std::size_t i = 0; i < c.circulation.compartments.size(); ++i)
      compartments[c.circulation.compartments[i].name] = {{"volume_m3", circulation->state().volume[i]},
                                                          {"pressure_pa", circulation->pressure(i, time_s)}};
    object["circulation_volume_m3"] = circulation->volume();
  }
  result.json = object.dump();
  return result;
}

}  // namespace weft::flow
