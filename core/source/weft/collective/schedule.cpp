// SPDX-License-Identifier: BSD-3-Clause
#include "weft/collective/schedule.hpp"

#include <algorithm>
#include <string>

#include "weft/error.hpp"

namespace weft {
namespace {

using Kind = Collective::Kind;
using Round = CollectiveSchedule::Round;
using Then = CollectiveSchedule::Receive::Then;

std::size_t to_size(int n) { return static_cast<std::size_t>(n); }

/// The smallest number of rounds with 2^rounds >= size.
int doublings(int size) {
  int rounds = 0;
  while ((1 << rounds) < size) ++rounds;
  return rounds;
}

int wrapped(int rank, int size) { return (rank % size + size) % size; }

std::vector<std::size_t> all_slots(std::size_t n) {
  std::vector<std::size_t> slots(n);
  for (std::size_t i = 0; i < n; ++i) slots[i] = i;
  return slots;
}

Round& round_of(CollectiveSchedule& s, int round) {
  if (s.rounds.size() <= to_size(round)) s.rounds.resize(to_size(round) + 1);
  return s.rounds[to_size(round)];
}
void send(CollectiveSchedule& s, int round, int peer) { round_of(s, round).sends.push_back({peer, {0}}); }
void receive(CollectiveSchedule& s, int round, int peer, Then then) {
  round_of(s, round).receives.push_back({peer, {0}, then});
}

// The ranks beyond a power of two first send their value to the rank before them, and receive the result from it.
CollectiveSchedule recursive_doubling(int rank, int size) {
  CollectiveSchedule s{.in = {0}, .out = {0}};
  int power = 1;
  while (2 * power <= size) power *= 2;
  const int beyond = size - power;
  int round = 0;
  const bool is_folded = rank < 2 * beyond && rank % 2 == 1;
  if (beyond > 0) {
    if (is_folded)
      send(s, round, rank - 1);
    else if (rank < 2 * beyond)
      receive(s, round, rank + 1, Then::combine_right);
    ++round;
  }
  const auto rank_of = [&](int place) { return place < beyond ? 2 * place : place + beyond; };
  const int place = rank < 2 * beyond ? rank / 2 : rank - beyond;
  for (int distance = 1; distance < power; distance *= 2, ++round) {
    if (is_folded) continue;
    const int other = place ^ distance;
    send(s, round, rank_of(other));
    receive(s, round, rank_of(other), other < place ? Then::combine_left : Then::combine_right);
  }
  if (beyond > 0) {
    if (is_folded)
      receive(s, round, rank - 1, Then::replace);
    else if (rank < 2 * beyond)
      send(s, round, rank + 1);
    ++round;
  }
  s.rounds.resize(to_size(round));
  return s;
}

CollectiveSchedule dissemination(int rank, int size) {
  CollectiveSchedule s;
  for (int round = 0; round < doublings(size); ++round) {
    send(s, round, wrapped(rank + (1 << round), size));
    receive(s, round, wrapped(rank - (1 << round), size), Then::replace);
  }
  return s;
}

CollectiveSchedule binomial_broadcast(int rank, int size, int root) {
  CollectiveSchedule s{.out = {0}};
  if (rank == root) s.in = {0};
  const int place = wrapped(rank - root, size), rounds = doublings(size);
  for (int round = 0; round < rounds; ++round) {
    const int distance = 1 << round;
    if (place < distance && place + distance < size) send(s, round, wrapped(rank + distance, size));
    if (place >= distance && place < 2 * distance) receive(s, round, wrapped(rank - distance, size), Then::replace);
  }
  s.rounds.resize(to_size(rounds));
  return s;
}

// To rank 0, which keeps the order of the ranks, and from there to the root.
CollectiveSchedule binomial_reduce(int rank, int size, int root) {
  CollectiveSchedule s{.in = {0}};
  if (rank == root) s.out = {0};
  int round = 0;
  for (int distance = 1; distance < size; distance *= 2, ++round) {
    if (rank % (2 * distance) == distance) send(s, round, rank - distance);
    if (rank % (2 * distance) == 0 && rank + distance < size) receive(s, round, rank + distance, Then::combine_right);
  }
  if (root != 0) {
    if (rank == 0) send(s, round, root);
    if (rank == root) receive(s, round, 0, Then::replace);
    ++round;
  }
  s.rounds.resize(to_size(round));
  return s;
}

// The root is the top of the tree; places count from it.
struct Tree {
  int place, size, root, arity;

