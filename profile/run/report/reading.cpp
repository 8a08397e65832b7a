// SPDX-License-Identifier: BSD-3-Clause
#include "run/report/reading.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "run/report/text.hpp"
#include "weft/names.hpp"

namespace weft::run {
namespace {

using Json = nlohmann::json;
using Span = Reading::Span;

constexpr Names<Span::Kind> span_kinds("span", {{Span::Kind::call, "call"},
                                                {Span::Kind::flight, "flight"},
                                                {Span::Kind::late, "late"}});

std::string text_of(const Json& value) { return value.is_string() ? clean(value.get_ref<const std::string&>()) : ""; }

bool flag(const Json& object, const char* key, bool otherwise = false) {
  const auto& value = in(object, key);
  return value.is_boolean() ? value.get<bool>() : otherwise;
}

// Sets what the object has of these; the others keep their values.
void set(const Json& object, std::initializer_list<std::pair<const char*, double*>> values) {
  for (const auto& [key, value] : values) *value = number(object, key, *value);
}
void set(const Json& object, std::initializer_list<std::pair<const char*, bool*>> values) {
  for (const auto& [key, value] : values) *value = flag(object, key, *value);
}
void set(const Json& object, std::initializer_list<std::pair<const char*, std::string*>> values) {
  for (const auto& [key, value] : values) *value = text(object, key);
}

// A value that is not a list counts as an empty list.
const Json& list(const Json& object, const char* key) {
  static const Json nothing = Json::array();
  const auto& value = in(object, key);
  return value.is_array() ? value : nothing;
}

int whole_number(const Json& object, const char* key, double most = 1e9) {
  return static_cast<int>(std::min(number(object, key), most));
}

double overlap_fraction_of(const Json& json) { return std::min(1.0, number(json, "overlap_fraction")); }

Reading::Site site_of(const Json& json) {
  Reading::Site site;
  set(json, {{"place", &site.place},
             {"call", &site.call},
             {"kind", &site.kind},
             {"function", &site.function},
             {"file", &site.file},
             {"module", &site.module}});
  set(json, {{"calls", &site.calls}, {"seconds", &site.seconds}});
  site.line = whole_number(json, "line");
  for (const auto& caller : list(json, "callers"))
    site.callers.push_back({text(caller, "place"), std::min(1.0, number(caller, "share"))});
  const auto& step = in(json, "a_step");
  set(step, {{"calls", &site.step_calls},
             {"messages", &site.step_messages},
             {"exposed_seconds", &site.exposed_seconds},
             {"late_seconds", &site.late_seconds}});
  site.step_seconds = number(step, "seconds", site.step_calls * number(json, "a_call_seconds"));
  const auto& message = in(json, "a_message");
  set(message, {{"bytes", &site.message_bytes}, {"needed_seconds", &site.needed_seconds}});
  const double overlappable = number(message, "overlappable_seconds", site.needed_seconds);
  site.exposed_of_message =
      site.needed_seconds - std::min(site.needed_seconds, overlap_fraction_of(message) * overlappable);
  return site;
}

Reading::RankNow now_of(const Json& json) {
  Reading::RankNow now;
  now.rank = whole_number(json, "rank");
  set(json, {{"process", &now.process},
             {"host", &now.host},
             {"call", &now.call},
             {"place", &now.place},
             {"caller", &now.caller}});
  set(json, {{"inside", &now.inside}, {"goes_on", &now.goes_on}});
  set(json, {{"seconds", &now.seconds}});
  return now;
}

std::vector<Reading::PictureRank> picture_of(const Json& json) {
  std::vector<Reading::PictureRank> picture;
  for (const auto& one : list(json, "ranks")) {
    Reading::PictureRank rank{.rank = whole_number(one, "rank"), .spans = {}};
    for (const auto& span : list(one, "spans"))
      if (const auto kind = span_kinds.find(text(span, "kind")))
        rank.spans.push_back({.kind = *kind,
                              .from = number(span, "from"),
                              .to = number(span, "to"),
                              .site = static_cast<std::size_t>(number(span, "site", 1e18)),
                              .call = text(span, "call"),
                              .lane = whole_number(span, "lane", 1e6)});
    picture.push_back(std::move(rank));
  }
  std::ranges::stable_sort(picture, {}, &Reading::PictureRank::rank);
  return picture;
}

Reading::Region region_of(const Json& json, double step_seconds) {
  Reading::Region region;
  region.name = region_name(text(json, "name"));
  set(json, {{"seconds", &region.seconds},
             {"mpi_seconds", &region.mpi_seconds},
             {"messages", &region.messages},
             {"overlappable_seconds", &region.overlappable_seconds}});
  region.overlap_fraction = overlap_fraction_of(json);
  region.hardly_communicates =
      number(json, "needed_seconds", step_seconds) < least_communication * step_seconds && region.messages > 0;
  if (const auto& interval = list(json, "interval");
      interval.size() == 2 && interval[0].is_number() && interval[1].is_number())
    region.low = interval[0], region.high = interval[1];
  return region;
}

}  // namespace

std::string text(const Json& object, const char* key) { return text_of(in(object, key)); }

std::string region_name(const std::string& name) { return cut_end(clean(name), 100); }

const Json& in(const Json& object, const char* key) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}

