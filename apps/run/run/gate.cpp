// SPDX-License-Identifier: BSD-3-Clause
#include "run/gate.hpp"

#include <fmt/format.h>

namespace weft::run {
namespace {

double number(const nlohmann::json& report, const char* part, const char* key, double otherwise) {
  const auto at = report.find(part);
  if (at == report.end() || !at->is_object()) return otherwise;
  const auto value = at->find(key);
  return value != at->end() && value->is_number() ? value->get<double>() : otherwise;
}

}  // namespace

std::optional<double> hidden_fraction(const nlohmann::json& report) {
  if (number(report, "mean", "needed_seconds", 0) <= 0) return {};
  return number(report, "mean", "hidden_fraction", 0);
}

std::string why_nothing_said(const nlohmann::json& report) {
  if (report.value("ended", "finalize") != "finalize") return "the program ended before MPI_Finalize";
  if (!hidden_fraction(report)) return "nothing was on its way that could be hidden";
  if (const double steps = number(report, "mean", "steps", 0); steps < 20)
    return fmt::format("only {:.0f} steps were recorded (20 are needed)", steps);
  if (const double seen = report.value("looked_at", 1.0); seen < 0.5)
    return fmt::format("calls were recorded for {:.0f} % of the time only, since there are so many", 100 * seen);
  if (const double matched = number(report, "mean", "matched", 0); matched < 0.9)
    return fmt::format("of {:.0f} % of the messages the other side is not known", 100 * (1 - matched));
  const auto environment = report.value("environment", nlohmann::json::object());
  if (environment.value("shared_cores", false)) return "there were more ranks than cores";
  return {};
}

Judgement judge(const Gate& gate, const nlohmann::json& report) {
  if (const auto why = why_nothing_said(report); !why.empty())
    return {4, fmt::format("Whether enough is hidden can't be said, since {}.", why)};
  const double now = *hidden_fraction(report);
  if (gate.fail_below && now < *gate.fail_below)
    return {3, fmt::format("{:.1f} % is hidden, less than the {:.1f} % of --fail-below.", 100 * now,
                           100 * *gate.fail_below)};
  if (gate.against) {
    if (const auto why = why_nothing_said(*gate.against); !why.empty())
      return {4, fmt::format("Nothing can be compared with the report of --against, since there {}.", why)};
    const double before = *hidden_fraction(*gate.against);
    if (now < before - tolerance)
      return {3, fmt::format("{:.1f} % is hidden, less than the {:.1f} % before by more than {:.0f} points.", 100 * now,
                             100 * before, 100 * tolerance)};
    return {0, fmt::format("{:.1f} % is hidden, {:.1f} % was before.", 100 * now, 100 * before)};
  }
  return {0,
          fmt::format("{:.1f} % is hidden, at least the {:.1f} % of --fail-below.", 100 * now, 100 * *gate.fail_below)};
}

}  // namespace weft::run
