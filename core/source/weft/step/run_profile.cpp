// SPDX-License-Identifier: BSD-3-Clause
#include "weft/step/run_profile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

double largest(Transport& transport, double mine) { return all_reduce(transport, mine, maximum<double>()); }
double average(Transport& transport, double mine) {
  return all_reduce(transport, mine, sum<double>()) / transport.size();
}

Traffic most(Transport& transport, const Traffic& mine) {
  Traffic all = mine;
  for (auto value : {&Traffic::points, &Traffic::rounds, &Traffic::peers, &Traffic::messages, &Traffic::bytes,
                     &Traffic::collectives})
    all.*value = largest(transport, mine.*value);
  return all;
}

template <class... Values>
std::string text_of(const char* pattern, Values... values) {
  char text[512];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

std::string json_of(const Traffic& t) {
  return text_of(
      "{\"points\": %.9g, \"rounds\": %.9g, \"peers\": %.9g, \"messages\": %.9g, \"bytes\": %.9g, \"collectives\": "
      "%.9g}",
      t.points, t.rounds, t.peers, t.messages, t.bytes, t.collectives);
}

}  // namespace

void set_spread(Transport& transport, const std::vector<double>& computed, RunProfile& profile) {
  const auto steps = computed.size();
  if (steps == 0) return;
  const auto reduce = [&](const std::vector<double>& in, std::vector<double>& out, const Reduction<double>& reduction) {
    detail::run_collective(transport,
                           Collective::all_reduce(std::span<const double>(in), std::span<double>(out), reduction));
  };
  std::vector<double> common(steps);
  reduce(computed, common, sum<double>());
  double own = 0, all = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    common[i] /= transport.size();
    own += computed[i] / static_cast<double>(steps);
    all += common[i] / static_cast<double>(steps);
  }
  double squares = 0;
  std::vector<double> off(steps), latest(steps);
  for (std::size_t i = 0; i < steps; ++i) {
    off[i] = computed[i] - common[i] - (own - all);
    squares += off[i] * off[i] / static_cast<double>(steps);
  }
  reduce(off, latest, maximum<double>());
  profile.compute_seconds = all;
  profile.imbalance_seconds = std::max(0.0, largest(transport, own) - all);
  profile.jitter_seconds = std::sqrt(average(transport, squares));
  profile.late_seconds = std::accumulate(latest.begin(), latest.end(), 0.0) / static_cast<double>(steps);
  profile.worst_seconds = *std::ranges::max_element(latest);
}

RunProfile run_profile(Transport& transport, const StepManager& manager) {
  const auto mine = manager.profile();
  const auto& options = manager.options();
  RunProfile profile;
  profile.ranks = transport.size();
  profile.steps = static_cast<double>(mine.steps);
  profile.coalesce = options.coalesce;
  profile.progress = name_of(options.progress.kind);
  if (mine.steps == 0) return profile;
  const double per_step = 1 / profile.steps;
  profile.step_seconds = largest(transport, mine.seconds * per_step);
  set_spread(transport, mine.computed, profile);
  for (const auto& c : mine.clients) {
    if (c.alone.points == 0) continue;  // never took part; the same on all ranks
    profile.clients.push_back({.name = c.name,
                               .tree = largest(transport, c.tree ? 1 : 0) > 0,
                               .before = average(transport, c.before * per_step),
                               .during = average(transport, c.during * per_step),
                               .after = average(transport, c.after * per_step),
                               .alone = most(transport, c.alone * per_step)});
  }
  profile.polls = all_reduce(transport, mine.polls * per_step, minimum<double>());
  profile.together = most(transport, mine.together * per_step);
  return profile;
}

std::string RunProfile::json() const {
  std::string text = text_of(
      "{\"problem\": %.17g, \"steps\": %.17g, \"ranks\": %d, \"step_s\": %.9g, \"coalesce\": %s, \"progress\": "
      "\"%s\", ",
      problem, steps, ranks, step_seconds, coalesce ? "true" : "false", progress.c_str());
  text += text_of("\"compute_s\": %.9g, \"imbalance_s\": %.9g, \"jitter_s\": %.9g, ", compute_seconds,
                  imbalance_seconds, jitter_seconds);
  text += text_of("\"late_s\": %.9g, \"worst_s\": %.9g, \"polls\": %.9g, ", late_seconds, worst_seconds, polls);
  text += text_of("\"pack_s\": %.9g, \"together\": ", pack_seconds) + json_of(together) + ", \"clients\": [";
  for (const auto& c : clients)
    text += (&c == &clients.front() ? "" : ", ") + ("{\"client\": \"" + Timeline::json_text(c.name)) +
            text_of("\", \"tree\": %s, \"before_s\": %.9g, \"during_s\": %.9g, \"after_s\": %.9g, \"alone\": ",
                    c.tree ? "true" : "false", c.before, c.during, c.after) +
            json_of(c.alone) + "}";
  return text + "]}";
}

}  // namespace weft
