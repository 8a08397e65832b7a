// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/plan.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <cstring>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

constexpr std::size_t name_length = 48;

// One end of a part (or one rank's share of a collective), as it travels to the other end.
struct End {
  std::array<char, name_length> client{};
  Key key = 0;
  std::uint64_t bytes = 0;
  std::int32_t round = 0;
  std::int32_t collective = 0;

  auto identity() const { return std::tie(client, collective, key); }
  bool operator<(const End& other) const { return identity() < other.identity(); }
  std::string describe() const {
    return "client '" + std::string(client.data()) + (collective ? "', collective " : "', key ") + std::to_string(key);
  }
};

// A collective as every rank must see it.
struct Signature {
  std::array<char, name_length> client{};
  Key number = 0;
  std::int32_t round = 0, root = 0, kind = 0, operation = 0, type = 0;
  std::uint64_t element_bytes = 0, bytes = 0;
  bool operator==(const Signature&) const = default;
};

std::array<char, name_length> fixed(const std::string& name) {
  if (name.empty() || name.size() >= name_length)
    throw Error("client '" + name + "' has a name of " + std::to_string(name.size()) + " letters. use 1 to 47.");
  std::array<char, name_length> result{};
  std::copy(name.begin(), name.end(), result.begin());
  return result;
}

std::string bytes_text(std::uint64_t n) { return std::to_string(n) + " byte" + (n == 1 ? "" : "s"); }

void check_peer(const Requests& client, const Request& request, int size) {
  if (request.kind == Request::Kind::collective || (request.peer >= 0 && request.peer < size)) return;
  throw Error("client '" + client.client() + "', key " + std::to_string(request.key) + " names rank " +
              std::to_string(request.peer) + " (there are " + std::to_string(size) + " ranks).");
}

// What one rank can see alone: a root that exists, and spans as long as the counts say (MPI would write beyond them).
void check_collective(const Requests& client, const Request& request, int rank, int size) {
  if (request.kind != Request::Kind::collective) return;
  const auto& what = request.collective;
  using K = Collective::Kind;
  const auto refuse = [&](const std::string& why) {
    throw Error("client '" + client.client() + "', collective " + std::to_string(request.key) + " (" +
                name_of(what.kind) + ") " + why);
  };
  if (what.root < 0 || what.root >= size)
    refuse("has root " + std::to_string(what.root) + " (there are " + std::to_string(size) + " ranks).");
  const bool on_root = rank == what.root;
  if ((what.kind == K::all_reduce || (what.kind == K::reduce && on_root)) && what.in.size() != what.out.size())
    refuse("reduces " + bytes_text(what.in.size()) + " into " + bytes_text(what.out.size()) +
           ". give both the same size.");
  const auto check_shares = [&](const char* which, const std::vector<std::size_t>& shares, std::size_t bytes) {
    const auto sum = std::accumulate(shares.begin(), shares.end(), std::size_t{0});
    if (shares.size() == static_cast<std::size_t>(size) && sum == bytes) return;
    refuse(std::string(which) + " of " + bytes_text(bytes) + " has counts for " + std::to_string(shares.size()) +
           " ranks and " + bytes_text(sum) + " (there are " + std::to_string(size) +
           " ranks). give one count a rank that add up.");
  };
  if (what.kind == K::all_to_all) check_shares("input", what.in_bytes, what.in.size());
  if (what.kind == K::all_to_all || what.kind == K::all_gather || (what.kind == K::gather && on_root))
    check_shares("output", what.out_bytes, what.out.size());
}

// What this rank will send to each rank, and what it expects from each.
struct Ends {
  std::vector<std::vector<End>> to, from;
};

