// SPDX-License-Identifier: BSD-3-Clause
#include "weft/graph/graph.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "weft/error.hpp"
#include "weft/graph/owners.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/sparse.hpp"

namespace weft {
namespace {

// Tells each owner which of its values this rank wants, in the order of the copies.
BytesByRank sort_by_owner(int ranks, const std::vector<detail::Owner>& of, std::vector<Graph::Neighbour>& owners) {
  std::vector<std::size_t> first(static_cast<std::size_t>(ranks) + 1);
  for (const auto& owner : of)
    if (owner.rank != detail::Owner::nobody) ++first[owner.rank + 1];
  for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r) first[r + 1] += first[r];
  std::vector<std::size_t> copies(first.back()), values(first.back());
  auto next = first;
  for (std::size_t j = 0; j < of.size(); ++j) {
    if (of[j].rank == detail::Owner::nobody) continue;
    const auto at = next[of[j].rank]++;
    copies[at] = j;
    values[at] = of[j].index;
  }
  BytesByRank told;
  for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r) {
    const auto count = first[r + 1] - first[r];
    if (count == 0) continue;
    owners.push_back({static_cast<int>(r), Places(std::span(copies).subspan(first[r], count))});
    told[static_cast<int>(r)] = Places(std::span(values).subspan(first[r], count)).bytes();
  }
  return told;
}

}  // namespace

Graph::Graph(Transport& transport, std::span<const std::uint64_t> owned, std::span<const std::uint64_t> wanted)
    : Graph(transport, owned.size(), detail::find_owners(transport, detail::Numbers(owned), wanted)) {}

Graph::Graph(Transport& transport, const NumberRange& owned, std::span<const std::uint64_t> wanted)
    : Graph(transport, owned.count, detail::find_owners(transport, detail::Numbers(owned), wanted)) {}

Graph Graph::sorted(Transport& transport, std::span<const std::uint64_t> owned, std::vector<std::uint64_t>& wanted) {
  auto found = detail::find_owners(transport, detail::Numbers(owned), wanted);
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t j) { return std::pair(found.of[j].rank, wanted[j]); });
  const auto sort = [&order](auto& list) {
    auto unsorted = list;
    for (std::size_t j = 0; j < order.size(); ++j) list[j] = unsorted[order[j]];
  };
  sort(found.of);
  sort(wanted);
  return {transport, owned.size(), found};
}

Graph::Graph(Transport& transport, std::size_t owned, const detail::Owners& found)
    : owned_(owned), wanted_(found.of.size()) {
  int wrong = found.problem.empty() ? 0 : 1;
  const auto told =
      sparse_all_to_all(transport, sort_by_owner(transport.size(), found.of, owners_), transport.last_tag(), &wrong);
  if (wrong != 0)
    together(transport, [&] {
      if (!found.problem.empty()) throw Error(found.problem);
    });
  for (const auto& [rank, bytes] : told) readers_.push_back({rank, Places::of_bytes(bytes)});
}

// Returns whether the messages hold component by component. The layout of the copies decides, which are contiguous more
// often than the values that are sent.
bool Graph::check(Requests& requests, Key key, const Values& owned, const Values& copies) const {
  owned.check(owned_, "The owned values of a graph");
  copies.check(wanted_, "The copies of a graph");
  const auto who = [&] { return "Client '" + requests.client() + "', key " + std::to_string(key); };
  const auto components = copies.layout().components;
  if (owned.layout().components != components)
    throw Error(who() + " has " + std::to_string(owned.layout().components) + " components of owned values, but " +
                std::to_string(components) + " of copies. Give both the same.");
  if (owned.element_bytes() != copies.element_bytes() || !owned.type().agrees_with(copies.type()))
    throw Error(who() + " has owned values of " + owned.type().name() + ", but copies of " + copies.type().name() +
                ". Give both the same type.");
  const bool by_component = copies.is_by_component();
  if (components > 1)
    requests.agree_on("key " + std::to_string(key) + ": copies of " + std::to_string(components) + " components, " +
                      (by_component ? "an array each" : "side by side"));
  return by_component;
}

GraphParts Graph::to_copies(Requests& requests, Key key, const Values& owned, const Values& copies, int round) const {
  const bool by_component = check(requests, key, owned, copies);
  GraphParts parts;
  for (const auto& [rank, places] : readers_)
    parts.sends.push_back(requests.send(rank, key, owned.region(places, by_component), round));
  for (const auto& [rank, places] : owners_)
    parts.receives.push_back(requests.receive(rank, key, copies.region(places, by_component), round));
  return parts;
}

GraphParts Graph::to_owners(Requests& requests, Key key, const Values& copies, const Values& owned,
                            const ReceiveOptions& options) const {
  const bool by_component = check(requests, key, owned, copies);
  GraphParts parts;
  for (const auto& [rank, places] : owners_)
    parts.sends.push_back(requests.send(rank, key, copies.region(places, by_component), options.round));
  for (const auto& [rank, places] : readers_)
    parts.receives.push_back(requests.receive(rank, key, owned.region(places, by_component), options));
  return parts;
}

}  // namespace weft
