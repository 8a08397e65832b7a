// SPDX-License-Identifier: BSD-3-Clause
#include "run/report/reading.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "run/report/text.hpp"

namespace weft::run {
namespace {

using Json = nlohmann::json;

const Json& in(const Json& object, const char* key) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}

// All numbers of a report are finite and not negative.
double number(const Json& object, const char* key, double otherwise = 0) {
  const auto& value = in(object, key);
  if (!value.is_number()) return otherwise;
  const double x = value.get<double>();
  return std::isfinite(x) ? std::clamp(x, 0.0, 1e18) : otherwise;
}

std::string text_of(const Json& value) { return value.is_string() ? clean(value.get_ref<const std::string&>()) : ""; }

std::string text(const Json& object, const char* key) { return text_of(in(object, key)); }

bool flag(const Json& object, const char* key, bool otherwise = false) {
  const auto& value = in(object, key);
  return value.is_boolean() ? value.get<bool>() : otherwise;
}

// A value that is not a list counts as an empty list.
const Json& list(const Json& object, const char* key) {
  static const Json nothing = Json::array();
  const auto& value = in(object, key);
  return value.is_array() ? value : nothing;
}

// Of a mean or a message; `hidden_fraction` is its name in older reports.
double overlap_fraction_of(const Json& json) {
  return std::min(1.0, number(json, "overlap_fraction", number(json, "hidden_fraction")));
}

Reading::Site site_of(const Json& json) {
  Reading::Site site;
  site.place = text(json, "place");
  site.call = text(json, "call");
  site.kind = text(json, "kind");
  site.function = text(json, "function");
  site.file = text(json, "file");
  site.module = text(json, "module");
  site.line = static_cast<int>(std::min(number(json, "line"), 1e9));
  for (const auto& caller : list(json, "callers"))
    site.callers.push_back({text(caller, "place"), std::min(1.0, number(caller, "share"))});
  site.calls = number(json, "calls");
  site.seconds = number(json, "seconds");
  const auto &step = in(json, "a_step"), &message = in(json, "a_message");
  site.step_calls = number(step, "calls");
  site.step_messages = number(step, "messages");
  site.step_seconds = number(step, "seconds", site.step_calls * number(json, "a_call_seconds"));
  site.exposed_seconds = number(step, "exposed_seconds");
  site.late_seconds = number(step, "late_seconds");
  site.message_bytes = number(message, "bytes");
  site.needed_seconds = number(message, "needed_seconds");
  const double overlappable = number(message, "overlappable_seconds", site.needed_seconds);
  site.exposed_of_message =
      site.needed_seconds - std::min(site.needed_seconds, overlap_fraction_of(message) * overlappable);
  return site;
}

Reading::RankNow now_of(const Json& json) {
  Reading::RankNow now;
  now.rank = static_cast<int>(std::min(number(json, "rank"), 1e9));
  now.process = text(json, "process");
  now.host = text(json, "host");
  now.call = text(json, "call");
  now.place = text(json, "place");
  now.caller = text(json, "caller");
  now.inside = flag(json, "inside");
  now.goes_on = flag(json, "goes_on");
  now.seconds = in(json, "seconds").is_number() ? number(json, "seconds") : -1;
  return now;
}

std::vector<Reading::PictureRank> picture_of(const Json& json) {
  std::vector<Reading::PictureRank> picture;
  for (const auto& one : list(json, "ranks")) {
    Reading::PictureRank rank{.rank = static_cast<int>(std::min(number(one, "rank"), 1e9)), .spans = {}};
    for (const auto& span : list(one, "spans")) {
      const auto kind = text(span, "kind");
      if (kind != "call" && kind != "flight" && kind != "late") continue;
      rank.spans.push_back({.kind = kind == "call"     ? Reading::Span::Kind::call
                                    : kind == "flight" ? Reading::Span::Kind::flight
                                                       : Reading::Span::Kind::late,
                            .from = number(span, "from"),
                            .to = number(span, "to"),
                            .site = static_cast<std::size_t>(number(span, "site", 1e18)),
                            .call = text(span, "call"),
                            .lane = static_cast<int>(std::min(number(span, "lane"), 1e6))});
    }
    picture.push_back(std::move(rank));
  }
  std::ranges::stable_sort(picture, {}, &Reading::PictureRank::rank);
  return picture;
}

}  // namespace