  int depth_of(int at) const {
    int depth = 0;
    for (; at > 0; at = (at - 1) / arity) ++depth;
    return depth;
  }
  int depth() const { return depth_of(size - 1); }
  int rank_of(int at) const { return wrapped(at + root, size); }
  template <class Visit>
  void for_each_child(const Visit& visit) const {
    for (int child = arity * place + 1; child <= arity * place + arity && child < size; ++child) visit(rank_of(child));
  }
  int parent() const { return rank_of((place - 1) / arity); }
};

void up(CollectiveSchedule& s, const Tree& tree, int first) {
  const int mine = tree.depth_of(tree.place), deepest = tree.depth();
  if (mine > 0) send(s, first + deepest - mine, tree.parent());
  tree.for_each_child([&](int child) { receive(s, first + deepest - mine - 1, child, Then::combine_right); });
}

void down(CollectiveSchedule& s, const Tree& tree, int first) {
  const int mine = tree.depth_of(tree.place);
  if (mine > 0) receive(s, first + mine - 1, tree.parent(), Then::replace);
  tree.for_each_child([&](int child) { send(s, first + mine, child); });
}

CollectiveSchedule tree(Kind kind, int rank, int size, const ScheduleOptions& options) {
  if (options.arity < 2)
    throw Error("The arity of a tree is " + std::to_string(options.arity) + ". Use 2 or more.", true);
  const int root = kind == Kind::all_reduce ? 0 : options.root;
  const Tree tree{wrapped(rank - root, size), size, root, options.arity};
  CollectiveSchedule s;
  if (kind != Kind::broadcast || rank == root) s.in = {0};
  if (kind != Kind::reduce || rank == root) s.out = {0};
  int rounds = 0;
  if (kind != Kind::broadcast) {
    up(s, tree, rounds);
    rounds += tree.depth();
  }
  if (kind != Kind::reduce) {
    down(s, tree, rounds);
    rounds += tree.depth();
  }
  s.rounds.resize(to_size(rounds));
  return s;
}

CollectiveSchedule bruck_all_gather(int rank, int size) {
  CollectiveSchedule s{.slots = to_size(size), .in = {to_size(rank)}, .out = all_slots(to_size(size))};
  for (int round = 0, distance = 1; distance < size; ++round, distance *= 2) {
    const int blocks = std::min(distance, size - distance);
    CollectiveSchedule::Send out{wrapped(rank - distance, size), {}};
    CollectiveSchedule::Receive in{wrapped(rank + distance, size), {}};
    for (int k = 0; k < blocks; ++k) {
      out.slots.push_back(to_size(wrapped(rank + k, size)));
      in.slots.push_back(to_size(wrapped(rank + distance + k, size)));
    }
    s.rounds.push_back({{out}, {in}});
  }
  return s;
}

CollectiveSchedule ring_all_gather(int rank, int size) {
  CollectiveSchedule s{.slots = to_size(size), .in = {to_size(rank)}, .out = all_slots(to_size(size))};
  for (int round = 0; round + 1 < size; ++round)
    s.rounds.push_back({{{wrapped(rank + 1, size), {to_size(wrapped(rank - round, size))}}},
                        {{wrapped(rank - 1, size), {to_size(wrapped(rank - round - 1, size))}}}});
  return s;
}

// Slot j holds the block that must still move j ranks on; each bit of j is a round.
CollectiveSchedule bruck_all_to_all(int rank, int size) {
  CollectiveSchedule s{.slots = to_size(size),
                       .in = std::vector<std::size_t>(to_size(size)),
                       .out = std::vector<std::size_t>(to_size(size))};
  for (int j = 0; j < size; ++j) {
    s.in[to_size(wrapped(rank + j, size))] = to_size(j);
    s.out[to_size(wrapped(rank - j, size))] = to_size(j);
  }
  for (int distance = 1; distance < size; distance *= 2) {
    CollectiveSchedule::Send out{wrapped(rank + distance, size), {}};
    for (int j = 0; j < size; ++j)
      if (j & distance) out.slots.push_back(to_size(j));
    s.rounds.push_back({{out}, {{wrapped(rank - distance, size), out.slots}}});
  }
  return s;
}

// Slot p is the block for rank p, slot size + p the block received from it.
CollectiveSchedule ring_all_to_all(int rank, int size) {
  CollectiveSchedule s{.slots = 2 * to_size(size), .in = all_slots(to_size(size))};
  for (int p = 0; p < size; ++p) s.out.push_back(p == rank ? to_size(p) : to_size(size + p));
  for (int k = 1; k < size; ++k) {
    const int to = wrapped(rank + k, size), from = wrapped(rank - k, size);
    s.rounds.push_back({{{to, {to_size(to)}}}, {{from, {to_size(size + from)}}}});
  }
  return s;
}

}  // namespace

const char* name_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::recursive_doubling: return "recursive_doubling";
    case Algorithm::dissemination: return "dissemination";
    case Algorithm::binomial: return "binomial";
    case Algorithm::tree: return "tree";
    case Algorithm::bruck: return "bruck";
    case Algorithm::ring: return "ring";
  }
  return "?";
}

