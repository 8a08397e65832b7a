// SPDX-License-Identifier: BSD-3-Clause
//
// The blocking collectives of set-up and output on a simulated machine. They are not measured, and as messages they
// would be most of the simulation. All ranks are in one process, so here they take no time: all ranks meet at a
// barrier, rank 0 does the work of all, and all ranks continue. The handshake of a commit is done so, too.
#include <simgrid/barrier.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "weft/error.hpp"
#include "weft/simulated.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/sparse.hpp"

namespace weft::detail {
namespace {

using Kind = Collective::Kind;
using All = std::vector<const Collective*>;  // by rank

void copy(std::span<const std::byte> from, std::byte* to) {
  if (!from.empty()) std::memcpy(to, from.data(), from.size());
}

// In the order of the ranks, as in weft's rounds.
void reduce(const All& all) {
  const auto& reduction = all[0]->reduction;
  const auto count = all[0]->in.size() / reduction.element_bytes;
  std::vector<std::byte> result(all[0]->in.begin(), all[0]->in.end()), next;
  for (std::size_t r = 1; r < all.size(); ++r) {
    next.assign(all[r]->in.begin(), all[r]->in.end());
    reduction.combine(result.data(), next.data(), count);  // next = result and next
    result.swap(next);
  }
  for (std::size_t r = 0; r < all.size(); ++r)
    if (all[r]->kind == Kind::all_reduce || static_cast<int>(r) == all[r]->root) copy(result, all[r]->out.data());
}

void gather(const All& all) {
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (all[r]->kind == Kind::gather && static_cast<int>(r) != all[r]->root) continue;
    auto* to = all[r]->out.data();
    for (const auto* from : all) {
      copy(from->in, to);
      to += from->in.size();
    }
  }
}

void all_to_all(const All& all) {
  std::vector<std::byte*> to;
  for (const auto* one : all) to.push_back(one->out.data());
  for (const auto* from : all) {
    std::size_t at = 0;
    for (std::size_t r = 0; r < all.size(); ++r) {
      const auto bytes = from->in_bytes[r];
      if (bytes == 0) continue;
      copy(from->in.subspan(at, bytes), to[r]);
      to[r] += bytes;
      at += bytes;
    }
  }
}

void perform(const All& all) {
  switch (all[0]->kind) {
    case Kind::barrier: return;
    case Kind::broadcast:
      for (const auto* one : all)
        if (one != all[static_cast<std::size_t>(one->root)])
          copy(all[static_cast<std::size_t>(one->root)]->out, one->out.data());
      return;
    case Kind::reduce:
    case Kind::all_reduce: return reduce(all);
    case Kind::gather:
    case Kind::all_gather: return gather(all);
    case Kind::all_to_all: return all_to_all(all);
  }
}

// All ranks meet, rank 0 does `work`, and all ranks continue.
template <class Work>
void meet(Transport& transport, const Work& work) {
  static const auto size = static_cast<std::size_t>(transport.size());
  static const sg_bar_t meeting = sg_barrier_init(static_cast<unsigned>(size));
  if (size != static_cast<std::size_t>(transport.size()))
    throw Error("Collectives of only some ranks can't be simulated. Use all ranks.");
  simulated::catch_up();
  sg_barrier_wait(meeting);
  if (transport.rank() == 0) work();
  sg_barrier_wait(meeting);
}

}  // namespace

void run_collective(Transport& transport, const Collective& what) {
  if (simulated::set_up_takes_time()) return complete(*transport.collective(what));
  check_fit(what, transport.rank());
  static All all(static_cast<std::size_t>(transport.size()));
  if (all.size() == static_cast<std::size_t>(transport.size())) all[static_cast<std::size_t>(transport.rank())] = &what;
  meet(transport, [&] { perform(all); });
}

}  // namespace weft::detail

namespace weft {

BytesByRank sparse_all_to_all(Transport& transport, BytesByRank out, int tag, int* number) {
  if (simulated::set_up_takes_time()) return detail::sparse_by_messages(transport, std::move(out), tag, number);
  if (number != nullptr) *number = all_reduce(transport, *number, maximum<int>());
  static std::vector<const BytesByRank*> from(static_cast<std::size_t>(transport.size()));
  static std::vector<BytesByRank> to(from.size());
  const auto me = static_cast<std::size_t>(transport.rank());
  if (from.size() == static_cast<std::size_t>(transport.size())) from[me] = &out;
  detail::meet(transport, [&] {
    for (std::size_t r = 0; r < from.size(); ++r)
      for (const auto& [peer, bytes] : *from[r])
        if (!bytes.empty()) to[static_cast<std::size_t>(peer)][static_cast<int>(r)] = bytes;
  });
  return std::exchange(to[me], {});
}

}  // namespace weft