Reading read(const Json& run) {
  Reading r;
  r.ended = text(run, "ended");
  r.early = r.ended == "early" || r.ended == "sessions" || r.ended == "runs" || r.ended == "unknown";
  r.program = text(run, "program");
  for (const auto& one : list(run, "now")) r.now.push_back(now_of(one));
  r.ranks = std::max(1.0, number(run, "ranks", 1));
  r.library = text(run, "library");
  r.abi = text(run, "abi");
  r.helper_thread = flag(run, "helper_thread");
  r.helper_gains = flag(run, "helper_gains");
  r.waits_yield = flag(run, "waits_yield");
  r.seconds = number(run, "seconds");
  r.mpi_seconds = number(run, "mpi_seconds");
  r.looked_at = std::min(1.0, number(run, "looked_at", 1));
  r.sent_messages = number(in(run, "sent"), "messages");
  r.sent_bytes = number(in(run, "sent"), "bytes");
  r.left_by = static_cast<double>(list(run, "left_by").size());
  r.found_by = text(in(run, "step"), "found_by");
  r.ends_with = text(in(run, "step"), "ends_with");
  r.step_warning = text(in(run, "step"), "warning");
  r.alike = number(in(run, "step"), "alike");

  const auto& mean = in(run, "mean");
  r.steps = number(mean, "steps");
  r.step_seconds = number(mean, "seconds");
  r.step_mpi_seconds = number(mean, "mpi_seconds");
  r.needed_seconds = number(mean, "needed_seconds");
  r.overlappable_seconds = std::min(r.needed_seconds, number(mean, "overlappable_seconds", r.needed_seconds));
  r.overlap_fraction = overlap_fraction_of(mean);
  r.hidden_seconds =
      std::min(r.needed_seconds, number(mean, "hidden_seconds", r.overlap_fraction * r.overlappable_seconds));
  r.late_seconds = number(mean, "late_seconds");
  r.told_apart = in(mean, "late_seconds").is_number();
  r.messages = number(mean, "messages");
  r.peers = number(mean, "peers");
  r.sync_points = number(mean, "synchronisation_points");
  r.matched = std::min(1.0, number(mean, "matched", 1));
  r.replayed = flag(mean, "replayed");
  for (const auto& one : list(run, "by_rank")) {
    const double inside = number(one, "mpi_seconds");
    r.by_rank.push_back({static_cast<int>(r.by_rank.size()), std::max(0.0, number(one, "seconds") - inside), inside,
                         number(one, "late_seconds")});
  }
  r.most_mpi_seconds = number(in(run, "most"), "mpi_seconds");

  const auto& recorder = in(run, "recorder");
  r.recorder_bytes = number(recorder, "bytes_a_rank");
  r.recorder_share = number(recorder, "cost_share");
  for (const auto& one : list(run, "unwatched"))
    if (!text(one, "call").empty()) r.unwatched.emplace_back(text(one, "call"), number(one, "calls"));
  const auto& environment = in(run, "environment");
  r.has_environment = environment.is_object();
  r.nodes = std::max(1.0, number(environment, "nodes", 1));
  r.ranks_on_node = number(environment, "ranks_on_fullest_node");
  r.cores_of_node = number(environment, "cores_of_node");
  r.cores_of_rank = number(environment, "cores_of_a_rank");
  r.shared_cores = flag(environment, "shared_cores");
  r.waited_for_core = std::max(number(environment, "waited_for_core_share"), number(environment, "stolen_share"));
  r.pinned = flag(environment, "pinned", true);
  r.thread_level = text(environment, "thread_level");
  for (const auto& host : list(environment, "hosts"))
    if (!text_of(host).empty()) r.hosts.push_back(text_of(host));
  const auto &near = in(run, "network"), &far = in(near, "far");
  r.eager_bytes = number(near, "eager_bytes");
  r.far_eager_bytes = number(far, "eager_bytes");
  if (const auto& times = list(near, "seconds"); !times.empty() && times[0].is_number()) r.latency = times[0];
  if (const auto& times = list(far, "seconds"); !times.empty() && times[0].is_number()) r.far_latency = times[0];

  for (const auto& site : list(run, "sites")) r.sites.push_back(site_of(site));  // spans refer to them by index
  for (const auto& one : list(run, "advice")) {
    Reading::Advice advice{text(one, "what"), text(one, "text"), {}, number(one, "gain_seconds_a_step")};
    for (const auto& place : list(one, "places")) advice.places.push_back(text_of(place));
    r.advice.push_back(std::move(advice));
  }
  r.picture_seconds = number(in(run, "picture"), "seconds");
  r.picture = picture_of(in(run, "picture"));
  return r;
}

}  // namespace weft::run
