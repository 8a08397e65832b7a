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
          {"synchronisation_points", s.sync_points},
          {"hidden_fraction", share(s.hidden_seconds, s.needed_seconds)},
          {"needed_seconds", s.needed_seconds},
          {"coalesce_gain_seconds", s.coalesce_seconds},
          {"synchronise_gain_seconds", s.sync_seconds},
          {"helper_gain_seconds", s.helper_seconds},
          {"matched", s.matched}};
}

Json of(const Row& row, double rank_steps) {
  const auto& s = row.steps;
  return {{"place", row.place},
          {"call", row.call},
          {"calls", row.total_calls},
          {"bytes", row.total_bytes},
          {"seconds", row.total_seconds},
          {"fruitless", row.total_fruitless},
          {"a_step",
           {{"calls", s.calls / rank_steps},
            {"messages", s.messages / rank_steps},
            {"synchronisation_points", s.sync_points / rank_steps},
            {"helper_gain_seconds", s.helper_seconds / rank_steps}}},
          {"a_message",
           {{"bytes", share(s.bytes, s.messages)},
            {"in_flight_seconds", share(s.flight_seconds, s.messages)},
            {"needed_seconds", share(s.needed_seconds, s.messages)},
            {"hidden_fraction", share(s.hidden_seconds, s.needed_seconds)},
            {"peer_late_seconds", share(s.late_seconds, s.messages)}}},
          {"a_call_seconds", share(s.inside_seconds, s.calls)}};
}

}  // namespace

std::string json_of(const Report& r) {
  Json all = {{"ranks", r.ranks},
              {"library", r.library},
              {"helper_thread", r.driven},
              {"seconds", r.seconds},
              {"mpi_seconds", r.mpi_seconds},
              {"looked_at", r.looked_at},
              {"step", {{"found_by", name_of(r.steps_by)}, {"ends_with", r.step_place}, {"alike", r.alike}}},
              {"mean", of(r.mean)},
              {"most", of(r.most)},
              {"network",
               {{"bytes", r.near.bytes},
                {"seconds", r.near.seconds},
                {"eager_bytes", r.near.eager_bytes},
                {"message_seconds", r.near.message_seconds}}},
              {"sites", Json::array()},
              {"advice", Json::array()}};
  const double rank_steps = r.mean.steps * r.ranks > 1 ? r.mean.steps * r.ranks : 1;
  for (const auto& row : r.rows) all["sites"].push_back(of(row, rank_steps));
  for (const auto& a : r.advice)
    all["advice"].push_back({{"what", name_of(a.what)},
                             {"text", a.text},
                             {"places", a.places},
                             {"gain_seconds_a_step", a.gain_seconds},
                             {"gain_share", a.gain_share}});
  return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace weft::advise
