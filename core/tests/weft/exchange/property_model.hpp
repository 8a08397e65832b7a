// SPDX-License-Identifier: BSD-3-Clause
//
// Random programs whose results are known without running them.
//
// A Scenario is drawn from a seed and is the same on every rank: clients with schedules and rounds, parts of random
// kinds and sizes between random ranks (also to the rank itself, and empty parts), and random collectives. Every
// element that a step sends is a hash of (step, client, key, source, element), so that each receiver can compute the
// expected values. Some parts have other memory in each step, some have up to n elements. The result must not depend on
// grouping, progress, coalescing and the order of arrival. Some parts combine into memory that they share with others,
// mostly in the one order that is defined (the reduction is not commutative).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/step/step_manager.hpp"

namespace weft::testing {

struct PartWish {
  int source, target, round;
  Key key;
  std::size_t elements;
  bool varies;    // the number of elements that are sent varies
  bool combines;  // the receiver combines it into its pool
};

struct CollectiveWish {
  Collective::Kind kind;
  int round, root;
  enum class Operation { add, smallest, largest, compose } operation;
  std::vector<std::vector<std::size_t>> counts;  // [source][target] elements; one number for most kinds
};

struct ClientWish {
  std::string name;
  Schedule schedule;
  int rounds;
  bool in_any_order;  // of the parts that are combined
  std::vector<PartWish> parts;
  std::vector<CollectiveWish> collectives;
};

struct Scenario {
  std::uint64_t seed;
  int ranks;
  std::vector<ClientWish> clients;
};

Scenario random_scenario(std::uint64_t seed, int ranks);

struct Setting {
  Grouping grouping;
  std::size_t packed_limit_bytes;
  std::size_t piece_bytes;
  ProgressOptions::Kind progress;
  bool coalesce;
  Carrier carrier = Carrier::messages;
  bool shared_memory = false;
  bool defer_unpacking = false;
  std::size_t most_requests = 0;
};
std::string name_of(const Setting& setting);
/// With every carrier of the transport, with and without shared memory: every grouping (per peer with a tiny, a small,
/// the default and a huge limit, the small and huge limits in pieces; per part) with every progress, coalesced or not.
std::vector<Setting> all_settings(const Transport& transport);

/// Runs some steps of the scenario and returns the errors, or an empty text. Collective.
std::string run_scenario(Transport& world, const Scenario& scenario, const Setting& setting);

}  // namespace weft::testing
