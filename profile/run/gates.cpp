// SPDX-License-Identifier: BSD-3-Clause
#include "run/gates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

#include "run/past_run.hpp"
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

// An interval wider than this says nothing.
constexpr double widest = 0.7;

// What a fraction is that is too small.
struct Loss {
  int status = 0;
  const char* said = "";
};
Loss loss_of(bool is_outside, bool is_sure, bool is_wide) {
  if (is_outside && is_sure) return {3, " (status 3)"};
  if (is_outside) return {4, ", but ranks waited for cores too long to be sure (status 4)"};
  if (is_wide) return {4, ", but the interval is too wide to tell (status 4)"};
  return {};
}

}  // namespace

double overlap_of(const nlohmann::json& run) { return number(in(run, "mean"), "overlap_fraction"); }

bool has_ended_early(const nlohmann::json& run) { return in(run, "ended") == "early"; }

std::string unfit(const nlohmann::json& run) {
  const auto& mean = in(run, "mean");
  if (has_ended_early(run)) return "the program ended before MPI_Finalize";
  if (in(run, "ended") == "late") return not_complete(number(in(run, "recorder"), "deadline_seconds"));
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
    return (in(in(run, "step"), "found_by") == "nothing"
                ? "no step was found"
                : fmt::format("{} {} found, but 20 are needed", plural(steps, "step"), steps == 1 ? "was" : "were")) +
           std::string("; --step sets the call that ends a step");
  const double needed = number(mean, "needed_seconds");
  const double computed = number(mean, "computation_seconds", number(mean, "seconds") - number(mean, "mpi_seconds"));
  if (needed <= 0) return "no message was in flight in a step";
  if (needed < least_communication * computed)
    return fmt::format("communication takes only {:.2g} % of the time of computation", in_percent(needed / computed));
  if (number(mean, "overlappable_seconds", 1) <= 0) return "there was no computation to overlap messages with";
  if (!in(mean, "overlap_fraction").is_number()) return "the report has no number for it (mean.overlap_fraction)";
  if (const double matched = number(mean, "matched"); matched < 0.9)
    return fmt::format("only {:.0f} % of the messages were matched with their other side", in_percent(matched));
  return {};
}

namespace {

std::string without_fraction(const nlohmann::json& region) {
  if (number(region, "messages") <= 0 || number(region, "needed_seconds") <= 0) return "it has no message in a step";
  if (!in(region, "overlap_fraction").is_number()) return "the report has no number for it";
  if (number(region, "overlappable_seconds") <= 0) return "there was no computation to overlap messages with";
  return {};
}

// Of a step, by the communication of a region.
double share_of(const nlohmann::json& run, const nlohmann::json& region) {
  const double step = number(in(run, "mean"), "seconds");
  if (number(region, "messages") <= 0) return 0;
  return step > 0 ? number(region, "needed_seconds") / step : 1;
}

}  // namespace

std::string unfit_region(const nlohmann::json& run, const nlohmann::json& region) {
  const auto why = without_fraction(region);
  if (why.empty() && share_of(run, region) < least_communication)
    return fmt::format("its communication takes only {:.2g} % of a step", in_percent(share_of(run, region)));
  return why;
}

