// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "advise/table.hpp"

namespace weft::advise {
namespace {

using Json = nlohmann::ordered_json;

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

Json of(const StepVerdict& s) {
  return {{"steps", s.steps},
          {"seconds", s.seconds},
          {"mpi_seconds", s.mpi_seconds},
          {"calls", s.calls},
          {"peers", s.peers},
          {"messages", s.messages},
          {"messages_to_a_peer", s.messages_to_a_peer},
          {"packed_to_a_peer", s.packed_to_a_peer},
          {"waits", s.sync_points},
          {"overlap_fraction", overlap_fraction(s.overlapped_seconds, s.overlappable_seconds)},
          {"needed_seconds", s.needed_seconds},
          {"overlappable_seconds", s.overlappable_seconds},
          {"overlapped_seconds", s.overlapped_seconds},
          {"exposed_seconds", s.exposed_seconds},
          {"replayed", s.replayed > 0.99},
          {"late_seconds", s.late_seconds},
          {"coalesce_gain_seconds", s.coalesce_seconds},
          {"synchronise_gain_seconds", s.sync_seconds},
          {"progress_thread_gain_seconds", s.helper_seconds},
          {"matched", s.matched}};
}

Json of(const Row& row, double rank_steps) {
  const auto& s = row.steps;
  auto callers = Json::array();
  for (const auto& caller : row.callers) callers.push_back({{"place", caller.place}, {"share", caller.share}});
  return {{"place", row.name.text},
          {"call", row.call},
          {"kind", kind_names[static_cast<std::size_t>(row.kind)]},
          {"function", row.name.function},
          {"file", row.name.file},
          {"line", row.name.line},
          {"module", row.module},
          {"callers", callers},
          {"calls", row.total_calls},
          {"bytes", row.total_bytes},
          {"seconds", row.total_seconds},
          {"fruitless", row.total_fruitless},
          {"a_step",
           {{"calls", s.calls / rank_steps},
            {"messages", s.messages / rank_steps},
            {"waits", s.sync_points / rank_steps},
            {"seconds", s.inside_seconds / rank_steps},
            {"exposed_seconds", s.exposed_seconds / rank_steps},
            {"late_seconds", s.wait_late_seconds / rank_steps},
            {"progress_thread_gain_seconds", s.helper_seconds / rank_steps}}},
          {"a_message",
           {{"bytes", share(s.bytes, s.messages)},
            {"in_flight_seconds", share(s.flight_seconds, s.messages)},
            {"needed_seconds", share(s.needed_seconds, s.messages)},
            {"overlappable_seconds", share(s.overlappable_seconds, s.messages)},
            {"overlap_fraction", overlap_fraction(s.overlapped_seconds, s.overlappable_seconds)},
            {"peer_late_seconds", share(s.late_seconds, s.messages)}}},
          {"a_call_seconds", share(s.inside_seconds, s.calls)}};
}

Json region(const Row& row, double rank_steps) {
  const auto& s = row.steps;
  Json all = {{"name", row.name.text},
              {"times", s.calls / rank_steps},
              {"seconds", row.total_seconds / rank_steps},
              {"mpi_seconds", s.inside_seconds / rank_steps},
              {"messages", s.messages / rank_steps},
              {"overlap_fraction", overlap_fraction(s.overlapped_seconds, s.overlappable_seconds)},
              {"needed_seconds", s.needed_seconds / rank_steps},
              {"overlappable_seconds", s.overlappable_seconds / rank_steps},
              {"overlapped_seconds", s.overlapped_seconds / rank_steps},
              {"exposed_seconds", s.exposed_seconds / rank_steps},
              {"late_seconds", s.wait_late_seconds / rank_steps}};
  if (const auto interval = interval_of(row.blocks)) all["interval"] = *interval;
  return all;
}

Json of(const Path& path) {
  return {{"bytes", path.bytes},
          {"seconds", path.seconds},
          {"eager_bytes", path.eager_bytes},
          {"message_seconds", path.message_seconds}};
}

Json of(const std::vector<Report::RankTimes>& ranks) {
  auto all = Json::array();
  for (const auto& rank : ranks)
    all.push_back({{"seconds", rank.seconds}, {"mpi_seconds", rank.mpi_seconds}, {"late_seconds", rank.late_seconds}});
  return all;
}

Json of(const std::vector<Report::Pair>& pairs) {
  auto all = Json::array();
  for (const auto& pair : pairs)
    all.push_back({{"from", pair.from}, {"to", pair.to}, {"messages", pair.sent.messages}, {"bytes", pair.sent.bytes}});
  return all;
}

Json picture(const Report& r) {
  auto ranks = Json::array();
  for (const auto& rank : r.picture) {
    auto spans = Json::array();
    for (const auto& s : rank.spans)
      spans.push_back({{"kind", PictureRank::what_names.of(s.what)},
                       {"from", s.from},
                       {"to", s.to},
                       {"call", s.call},
                       {"lane", s.lane}});
    ranks.push_back({{"rank", rank.rank}, {"spans", spans}});
  }
  return {{"seconds", r.picture_seconds}, {"ranks", ranks}};
}

Json of(const Report::Now& now) {
  const auto& where = now.where;
  Json all = {{"rank", where.rank},     {"host", where.host},
              {"pid", where.pid},       {"process", Whereabouts::process_names.of(where.process)},
              {"inside", where.inside}, {"goes_on", where.goes_on},
              {"call", where.call},     {"place", now.place},
              {"caller", now.caller}};
  if (where.seconds >= 0) all["seconds"] = where.seconds;
  return all;
}

}  // namespace

std::string json_of(const Report& r) {
  const auto& e = r.environment;
  Json all = {
      {"format", 2},
      {"ended", Report::end_names.of(r.end)},
      {"program", r.program},
      {"number", r.number},
      {"ranks", r.ranks},
      {"library", r.library},
      {"abi", r.abi},
      {"progress_thread", r.driven},
      {"progress_thread_gains", r.progress_thread_gains},
      {"waits_yield", r.yields},
      {"seconds", r.seconds},
      {"mpi_seconds", r.mpi_seconds},
      {"recorded_share", r.recorded_share},
      {"sent", {{"messages", r.sent.messages}, {"bytes", r.sent.bytes}}},
      {"pairs", of(r.pairs)},
      {"step",
       {{"found_by", Steps::by_names.of(r.steps_by)},
        {"ends_with", r.step_place},
        {"alike", r.alike},
        {"loop_inside", r.shorter_step},
        {"asked", r.step_asked},
        {"warning", r.step_warning}}},
      {"mean", of(r.mean)},
      {"most", of(r.most)},
      {"by_rank", of(r.by_rank)},
      {"recorder",
       {{"bytes_a_rank", r.bytes_a_rank}, {"cost_share", r.cost_share}, {"deadline_seconds", r.deadline_seconds}}},
      {"environment",
       {{"nodes", e.nodes},
        {"ranks_on_fullest_node", e.ranks_on_fullest_node},
        {"cores_of_node", e.cores_of_node},
        {"cores_of_a_rank", e.cores_of_a_rank},
        {"shared_cores", e.shared_cores()},
        {"waited_for_core_share", e.busy.waited},
        {"stolen_share", e.busy.stolen},
        {"clock_change_share", e.busy.clock_change},
        {"pinned", e.cores_of_a_rank < e.cores_of_node},
        {"thread_level", e.thread_level},
        {"hosts", e.hosts}}},
      {"network", of(r.near)},
      {"sites", Json::array()},
      {"advice", Json::array()}};
  const double rank_steps = r.mean.steps * r.ranks > 1 ? r.mean.steps * r.ranks : 1;
  for (const auto& row : r.rows) all["sites"].push_back(of(row, rank_steps));
  for (const auto& row : r.regions) {
    auto one = region(row, rank_steps);
    if (!row.name.text.empty())
      all["regions"].push_back(std::move(one));
    else if (one.contains("interval"))
      all["mean"]["interval"] = one["interval"];
  }
  if (r.end != Report::End::finalize) all["left_by"] = r.left_by;
  for (const auto& now : r.now) all["now"].push_back(of(now));
  all["network"]["far"] = of(r.far);
  all["unwatched"] = Json::array();
  for (const auto& [call, calls] : unjudged(r)) all["unwatched"].push_back({{"call", call}, {"calls", calls}});
  all["picture"] = picture(r);
  for (const auto& a : r.advice)
    all["advice"].push_back({{"what", Advice::what_names.of(a.what)},
                             {"text", a.text},
                             {"places", a.places},
                             {"gain_seconds_a_step", a.gain_seconds},
                             {"gain_share", a.gain_share}});
  return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace weft::advise