Ends list_ends(const std::deque<Requests>& clients, int rank, int size) {
  const auto n = static_cast<std::size_t>(size);
  Ends ends{std::vector<std::vector<End>>(n), std::vector<std::vector<End>>(n)};
  for (const auto& client : clients) {
    const auto name = fixed(client.client());
    for (const auto& request : client.list()) {
      check_peer(client, request, size);
      check_collective(client, request, rank, size);
      End end{name, request.key, request.region.bytes(), request.round, 0};
      const auto peer = static_cast<std::size_t>(request.peer);
      if (request.kind == Request::Kind::send) ends.to[peer].push_back(end);
      if (request.kind == Request::Kind::receive) ends.from[peer].push_back(end);
      if (request.kind != Request::Kind::collective) continue;
      const auto& what = request.collective;
      using K = Collective::Kind;
      if (what.kind != K::gather && what.kind != K::all_gather && what.kind != K::all_to_all) continue;
      end.collective = 1;
      for (std::size_t r = 0; r < n; ++r) {
        const bool to_root = what.kind == K::gather;
        if (!to_root || static_cast<int>(r) == what.root) {
          end.bytes = what.kind == K::all_to_all ? what.in_bytes[r] : what.in.size();
          ends.to[r].push_back(end);
        }
        if (!to_root || rank == what.root) {
          end.bytes = what.out_bytes[r];
          ends.from[r].push_back(end);
        }
      }
    }
  }
  for (auto* side : {&ends.to, &ends.from})
    for (auto& list : *side) std::sort(list.begin(), list.end());
  return ends;
}

// Both lists are sorted. Appends what is wrong between `sender`, who sends `sent`, and `receiver`, who expects
// `expected`.
void compare(const std::vector<End>& sent, const std::vector<End>& expected, int sender, int receiver,
             std::vector<std::string>& problems) {
  const auto a = " (rank " + std::to_string(sender), b = " rank " + std::to_string(receiver);
  for (const auto* list : {&sent, &expected})
    for (std::size_t i = 1; i < list->size(); ++i)
      if ((*list)[i].identity() == (*list)[i - 1].identity())
        problems.push_back((*list)[i].describe() + " is used twice" + a + " to" + b + "). give each part its own key.");
  auto s = sent.begin();
  auto e = expected.begin();
  while (s != sent.end() || e != expected.end()) {
    if (e == expected.end() || (s != sent.end() && *s < *e)) {
      problems.push_back(s->describe() + " has no receive" + a + " sends " + bytes_text(s->bytes) + ", but" + b +
                         " receives 0 bytes: nothing under that key). register it on both ends.");
      ++s;
    } else if (s == sent.end() || *e < *s) {
      problems.push_back(e->describe() + " has no send" + a + " sends 0 bytes: nothing under that key, but" + b +
                         " receives " + bytes_text(e->bytes) + "). register it on both ends.");
      ++e;
    } else {
      if (s->bytes != e->bytes)
        problems.push_back(s->describe() + " has two sizes" + a + " sends " + bytes_text(s->bytes) + "," + b +
                           " receives " + bytes_text(e->bytes) + "). register the same size on both ends.");
      else if (s->round != e->round)
        problems.push_back(s->describe() + " has two rounds" + a + " sends " + bytes_text(s->bytes) + " in round " +
                           std::to_string(s->round) + "," + b + " receives " + bytes_text(e->bytes) + " in round " +
                           std::to_string(e->round) + "). use the same round on both ends.");
      ++s, ++e;
    }
  }
}

std::vector<Signature> list_signatures(const std::deque<Requests>& clients) {
  std::vector<Signature> result;
  for (const auto& client : clients)
    for (const auto& request : client.list()) {
      if (request.kind != Request::Kind::collective) continue;
      const auto& c = request.collective;
      using K = Collective::Kind;
      Signature s{.client = fixed(client.client()),
                  .number = request.key,
                  .round = request.round,
                  .root = c.root,
                  .kind = static_cast<int>(c.kind)};
      if (c.kind == K::reduce || c.kind == K::all_reduce) {
        s.operation = static_cast<int>(c.reduction.operation);
        s.type = static_cast<int>(c.reduction.type);
        s.element_bytes = c.reduction.element_bytes;
        s.bytes = c.in.size();
      }
      if (c.kind == K::broadcast) s.bytes = c.out.size();
      result.push_back(s);
    }
  std::sort(result.begin(), result.end(), [](const Signature& a, const Signature& b) {
    return std::tie(a.round, a.client, a.number) < std::tie(b.round, b.client, b.number);
  });
  return result;
}

std::string describe(const std::vector<Signature>& list, std::size_t i, int rank) {
  const auto who = "rank " + std::to_string(rank);
  if (i >= list.size()) return who + " has none of 0 bytes";
  const auto& s = list[i];
  return who + " has client '" + s.client.data() + "', collective " + std::to_string(s.number) + ": " +
         name_of(static_cast<Collective::Kind>(s.kind)) + " of " + bytes_text(s.bytes) + ", root " +
         std::to_string(s.root) + ", round " + std::to_string(s.round);
}

