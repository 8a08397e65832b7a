// SPDX-License-Identifier: BSD-3-Clause
#include "weft/collective/round_operation.hpp"

#include <algorithm>

namespace weft {

RoundOperation::RoundOperation(Transport& transport, const Collective& what, Algorithm algorithm, int tag)
    : blocks_(transport.rank(), transport.size(), what, algorithm), rounds_(blocks_.rounds()),
      round_(blocks_.rounds()) {
  const auto& schedule = blocks_.schedule();
  for (std::size_t r = 0; r < rounds_.size(); ++r) {
    auto& round = rounds_[r];
    for (const auto& send : schedule.rounds[r].sends) {
      const auto& packed = round.packed.emplace_back(send.slots.size() * blocks_.block_bytes());
      round.sends.push_back(transport.send(packed, send.peer, tag));
    }
    for (std::size_t k = 0; k < schedule.rounds[r].receives.size(); ++k)
      round.receives.push_back(transport.receive(blocks_.arrived(r, k), schedule.rounds[r].receives[k].peer, tag));
  }
}

void RoundOperation::start() {
  blocks_.load();
  begin(0);
}

void RoundOperation::begin(std::size_t r) {
  round_ = r;
  if (r == rounds_.size()) return blocks_.store();
  auto& round = rounds_[r];
  for (const auto& receive : round.receives) receive->start();
  const auto& sends = blocks_.schedule().rounds[r].sends;
  const auto bytes = blocks_.block_bytes();
  for (std::size_t k = 0; k < sends.size(); ++k) {
    auto* to = round.packed[k].data();
    for (const auto slot : sends[k].slots) to = std::copy_n(blocks_.slots() + slot * bytes, bytes, to);
    round.sends[k]->start();
  }
}

bool RoundOperation::test() {
  const auto done = [](const auto& operation) { return operation->test(); };
  while (round_ < rounds_.size()) {
    auto& round = rounds_[round_];
    if (!std::all_of(round.receives.begin(), round.receives.end(), done) ||
        !std::all_of(round.sends.begin(), round.sends.end(), done))
      return false;
    blocks_.finish(round_);
    begin(round_ + 1);
  }
  return true;
}

bool RoundOperation::abandon() noexcept {
  bool is_free = true;
  for (auto& round : rounds_)
    for (auto* operations : {&round.sends, &round.receives})
      for (auto& operation : *operations) is_free = operation->abandon() && is_free;
  return is_free;
}

}  // namespace weft
