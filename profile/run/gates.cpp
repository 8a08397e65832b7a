// SPDX-License-Identifier: BSD-3-Clause
#include "run/gates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "run/report/findings.hpp"
#include "run/report/reading.hpp"
#include "run/report/text.hpp"

namespace weft::run {
namespace {

double in_percent(double part) { return 100 * part; }

// Beyond this share of the time (or change of the clock), waits are longer than the differences that a test looks for.
constexpr double most_waited = 0.25;
// Below it they change the fraction by up to half of that share (profile/tests/study: by 0.17 where it was 0.27).
constexpr double uncertain_a_wait = 0.5;

double uncertain(const nlohmann::json& run) {
  const auto& environment = in(run, "environment");
  return uncertain_a_wait * (number(environment, "waited_for_core_share") + number(environment, "stolen_share"));
}

// Sets the status for a fraction that is too small by more than its interval, and returns what to say.
std::string failed(bool is_sure, Judgement& result) {
  result.status = is_sure ? std::max(result.status, 3) : 4;
  return is_sure ? " (status 3)" : ", but ranks waited for cores too long to be sure (status 4)";
}

}  // namespace

double overlap_of(const nlohmann::json& run) { return number(in(run, "mean"), "overlap_fraction"); }

bool has_ended_early(const nlohmann::json& run) { return in(run, "ended") == "early"; }

std::string unfit(const nlohmann::json& run) {
  const auto& mean = in(run, "mean");
  if (has_ended_early(run)) return "the program ended before MPI_Finalize";
  if (const auto& ended = in(run, "ended"); ended == "runs" || ended == "unknown")
    return "the program may still be running";
  else if (ended == "sessions")
    return "the program uses only MPI sessions, without MPI_Init";
  const auto& emulated = in(run, "emulated");
  if (const double nodes = number(in(run, "environment"), "nodes"); nodes < number(emulated, "nodes"))
    return fmt::format("the launcher started the ranks on {:.0f} of the {:.0f} emulated nodes", nodes,
                       number(emulated, "nodes"));
  if (in(in(run, "environment"), "shared_cores") == true)
    return "there were more ranks than cores, so every wait lasted longer than its message";
  if (const double waited = number(in(run, "environment"), "waited_for_core_share"); waited > most_waited)
    return fmt::format("other programs were running: a rank waited for a core in {:.0f} % of the time",
                       in_percent(waited));
  if (const double stolen = number(in(run, "environment"), "stolen_share"); stolen > most_waited)
    return fmt::format("other virtual machines took {:.0f} % of the time of the cores", in_percent(stolen));
  if (const double change = number(in(run, "environment"), "clock_change_share"); change > most_waited)
    return fmt::format("the clock of a rank's processor became up to {:.0f} % slower during the run",
                       in_percent(change));
  // p99 is known up to a factor of two.
  if (const double late = number(emulated, "late_seconds"); late / 2 > number(emulated, "latency_seconds") / 4)
    return fmt::format(
        "the emulated network was late (1 % of the packets by more than {}): the cores were busy, and only root can "
        "give it priority",
        duration(late / 2));
  if (const double recorded = number(run, "recorded_share", 1); recorded < 0.5)
    return fmt::format("calls were recorded in only {:.0f} % of the time", in_percent(recorded));
  if (const double steps = number(mean, "steps"); steps < 20)
    return fmt::format("{:.0f} steps were found, but 20 are needed; --step sets the call that ends a step", steps);
  const double needed = number(mean, "needed_seconds"), computed = number(mean, "computation_seconds");
  if (needed <= 0) return "no message was in flight in a step";
  if (needed < 0.01 * computed)  // in the reports of weft's programs; the fraction is then noise
    return fmt::format("communication takes only {:.2g} % of the time of computation", in_percent(needed / computed));
  if (number(mean, "overlappable_seconds", 1) <= 0) return "there was no computation to overlap messages with";
  if (!in(mean, "overlap_fraction").is_number()) return "the report has no number for it (mean.overlap_fraction)";
  if (const double matched = number(mean, "matched"); matched < 0.9)
    return fmt::format("only {:.0f} % of the messages were matched with their other side", in_percent(matched));
  return {};
}

namespace {

// The mean of the program, or the regions of a name.
std::vector<const nlohmann::json*> named(const nlohmann::json& run, const std::string& name) {
  if (name.empty()) return {&in(run, "mean")};
  std::vector<const nlohmann::json*> found;
  if (const auto& regions = in(run, "regions"); regions.is_array())
    for (const auto& region : regions) {
      const auto path = text(region, "name");
      if (path == name || path.ends_with("/" + name)) found.push_back(&region);
    }
  return found;
}

struct Interval {
  double low, high;
};
// Without one the fraction itself.
Interval interval_of(const nlohmann::json& part) {
  const double fraction = number(part, "overlap_fraction");
  const auto& given = in(part, "interval");
  if (!given.is_array() || given.size() != 2 || !given[0].is_number() || !given[1].is_number())
    return {fraction, fraction};
  return {std::min(fraction, given[0].get<double>()), std::max(fraction, given[1].get<double>())};
}

// "43.1 % (41.0 to 45.2 %)"
std::string told(const nlohmann::json& part) {
  const auto [low, high] = interval_of(part);
  const auto fraction = fmt::format("{:.1f} %", in_percent(number(part, "overlap_fraction")));
  return low == high ? fraction : fmt::format("{} ({:.1f} to {:.1f} %)", fraction, in_percent(low), in_percent(high));
}

std::string name_of(const nlohmann::json& part) {
  const auto name = text(part, "name");
  return name.empty() ? "" : " of region " + name;
}

// Why the overlap fraction of a region is unknown; empty if it is known.
std::string unfit_region(const nlohmann::json& region) {
  if (number(region, "messages") <= 0 || number(region, "needed_seconds") <= 0) return "it has no message in a step";
  if (number(region, "overlappable_seconds") <= 0) return "there was no computation to overlap messages with";
  return {};
}

void judge_least(const Gates::Least& least, const nlohmann::json& run, Judgement& result) {
  const auto unknown = [&](const std::string& of, const std::string& why) {
    result.status = std::max(result.status, 4);
    result.lines.push_back(fmt::format("The overlap fraction of region {} is unknown: {} (status 4).", of, why));
  };
  const auto parts = named(run, least.region);
  if (parts.empty()) {
    std::vector<std::string> all;
    if (const auto& regions = in(run, "regions"); regions.is_array())
      for (const auto& region : regions) all.push_back(text(region, "name"));
    unknown(least.region, all.empty() ? "the program names no regions (weft_region.h)"
                                      : fmt::format("the program has the regions {}", fmt::join(all, ", ")));
  }
  for (const auto* part : parts) {
    if (const auto why = least.region.empty() ? "" : unfit_region(*part); !why.empty()) {
      unknown(text(*part, "name"), why);
      continue;
    }
    const double now = number(*part, "overlap_fraction");
    const bool below = now < least.fraction, less = below && interval_of(*part).high < least.fraction;
    const bool is_sure = interval_of(*part).high + uncertain(run) < least.fraction;
    result.lines.push_back(fmt::format("The overlap fraction{} is {}, {} the required {:.4g} %{}.", name_of(*part),
                                       told(*part),
                                       less    ? "below"
                                       : below ? "not clearly below"
                                               : "not below",
                                       in_percent(least.fraction), less ? failed(is_sure, result) : ""));
  }
}

// The place whose calls take longer than before by most, waits for late ranks left out. Lines may have moved in
// between, so that a place is a function of a file.
std::string longest_since(const nlohmann::json& before, const nlohmann::json& now) {
  const auto seconds = [](const Hotspot& place) { return std::max(0.0, place.seconds - place.late_seconds); };
  const auto was = findings_of(before), is = findings_of(now);
  const Hotspot* worst = nullptr;
  double most = 0, worst_before = 0;
  for (const auto& place : is.places.all) {
    double earlier = 0;
    for (const auto& other : was.places.all)
      if (other.function == place.function && other.file == place.file) earlier += seconds(other);
    if (seconds(place) - earlier <= most) continue;
    most = seconds(place) - earlier, worst = &place, worst_before = earlier;
  }
  if (worst == nullptr || !was.has_steps || !is.has_steps || !worst->has_a_name()) return {};
  return fmt::format(" The calls of {} take {} per step, before {}.", worst->name(), duration(seconds(*worst)),
                     duration(worst_before));
}

// Whether the overlap is lost. A loss within the intervals is none.
bool judge_loss(const nlohmann::json& before, const nlohmann::json& now, double uncertain, Judgement& result) {
  const double was = number(before, "overlap_fraction"), is = number(now, "overlap_fraction");
  const double apart = interval_of(before).low - interval_of(now).high;
  auto line = fmt::format("The overlap fraction{} is {}; it was {} before", name_of(now), told(now), told(before));
  const bool is_lost = is < was - allowed_loss && apart > 0;
  if (is_lost)
    line +=
        fmt::format(", more than {:.0f} points higher{}", in_percent(allowed_loss), failed(apart > uncertain, result));
  result.lines.push_back(line + ".");
  return is_lost;
}

}  // namespace

Judgement judge(const Gates& gates, const nlohmann::json& run) {
  Judgement result;
  if (!gates.any()) return result;
  const auto nothing = [&](const char* which, const std::string& why) {
    result.status = 4;
    result.lines.push_back(fmt::format("The overlap fraction of {} is unknown: {} (status 4).", which, why));
  };
  if (const auto why = unfit(run); !why.empty()) nothing("this run", why);
  if (gates.before) {
    const auto was = network_of(*gates.before), is = network_of(run);
    auto why = unfit(*gates.before);
    if (why.empty() && was != is)
      why = fmt::format("it is of {}, but this run is of {}", was.empty() ? "a real network" : "an " + was,
                        is.empty() ? "a real network" : "an " + is);
    if (!why.empty()) nothing("the run before", why);
  }
  if (result.status != 0) return result;
  for (const auto& least : gates.least) judge_least(least, run, result);
  if (!gates.before) return result;
  const double both = uncertain(*gates.before) + uncertain(run);
  std::optional<std::size_t> lost;  // the first line that reports a loss
  const auto compare = [&](const nlohmann::json& before, const nlohmann::json& now) {
    if (judge_loss(before, now, both, result) && !lost) lost = result.lines.size() - 1;
  };
  compare(in(*gates.before, "mean"), in(run, "mean"));
  if (const auto& regions = in(*gates.before, "regions"); regions.is_array())
    for (const auto& before : regions) {
      const auto now = named(run, text(before, "name"));
      if (now.size() == 1 && unfit_region(before).empty() && unfit_region(*now[0]).empty()) compare(before, *now[0]);
    }
  if (lost) result.lines[*lost] += longest_since(*gates.before, run);
  return result;
}

void add_intervals(nlohmann::json& report, const std::vector<const nlohmann::json*>& runs) {
  report["runs"] = runs.size();
  const auto widen = [&](nlohmann::json& part) {
    auto [low, high] = interval_of(part);
    for (const auto* run : runs)
      for (const auto* other : named(*run, text(part, "name"))) {
        if (text(*other, "name") != text(part, "name")) continue;
        low = std::min(low, number(*other, "overlap_fraction"));
        high = std::max(high, number(*other, "overlap_fraction"));
      }
    if (runs.size() > 1) part["interval"] = {low, high};
  };
  if (report.contains("mean")) widen(report["mean"]);
  if (report.contains("regions") && report["regions"].is_array())
    for (auto& region : report["regions"]) widen(region);
}

std::optional<Gates::Least> least_of(const std::string& whole) {
  const auto colon = whole.rfind(':');
  const auto name = colon == std::string::npos ? "" : whole.substr(0, colon);
  if (colon == 0) return {};
  std::string_view digits = std::string_view(whole).substr(colon == std::string::npos ? 0 : colon + 1);
  const bool percents = digits.ends_with('%');
  if (percents) digits.remove_suffix(1);
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) return {};
  if (percents) value /= 100;
  if (!(value >= 0 && value <= 1)) return {};
  return Gates::Least{name, value};
}

}  // namespace weft::run