void compare_with_root(const std::vector<Signature>& root, const std::vector<Signature>& mine, int rank,
                       std::vector<std::string>& problems) {
  for (std::size_t i = 0; i < std::max(root.size(), mine.size()); ++i)
    if (i >= root.size() || i >= mine.size() || !(root[i] == mine[i])) {
      problems.push_back("the ranks disagree on a collective (" + describe(root, i, 0) + "; " +
                         describe(mine, i, rank) + "). every rank lists the same ones.");
      return;  // those behind it are only shifted
    }
}

}  // namespace

const char* name_of(Grouping grouping) {
  switch (grouping) {
    case Grouping::per_peer: return "per_peer";
    case Grouping::per_part: return "per_part";
    case Grouping::by_size: return "by_size";
  }
  return "?";
}

Grouping grouping_of(const std::string& name) {
  for (const auto grouping : {Grouping::per_peer, Grouping::per_part, Grouping::by_size})
    if (name == name_of(grouping)) return grouping;
  throw InputError("no grouping is called '" + name + "' (allowed: per_peer, per_part, by_size).", true);
}

void check_ends(Transport& transport, const std::deque<Requests>& clients) {
  Ends ends;
  std::vector<Signature> signatures;
  const int rank = transport.rank(), size = transport.size();
  together(transport, [&] {
    ends = list_ends(clients, rank, size);
    signatures = list_signatures(clients);
  });
  const auto sent_here = all_to_all(transport, ends.to);
  const auto of_root = broadcast(transport, signatures);
  together(transport, [&] {
    std::vector<std::string> problems;
    compare_with_root(of_root, signatures, rank, problems);
    for (int r = 0; r < size; ++r) {
      const auto i = static_cast<std::size_t>(r);
      compare(sent_here[i], ends.from[i], r, rank, problems);
    }
    if (problems.empty()) return;
    if (problems.size() > 1)
      problems[0] += " (and " + std::to_string(problems.size() - 1) + " more on rank " + std::to_string(rank) + ")";
    throw Error(problems[0]);
  });
}

namespace {

int piece_count(std::size_t bytes, std::size_t piece_bytes) {
  if (piece_bytes == 0) return 1;
  const auto pieces = (bytes + piece_bytes - 1) / piece_bytes;
  return pieces <= static_cast<std::size_t>(most_pieces) ? static_cast<int>(pieces) : 1;
}

}  // namespace

Plan make_plan(const std::deque<Requests>& clients, Grouping grouping, std::size_t packed_limit_bytes,
               std::size_t piece_bytes) {
  struct Entry {
    int round;
    const std::string* client;
    Key key;
    Part part;
    std::size_t bytes;
  };
  const auto before = [](const Entry& a, const Entry& b) {
    return std::tie(a.round, *a.client, a.key) < std::tie(b.round, *b.client, b.key);
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
      const Entry entry{r.round, &clients[c].client(), r.key, part, r.region.bytes()};
      if (r.kind == Request::Kind::collective)
        collectives.push_back(entry);
      else if (entry.bytes > 0)
        lanes[{r.kind == Request::Kind::send, r.peer}].push_back(entry);
    }
  }
  std::sort(collectives.begin(), collectives.end(), before);
  for (const auto& entry : collectives) plan.collectives.push_back(entry.part);
  for (auto& [lane, entries] : lanes) {
    std::sort(entries.begin(), entries.end(), before);
    int tag = 0;
    const auto lane_start = plan.messages.size();
    for (const auto& entry : entries) {
      const bool joins = grouping != Grouping::per_part && plan.messages.size() > lane_start &&
                         plan.messages.back().round == entry.round &&
                         plan.messages.back().bytes + entry.bytes <= packed_limit_bytes;
      if (!joins) plan.messages.push_back({lane.first, lane.second, entry.round, tag++, 0, 1, {}});
      plan.messages.back().bytes += entry.bytes;
      plan.messages.back().parts.push_back(entry.part);
    }
  }
  for (auto& message : plan.messages) message.pieces = piece_count(message.bytes, piece_bytes);
  return plan;
}

}  // namespace weft
