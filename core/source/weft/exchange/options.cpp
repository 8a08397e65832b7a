// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/options.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "weft/error.hpp"

namespace weft {
namespace {

std::optional<Ability> needed_by(Carrier carrier) {
  switch (carrier) {
    case Carrier::messages: return {};
    case Carrier::synchronous: return Ability::synchronous;
    case Carrier::datatypes: return Ability::datatypes;
    case Carrier::partitioned: return Ability::partitioned;
  }
  return {};
}

bool can(const Transport& transport, Carrier carrier) {
  const auto needed = needed_by(carrier);
  return !needed || transport.has(*needed);
}

}  // namespace

const char* name_of(Carrier carrier) { return carrier_names.of(carrier); }

std::vector<Carrier> carriers_of(const Transport& transport) {
  std::vector<Carrier> result;
  for (const auto& carrier : carrier_names)
    if (can(transport, carrier.value)) result.push_back(carrier.value);
  return result;
}

MessageOptions resolved(MessageOptions options, const Transport& transport) {
  if (options.packed_limit_bytes == 0) options.packed_limit_bytes = transport.eager_limit_bytes();
  if (options.by_size_bytes == 0) options.by_size_bytes = std::min(options.packed_limit_bytes, std::size_t{16384});
  if (!options.piece_bytes) options.piece_bytes = transport.piece_bytes();
  return options;
}

std::size_t message_limit(const MessageOptions& options) {
  return options.grouping == Grouping::by_size ? options.by_size_bytes : options.packed_limit_bytes;
}

void check_abilities(const Transport& transport, const MessageOptions& options) {
  if (!can(transport, options.carrier)) {
    std::string allowed;
    for (const auto carrier : carriers_of(transport))
      allowed += std::string(allowed.empty() ? "" : ", ") + name_of(carrier);
    throw Error(std::string("The carrier '") + name_of(options.carrier) + "' needs " +
                    name_of(*needed_by(options.carrier)) + ", which this transport (" + transport.library() +
                    ") does not have. Use one of: " + allowed + ".",
                true);
  }
  const bool by_node = options.grouping == Grouping::per_node;
  if ((options.shared_memory || by_node) && !transport.has(Ability::shared_memory))
    throw Error(std::string("This transport (") + transport.library() + ") has no shared memory. Set " +
                    (by_node ? "another grouping than per_node." : "shared_memory = false."),
                true);
}

}  // namespace weft
