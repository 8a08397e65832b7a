// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/plan.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "weft/error.hpp"

namespace weft {

const char* name_of(Grouping grouping) { return grouping_names.of(grouping); }

namespace {

int pieces_of(std::size_t bytes, std::size_t piece_bytes) {
  if (piece_bytes == 0) return 1;
  const auto pieces = (bytes + piece_bytes - 1) / piece_bytes;
  return pieces <= static_cast<std::size_t>(most_pieces) ? static_cast<int>(pieces) : 1;
}

}  // namespace

Plan make_plan(const std::deque<Requests>& clients, Grouping grouping, std::size_t packed_limit_bytes,
               std::size_t piece_bytes, bool apart) {
  struct Entry {
    int round;
    const std::string* client;
    Key key;
    Part part;
    std::size_t bytes;
    bool is_up_to;
  };
  const auto before = [apart](const Entry& a, const Entry& b) {
    const bool a_later = apart && a.is_up_to, b_later = apart && b.is_up_to;
    return std::tie(a.round, a_later, *a.client, a.key) < std::tie(b.round, b_later, *b.client, b.key);
  };
  Plan plan;
  std::map<std::pair<bool, int>, std::vector<Entry>> lanes;  // by direction and peer
  std::vector<Entry> collectives;
  for (std::size_t c = 0; c < clients.size(); ++c) {
    const auto& list = clients[c].list();
    plan.rounds = std::max(plan.rounds, clients[c].all_rounds());
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto& r = list[i];
      const Part part{static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(i)};
      const Entry entry{r.round, &clients[c].client(), r.key, part, r.most_bytes(), r.is_up_to};
      if (r.kind == Request::Kind::collective)
        collectives.push_back(entry);
      else if (entry.bytes > 0)
        lanes[{r.kind == Request::Kind::send, r.peer}].push_back(entry);
    }
  }
  std::sort(collectives.begin(), collectives.end(), before);
  for (const auto& entry : collectives) plan.collectives.push_back(entry.part);
  for (auto& [lane, entries] : lanes) {
    if (!std::ranges::is_sorted(entries, before)) std::sort(entries.begin(), entries.end(), before);
    const auto lane_start = plan.messages.size();
    for (const auto& entry : entries) {
      const bool joins = grouping != Grouping::per_part && plan.messages.size() > lane_start &&
                         plan.messages.back().round == entry.round &&
                         plan.messages.back().bytes + entry.bytes <= packed_limit_bytes &&
                         (!apart || plan.messages.back().is_up_to == entry.is_up_to);
      if (!joins) plan.messages.push_back({.send = lane.first, .peer = lane.second, .round = entry.round, .parts = {}});
      auto& message = plan.messages.back();
      message.bytes += entry.bytes;
      message.parts.push_back(entry.part);
      message.is_up_to = message.is_up_to || entry.is_up_to;
    }
  }
  for (auto& message : plan.messages) message.pieces = message.is_up_to ? 1 : pieces_of(message.bytes, piece_bytes);
  assign_tags(plan);
  return plan;
}

// In the order of a lane's messages, which is the same on both ends.
void assign_tags(Plan& plan) {
  std::map<std::pair<bool, int>, int> next;
  for (auto& message : plan.messages) {
    auto& tag = next[{message.send, message.peer}];
    message.tag = tag;
    tag += message.tags();
  }
}

int tags_of(const Plan& plan) {
  int all = 0;
  for (const auto& message : plan.messages) all = std::max(all, message.tag + message.tags());
  return all;
}

}  // namespace weft