namespace {

// The mean of the program, or the regions of a name.
std::vector<const nlohmann::json*> named(const nlohmann::json& run, const std::string& name) {
  if (name.empty()) return {&in(run, "mean")};
  std::vector<const nlohmann::json*> found;
  if (const auto& regions = in(run, "regions"); regions.is_array())
    for (const auto& region : regions) {
      const auto path = text(region, "name");
      if (path == clean(name) || path.ends_with("/" + clean(name)) || region_name(path) == name)
        found.push_back(&region);
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

std::string region_of(const nlohmann::json& part) {
  const auto name = region_name(text(part, "name"));
  return name.empty() ? whole_program : name;
}
std::string of_region(const nlohmann::json& part) {
  return text(part, "name").empty() ? "" : " of region " + region_of(part);
}

// The regions of a report, for a line about one that is missing.
std::string regions_there(const nlohmann::json& run) {
  constexpr std::size_t most = 255;  // advise::Regions::most
  std::vector<std::string> all;
  if (const auto& regions = in(run, "regions"); regions.is_array())
    for (const auto& region : regions) all.push_back(region_of(region));
  if (all.empty()) return "the program names no regions (weft_region.h)";
  return fmt::format("the program has {}the region{} {}", all.size() >= most ? "more than can be recorded, " : "",
                     all.size() == 1 ? "" : "s", listed(all, 20));
}

TestLine unknown(const std::string& region, const std::string& why, const char* against = "") {
  const auto name = region_name(region);
  return {"overlap of " + name + against, 4,
          fmt::format("The overlap fraction of region {} is unknown: {} (status 4).", name, why)};
}

void judge_least(const Gates::Least& least, const nlohmann::json& run, Judgement& result) {
  const auto parts = named(run, least.region);
  if (parts.empty()) result.add(unknown(least.region, regions_there(run)));
  for (const auto* part : parts) {
    const auto name = "overlap of " + region_of(*part);
    if (const auto why = least.region.empty() ? "" : unfit_region(run, *part); !why.empty()) {
      result.add(unknown(text(*part, "name"), why));
      continue;
    }
    const auto [low, high] = interval_of(*part);
    const bool below = number(*part, "overlap_fraction") < least.fraction, less = below && high < least.fraction;
    const auto loss = loss_of(less, high + uncertain(run) < least.fraction, below && high - low > widest);
    result.add({name, loss.status,
                fmt::format("The overlap fraction{} is {}, {} the required {:.4g} %{}.", of_region(*part), told(*part),
                            less    ? "below"
                            : below ? "not clearly below"
                                    : "not below",
                            in_percent(least.fraction), loss.said)});
  }
}

// Waits for late ranks are left out.
template <class Part>
double seconds_of(const Part& part) {
  return std::max(0.0, part.seconds - part.late_seconds);
}

// The call of a place whose time grew most. Lines may have moved: if a place has as many calls of a name as before,
// they are the same ones in the same order.
const Hotspot::Line& grown_most(const Hotspot& is, const std::vector<const Hotspot*>& was) {
  using Lines = std::vector<const Hotspot::Line*>;
  std::map<std::string, std::pair<Lines, Lines>> calls;
  for (const auto& part : is.parts) calls[part.call].first.push_back(&part);
  for (const auto* place : was)
    for (const auto& part : place->parts) calls[part.call].second.push_back(&part);
  const Hotspot::Line* worst = &is.parts.front();
  double most = 0;
  for (auto& [call, lines] : calls) {
    auto& [now, before] = lines;
    for (auto* all : {&now, &before}) std::ranges::stable_sort(*all, {}, &Hotspot::Line::line);
    for (std::size_t i = 0; i < now.size(); ++i) {
      const double more = seconds_of(*now[i]) - (now.size() == before.size() ? seconds_of(*before[i]) : 0);
      if (more > most) most = more, worst = now[i];
    }
  }
  return *worst;
}

// The place and its call that take longer than before by most. A place is a function of a file.
std::string longest_since(const nlohmann::json& before, const nlohmann::json& now) {
  const auto was = findings_of(before), is = findings_of(now);
  const Hotspot* worst = nullptr;
  std::vector<const Hotspot*> worst_before;
  double most = 0, seconds_before = 0;
  for (const auto& place : is.places.all) {
    std::vector<const Hotspot*> same;
    double earlier = 0;
    for (const auto& other : was.places.all)
      if (other.function == place.function && other.file == place.file)
        earlier += seconds_of(other), same.push_back(&other);
    if (seconds_of(place) - earlier <= most) continue;
    most = seconds_of(place) - earlier, worst = &place, worst_before = std::move(same), seconds_before = earlier;
  }
  if (worst == nullptr || !was.has_steps || !is.has_steps || !worst->has_a_name()) return {};
  return fmt::format(" The calls of {} take {} per step, before {}; {} grew most.", worst->short_name(),
                     duration(seconds_of(*worst)), duration(seconds_before), grown_most(*worst, worst_before).text);
}

// Whether the overlap is lost. A loss within the intervals is none.
bool judge_loss(const nlohmann::json& before, const nlohmann::json& now, double uncertain, Judgement& result) {
  const double was = number(before, "overlap_fraction"), is = number(now, "overlap_fraction");
  const auto of_before = interval_of(before), of_now = interval_of(now);
  const double apart = std::min(of_before.low, was - least_half_width) - std::max(of_now.high, is + least_half_width);
  auto line = fmt::format("The overlap fraction{} is {}; it was {} before", of_region(now), told(now), told(before));
  Loss loss;
  if (is < was - allowed_loss)
    loss = loss_of(apart > 0, apart > uncertain,
                   std::max(of_before.high - of_before.low, of_now.high - of_now.low) > widest);
  if (loss.status != 0) line += fmt::format(", more than {:.0f} points higher{}", in_percent(allowed_loss), loss.said);
  result.add({"overlap of " + region_of(now) + " against before", loss.status, line + "."});
  return loss.status != 0;
}

// Why two runs can't be compared.
std::string differ(const nlohmann::json& before, const nlohmann::json& now) {
  const auto was = network_of(before), is = network_of(now);
  if (was != is)
    return fmt::format("it is of {}, but this run is of {}", was.empty() ? "a real network" : "an " + was,
                       is.empty() ? "a real network" : "an " + is);
  const double ranks = number(before, "ranks"), ranks_now = number(now, "ranks");
  if (ranks > 0 && ranks_now > 0 && ranks != ranks_now)
    return fmt::format("it is of {}, but this run is of {}", plural(ranks, "rank"), plural(ranks_now, "rank"));
  return {};
}

void compare(const nlohmann::json& before, const nlohmann::json& now, Judgement& result) {
  std::optional<std::size_t> lost;  // the first line that reports a loss
  // The least width of the intervals allows for the other half.
  const double both = (uncertain(before) + uncertain(now)) / 2;
  const auto one = [&](const nlohmann::json& was, const nlohmann::json& is) {
    if (judge_loss(was, is, both, result) && !lost) lost = result.tests.size() - 1;
  };
  one(in(before, "mean"), in(now, "mean"));
  if (const auto& regions = in(before, "regions"); regions.is_array())
    for (const auto& was : regions) {
      if (!without_fraction(was).empty()) continue;
      const auto name = text(was, "name");
      const auto all = named(now, name);
      const auto is = std::ranges::find_if(all, [&](const auto* region) { return text(*region, "name") == name; });
      // Where hardly any communication is left, nothing is lost. If there was hardly any before, it may be.
      if ((is == all.end() ? share_of(before, was) : share_of(now, **is)) < least_communication) continue;
      const auto why = is == all.end() ? regions_there(now) : unfit_region(now, **is);
      if (why.empty())
        one(was, **is);
      else
        result.add(unknown(name, why, " against before"));
    }
  if (lost) result.tests[*lost].text += longest_since(before, now);
}

}  // namespace

void Judgement::add(TestLine test) {
  const auto is_taken = [&](const std::string& name) {
    return std::ranges::find(tests, name, &TestLine::name) != tests.end();
  };
  const auto name = test.name;
  for (int number = 2; is_taken(test.name); ++number) test.name = fmt::format("{} ({})", name, number);
  if (status != 3 && test.status != 0) status = test.status;
  tests.push_back(std::move(test));
}

Judgement judge(const Gates& gates, const nlohmann::json& run) {
  Judgement result;
  if (!gates.any()) return result;
  const auto of_whole = fmt::format("overlap of {}", whole_program);
  const auto add_unknown = [&](const std::string& name, const char* which, const std::string& why) {
    result.add({name, 4, fmt::format("The overlap fraction of {} is unknown: {} (status 4).", which, why)});
  };
  if (const auto why = unfit(run); !why.empty()) {
    add_unknown(of_whole, "this run", why);
    return result;
  }
  for (const auto& least : gates.least) judge_least(least, run, result);
  if (!gates.before) return result;
  auto why = unfit(*gates.before);
  if (why.empty()) why = differ(*gates.before, run);
  if (why.empty())
    compare(*gates.before, run, result);
  else
    add_unknown(of_whole + " against before", "the run before", why);
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
