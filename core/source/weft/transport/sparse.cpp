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

namespace {

// Its operations have their own memory: a wait that throws, since another rank has failed, leaks it.
struct Sparse {
  BytesByRank out, in;
  int number, largest = 0;
  Operations operations{};
  std::unique_ptr<Operation> all_have_sent{};

  bool abandon() noexcept {
    bool is_free = all_have_sent->abandon();
    for (auto& operation : operations) is_free = operation->abandon() && is_free;
    return is_free;
  }
};

void run(Transport& transport, Sparse& sparse, int tag) {
  auto& [out, in, number, largest, operations, all_have_sent] = sparse;
  for (auto& [rank, bytes] : out) {
    if (rank == transport.rank()) {
      if (!bytes.empty()) in[rank] = std::move(bytes);
    } else if (!bytes.empty()) {
      operations.push_back(transport.send(bytes, rank, tag, SendMode::synchronous));
      operations.back()->start();
    }
  }
  for (bool barrier_begun = false;;) {
    if (const auto arrival = transport.probe(tag)) {
      auto& bytes = in[arrival->source];
      bytes.resize(arrival->bytes);
      auto& receive = operations.emplace_back(transport.receive(bytes, arrival->source, tag));
      complete(*receive);  // it has arrived
      continue;
    }
    if (barrier_begun) {
      if (all_have_sent->test()) return;
    } else if (std::ranges::all_of(operations, [](const auto& one) { return one->test(); })) {
      all_have_sent->start();
      barrier_begun = true;
    }
    yield();
  }
}

}  // namespace

BytesByRank detail::sparse_by_messages(Transport& transport, BytesByRank out, int tag, int* number) {
  if (!transport.has(Ability::probe) || !transport.has(Ability::synchronous)) {
    if (number != nullptr) *number = all_reduce(transport, *number, maximum<int>());
    return dense_all_to_all(transport, out);
  }
  auto sparse =
      std::make_shared<Sparse>(Sparse{.out = std::move(out), .in = {}, .number = number != nullptr ? *number : 0});
  sparse->all_have_sent = transport.collective(
      Collective::all_reduce(std::span<const int>(&sparse->number, 1), std::span(&sparse->largest, 1), maximum<int>()));
  try {
    run(transport, *sparse, tag);
    if (number != nullptr) *number = sparse->largest;
    return std::move(sparse->in);
  } catch (...) {
    if (!sparse->abandon()) leak_until_exit(std::move(sparse));
    throw;
  }
}

#if !defined(WEFT_SIMULATED)  // otherwise it is in core/simgrid/set_up.cpp
BytesByRank sparse_all_to_all(Transport& transport, BytesByRank out, int tag, int* number) {
  return detail::sparse_by_messages(transport, std::move(out), tag, number);
}
#endif

}  // namespace weft