double number(const Json& object, const char* key, double otherwise) {
  const auto& value = in(object, key);
  if (!value.is_number()) return otherwise;
  const double x = value.get<double>();
  return std::isfinite(x) ? std::clamp(x, 0.0, 1e18) : otherwise;
}

std::string not_complete(double deadline) {
  return "the report was not complete within " + count(deadline) + " s of MPI_Finalize; give a longer --deadline";
}

std::string network_of(const Json& run) {
  const auto& emulated = in(run, "emulated");
  if (!emulated.is_object()) return {};
  const auto rounded = [](double value, std::array<const char*, 4> units) {
    std::size_t unit = 0;
    for (; value >= 1000 && unit + 1 < units.size(); ++unit) value /= 1000;
    char text[40];
    std::snprintf(text, sizeof text, "%.4g %s", value, units[unit]);
    return std::string(text);
  };
  const auto rate = number(emulated, "bits_per_second"), nodes = number(emulated, "nodes"),
             ranks = number(emulated, "ranks_per_node", 1);
  return "emulated network (" + rounded(1e9 * number(emulated, "latency_seconds"), {"ns", "us", "ms", "s"}) + ", " +
         (rate > 0 ? rounded(rate, {"bit/s", "kbit/s", "Mbit/s", "Gbit/s"}) : "no limit") +
         (nodes > 1 && ranks > 1 ? ", " + plural(ranks, "rank") + " per node" : "") + ")";
}

Reading read(const Json& run) {
  Reading r;
  set(run, {{"ended", &r.ended}, {"program", &r.program}, {"library", &r.library}, {"abi", &r.abi}});
  set(run, {{"progress_thread", &r.progress_thread},
            {"progress_thread_gains", &r.progress_thread_gains},
            {"waits_yield", &r.waits_yield}});
  set(run, {{"ranks", &r.ranks},
            {"seconds", &r.seconds},
            {"mpi_seconds", &r.mpi_seconds},
            {"recorded_share", &r.recorded_share}});
  r.early =
      r.ended == "early" || r.ended == "late" || r.ended == "sessions" || r.ended == "runs" || r.ended == "unknown";
  for (const auto& one : list(run, "now")) r.now.push_back(now_of(one));
  r.ranks = std::max(1.0, r.ranks);
  r.recorded_share = std::min(1.0, r.recorded_share);
  set(in(run, "sent"), {{"messages", &r.sent_messages}, {"bytes", &r.sent_bytes}});
  r.left_by = static_cast<double>(list(run, "left_by").size());
  const auto& step = in(run, "step");
  set(step, {{"found_by", &r.found_by}, {"ends_with", &r.ends_with}, {"warning", &r.step_warning}});
  r.alike = number(step, "alike");

  const auto& mean = in(run, "mean");
  set(mean, {{"steps", &r.steps},
             {"seconds", &r.step_seconds},
             {"mpi_seconds", &r.step_mpi_seconds},
             {"needed_seconds", &r.needed_seconds},
             {"late_seconds", &r.late_seconds},
             {"messages", &r.messages},
             {"peers", &r.peers},
             {"waits", &r.sync_points},
             {"matched", &r.matched}});
  r.overlappable_seconds = std::min(r.needed_seconds, number(mean, "overlappable_seconds", r.needed_seconds));
  r.overlap_fraction = overlap_fraction_of(mean);
  r.overlapped_seconds =
      std::min(r.needed_seconds, number(mean, "overlapped_seconds", r.overlap_fraction * r.overlappable_seconds));
  r.parts_known = in(mean, "late_seconds").is_number();
  r.matched = std::min(1.0, r.matched);
  r.replayed = flag(mean, "replayed");
  for (const auto& one : list(run, "by_rank")) {
    const double inside = number(one, "mpi_seconds");
    r.by_rank.push_back({static_cast<int>(r.by_rank.size()), std::max(0.0, number(one, "seconds") - inside), inside,
                         number(one, "late_seconds")});
  }
  r.most_mpi_seconds = number(in(run, "most"), "mpi_seconds");

  for (const auto& one : list(run, "regions"))
    if (r.regions.size() < 256) r.regions.push_back(region_of(one, r.step_seconds));

  set(in(run, "recorder"), {{"bytes_a_rank", &r.recorder_bytes},
                            {"cost_share", &r.recorder_share},
                            {"deadline_seconds", &r.deadline_seconds}});
  for (const auto& one : list(run, "unwatched"))
    if (!text(one, "call").empty()) r.unwatched.emplace_back(text(one, "call"), number(one, "calls"));
  const auto& environment = in(run, "environment");
  r.has_environment = environment.is_object();
  set(environment, {{"nodes", &r.nodes},
                    {"ranks_on_fullest_node", &r.ranks_on_node},
                    {"cores_of_node", &r.cores_of_node},
                    {"cores_of_a_rank", &r.cores_of_rank}});
  r.nodes = std::max(1.0, r.nodes);
  r.network = network_of(run);
  set(environment, {{"shared_cores", &r.shared_cores}, {"pinned", &r.pinned}});
  r.waited_for_core = std::max(number(environment, "waited_for_core_share"), number(environment, "stolen_share"));
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