std::vector<Algorithm> algorithms_of(Kind kind) {
  switch (kind) {
    case Kind::barrier: return {Algorithm::dissemination};
    case Kind::broadcast:
    case Kind::reduce: return {Algorithm::binomial, Algorithm::tree};
    case Kind::all_reduce: return {Algorithm::recursive_doubling, Algorithm::tree};
    case Kind::all_gather:
    case Kind::all_to_all: return {Algorithm::bruck, Algorithm::ring};
    case Kind::gather: return {};
  }
  return {};
}

CollectiveSchedule make_schedule(Kind kind, Algorithm algorithm, int rank, int size, const ScheduleOptions& options) {
  const auto all = algorithms_of(kind);
  if (std::find(all.begin(), all.end(), algorithm) == all.end()) {
    std::string allowed;
    for (const auto one : all) allowed += std::string(allowed.empty() ? "" : ", ") + name_of(one);
    throw Error(std::string("There is no ") + name_of(kind) + " by " + name_of(algorithm) + ". " +
                    (allowed.empty() ? "Use MPI's own collective." : "Use one of: " + allowed + "."),
                true);
  }
  if (options.root < 0 || options.root >= size)
    throw Error("The root is " + std::to_string(options.root) + " of " + std::to_string(size) + " ranks. Use 0 to " +
                    std::to_string(size - 1) + ".",
                true);
  switch (algorithm) {
    case Algorithm::recursive_doubling: return recursive_doubling(rank, size);
    case Algorithm::dissemination: return dissemination(rank, size);
    case Algorithm::binomial:
      return kind == Kind::broadcast ? binomial_broadcast(rank, size, options.root)
                                     : binomial_reduce(rank, size, options.root);
    case Algorithm::tree: return tree(kind, rank, size, options);
    case Algorithm::bruck:
      return kind == Kind::all_gather ? bruck_all_gather(rank, size) : bruck_all_to_all(rank, size);
    case Algorithm::ring: return kind == Kind::all_gather ? ring_all_gather(rank, size) : ring_all_to_all(rank, size);
  }
  throw Error("There is no such algorithm. Use a value of the enumeration.", true);
}

}  // namespace weft
