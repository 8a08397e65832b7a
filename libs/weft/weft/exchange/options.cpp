// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/options.hpp"

#include <optional>
#include <string>

#include "weft/error.hpp"

namespace weft {
namespace {

constexpr Carrier all_carriers[] = {Carrier::messages, Carrier::synchronous, Carrier::datatypes, Carrier::neighbourhood,
                                    Carrier::partitioned};

std::optional<Ability> needed_by(Carrier carrier) {
  switch (carrier) {
    case Carrier::messages: return {};
    case Carrier::synchronous: return Ability::synchronous;
    case Carrier::datatypes: return Ability::datatypes;
    case Carrier::neighbourhood: return Ability::neighbourhood;
    case Carrier::partitioned: return Ability::partitioned;
  }
  return {};
}

bool can(const Transport& transport, Carrier carrier) {
  const auto needed = needed_by(carrier);
  return !needed || transport.has(*needed);
}

}  // namespace

const char* name_of(Carrier carrier) {
  switch (carrier) {
    case Carrier::messages: return "messages";
    case Carrier::synchronous: return "synchronous";
    case Carrier::datatypes: return "datatypes";
    case Carrier::neighbourhood: return "neighbourhood";
    case Carrier::partitioned: return "partitioned";
  }
  return "?";
}

std::vector<Carrier> carriers_of(const Transport& transport) {
  std::vector<Carrier> result;
  for (const auto carrier : all_carriers)
    if (can(transport, carrier)) result.push_back(carrier);
  return result;
}

void check_abilities(const Transport& transport, const ExchangeOptions& options) {
  if (!can(transport, options.carrier)) {
    std::string allowed;
    for (const auto carrier : carriers_of(transport))
      allowed += std::string(allowed.empty() ? "" : ", ") + name_of(carrier);
    throw Error(std::string("the carrier '") + name_of(options.carrier) + "' needs " +
                    name_of(*needed_by(options.carrier)) + ", which this transport (" + transport.library() +
                    ") has not. use one of: " + allowed + ".",
                true);
  }
  if (options.shared_memory && !transport.has(Ability::shared_memory))
    throw Error(
        std::string("this transport (") + transport.library() + ") has no shared memory. set shared_memory = false.",
        true);
}

}  // namespace weft
