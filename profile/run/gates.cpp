// SPDX-License-Identifier: BSD-3-Clause
#include "run/gates.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "run/report/reading.hpp"

namespace weft::run {
namespace {

double in_percent(double part) { return 100 * part; }

// Beyond this share of the time, waits for cores are longer than the differences that a test looks for.
constexpr double most_waited = 0.25;

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
  if (in(in(run, "environment"), "shared_cores") == true)
    return "there were more ranks than cores, so every wait lasted longer than its message";
  if (const double waited = number(in(run, "environment"), "waited_for_core_share"); waited > most_waited)
    return fmt::format("other programs were running: a rank waited for a core in {:.0f} % of the time",
                       in_percent(waited));
  if (const double stolen = number(in(run, "environment"), "stolen_share"); stolen > most_waited)
    return fmt::format("other virtual machines took {:.0f} % of the time of the cores", in_percent(stolen));
  if (const double recorded = number(run, "recorded_share", 1); recorded < 0.5)
    return fmt::format("calls were recorded in only {:.0f} % of the time", in_percent(recorded));
  if (const double steps = number(mean, "steps"); steps < 20)
    return fmt::format("{:.0f} steps were found, but 20 are needed; --step sets the call that ends a step", steps);
  if (number(mean, "messages") <= 0 || number(mean, "needed_seconds") <= 0) return "no message was in flight in a step";
  if (number(mean, "overlappable_seconds", 1) <= 0) return "there was no computation to overlap messages with";
  if (!in(mean, "overlap_fraction").is_number()) return "the report has no number for it (mean.overlap_fraction)";
  if (const double matched = number(mean, "matched"); matched < 0.9)
    return fmt::format("only {:.0f} % of the messages were matched with their other side", in_percent(matched));
  return {};
}

Judgement judge(const Gates& gates, const nlohmann::json& run) {
  Judgement result;
  if (!gates.any()) return result;
  const auto nothing = [&](const char* which, const std::string& why) {
    result.status = 4;
    result.lines.push_back(fmt::format("The overlap fraction of {} is unknown: {} (status 4).", which, why));
  };
  if (const auto why = unfit(run); !why.empty()) nothing("this run", why);
  if (gates.before)
    if (const auto why = unfit(*gates.before); !why.empty()) nothing("the run before", why);
  if (result.status != 0) return result;
  const double now = overlap_of(run);
  if (gates.least) {
    const bool less = now < *gates.least;
    if (less) result.status = 3;
    result.lines.push_back(fmt::format("The overlap fraction is {:.1f} %, {} the required {:.4g} %{}.", in_percent(now),
                                       less ? "below" : "not below", in_percent(*gates.least),
                                       less ? " (status 3)" : ""));
  }
  if (gates.before) {
    const double before = overlap_of(*gates.before);
    const bool less = now < before - allowed_loss;
    if (less) result.status = 3;
    result.lines.push_back(
        fmt::format("The overlap fraction is {:.1f} %; it was {:.1f} % before{}.", in_percent(now), in_percent(before),
                    less ? fmt::format(", more than {:.0f} points higher (status 3)", in_percent(allowed_loss)) : ""));
  }
  return result;
}

std::optional<double> share(const std::string& text) {
  std::string_view digits = text;
  const bool percents = digits.ends_with('%');
  if (percents) digits.remove_suffix(1);
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) return {};
  if (percents) value /= 100;
  if (!(value >= 0 && value <= 1)) return {};
  return value;
}

}  // namespace weft::run
