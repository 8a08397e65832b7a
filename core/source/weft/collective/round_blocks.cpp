// SPDX-License-Identifier: BSD-3-Clause
#include "weft/collective/round_blocks.hpp"

#include <algorithm>
#include <string>

#include "weft/error.hpp"

namespace weft {

using Kind = Collective::Kind;
using Then = CollectiveSchedule::Receive::Then;

RoundBlocks::RoundBlocks(int rank, int size, const Collective& what, Algorithm algorithm,
                         const ScheduleOptions& options)
    : what_(what) {
  auto with_root = options;
  with_root.root = what.root;
  schedule_ = make_schedule(what.kind, algorithm, rank, size, with_root);
  if (!what.in_bytes.empty() || !what.out_bytes.empty())
    throw Error(std::string("A ") + name_of(what.kind) + " in rounds has counts per rank. Give blocks of one size.",
                true);
  const bool has_in = !schedule_.in.empty(), has_out = !schedule_.out.empty();
  if (what.kind == Kind::barrier) {
    block_bytes_ = 1;  // an empty part would not be sent
  } else if (what.kind == Kind::broadcast) {
    block_bytes_ = what.out.size();
  } else {
    block_bytes_ = what.in.size() / schedule_.in.size();
  }
  const bool is_broadcast = what.kind == Kind::broadcast;
  if ((has_in && !is_broadcast && what.in.size() != schedule_.in.size() * block_bytes_) ||
      (has_out && what.out.size() != schedule_.out.size() * block_bytes_))
    throw Error(std::string("A ") + name_of(what.kind) + " of " + std::to_string(size) + " ranks has " +
                    std::to_string(what.in.size()) + " bytes of input and " + std::to_string(what.out.size()) +
                    " bytes of result (their sizes don't match). Give blocks of one size.",
                true);
  const bool reduces = what.kind == Kind::reduce || what.kind == Kind::all_reduce;
  if (const auto misfit = misfit_of(what, rank); !misfit.empty())
    throw Error(std::string("A ") + name_of(what.kind) + " in rounds " + misfit, true);
  if (reduces && algorithm == Algorithm::tree && !what.reduction.commutative)
    throw Error(
        "A tree does not combine values in the order of the ranks (the reduction is not commutative). Use "
        "recursive_doubling, binomial or a commutative reduction.",
        true);
  slots_.resize(schedule_.slots * block_bytes_);
  for (const auto& round : schedule_.rounds) {
    first_arrived_.push_back(arrived_.size());
    for (const auto& receive : round.receives) arrived_.emplace_back(receive.slots.size() * block_bytes_);
  }
}

void RoundBlocks::load() {
  const auto* from = what_.kind == Kind::broadcast ? what_.out.data() : what_.in.data();
  if (what_.kind == Kind::barrier) return;
  for (std::size_t b = 0; b < schedule_.in.size(); ++b)
    std::copy_n(from + b * block_bytes_, block_bytes_, slots_.data() + schedule_.in[b] * block_bytes_);
}

void RoundBlocks::finish(std::size_t round) {
  const auto& receives = schedule_.rounds[round].receives;
  for (std::size_t k = 0; k < receives.size(); ++k) {
    const auto& receive = receives[k];
    auto& arrived = this->arrived(round, k);
    for (std::size_t b = 0; b < receive.slots.size(); ++b) {
      auto* slot = slots_.data() + receive.slots[b] * block_bytes_;
      auto* block = arrived.data() + b * block_bytes_;
      const auto count = block_bytes_ / what_.reduction.element_bytes;
      if (receive.then == Then::combine_left) {
        what_.reduction.combine(block, slot, count);
        continue;
      }
      if (receive.then == Then::combine_right) what_.reduction.combine(slot, block, count);
      std::copy_n(block, block_bytes_, slot);
    }
  }
}

void RoundBlocks::store() {
  if (what_.kind != Kind::barrier)
    for (std::size_t b = 0; b < schedule_.out.size(); ++b)
      std::copy_n(slots_.data() + schedule_.out[b] * block_bytes_, block_bytes_, what_.out.data() + b * block_bytes_);
}

}  // namespace weft
