// SPDX-License-Identifier: BSD-3-Clause
#include "weft/transport/sparse.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "weft/transport/collectives.hpp"
#include "weft/yield.hpp"

namespace weft {
namespace {

BytesByRank dense_all_to_all(Transport& transport, const BytesByRank& out) {
  std::vector<std::vector<std::byte>> all(static_cast<std::size_t>(transport.size()));
  for (const auto& [rank, bytes] : out) all[static_cast<std::size_t>(rank)] = bytes;
  auto came = all_to_all(transport, all);
  BytesByRank in;
  for (std::size_t r = 0; r < came.size(); ++r)
    if (!came[r].empty()) in[static_cast<int>(r)] = std::move(came[r]);
  return in;
}

}  // namespace

BytesByRank detail::sparse_by_messages(Transport& transport, const BytesByRank& out, int tag) {
  if (!transport.has(Ability::probe) || !transport.has(Ability::synchronous)) return dense_all_to_all(transport, out);
  BytesByRank in;
  Operations sends;
  for (const auto& [rank, bytes] : out) {
    if (rank == transport.rank()) {
      if (!bytes.empty()) in[rank] = bytes;
    } else if (!bytes.empty()) {
      sends.push_back(transport.send(bytes, rank, tag, SendMode::synchronous));
      sends.back()->start();
    }
  }
  const auto all_have_sent = transport.collective({});
  for (bool barrier_begun = false;;) {
    if (const auto arrival = transport.probe(tag)) {
      auto& bytes = in[arrival->source];
      bytes.resize(arrival->bytes);
      complete(*transport.receive(bytes, arrival->source, tag));  // it has arrived
      continue;
    }
    if (barrier_begun) {
      if (all_have_sent->test()) return in;
    } else if (std::ranges::all_of(sends, [](const auto& send) { return send->test(); })) {
      all_have_sent->start();
      barrier_begun = true;
    }
    yield();
  }
}

#if !defined(WEFT_SIMULATED)  // otherwise it is in libs/simgrid/simgrid/set_up.cpp
BytesByRank sparse_all_to_all(Transport& transport, const BytesByRank& out, int tag) {
  return detail::sparse_by_messages(transport, out, tag);
}
#endif

}  // namespace weft
