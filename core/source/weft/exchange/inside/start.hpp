// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "weft/exchange/inside/event_record.hpp"
#include "weft/exchange/inside/layout.hpp"
#include "weft/exchange/inside/on_device.hpp"
#include "weft/progress/progress.hpp"

namespace weft::inside {

/// What the messages of an exchange share in a start: the buffer index, the counters of the rounds, the record of
/// events, and which deferred parts may be unpacked. It knows no message.
struct Start {
  explicit Start(const Layout& of)
      : layout(of), events(of.options.timeline, of.clients),
        rounds(std::make_unique<Round[]>(static_cast<std::size_t>(of.plan.rounds))),
        deferred(of.options.messages.defer_unpacking ? of.clients : std::deque<Requests>(), Deferred::waiting) {}

  /// The queues of a device, made when they are first asked for.
  const std::shared_ptr<DeviceQueues>& queues_of(const std::shared_ptr<device::Device>& device) {
    for (const auto& one : devices)
      if (one->device == device) return one;
    return devices.emplace_back(std::make_shared<DeviceQueues>(device));
  }
  /// Prepares a new start with this buffer index.
  void prepare(std::size_t with_index) {
    buffer_index = with_index;
    early_round.store(-1, std::memory_order_relaxed);
    deferred.fill(Deferred::waiting);
    for (int r = 0; r < layout.plan.rounds; ++r) {
      round(r).remaining.store(round(r).messages, std::memory_order_relaxed);
      round(r).departed.store(0, std::memory_order_relaxed);
    }
  }
  /// A message of the round is sent.
  void note_departure(int number) {
    auto& departed = round(number).departed;
    if (events.is_on() && departed.load(std::memory_order_relaxed) == 0)
      departed.store(now_seconds(), std::memory_order_relaxed);
  }
  /// A message of the round is done.
  void count_down(int number) { round(number).remaining.fetch_sub(1, std::memory_order_acq_rel); }
  bool is_over(int number) const {
    return rounds[static_cast<std::size_t>(number)].remaining.load(std::memory_order_acquire) == 0;
  }
  /// Whether the part is accepted and not unpacked yet: the caller unpacks it now. For the thread that holds the
  /// try-lock of the receiving side.
  bool take_accepted(Part part) {
    if (deferred[part] != Deferred::accepted) return false;
    deferred[part] = Deferred::unpacked;
    return true;
  }
  /// There is work for the progress thread of this side.
  void wake(Side side) const {
    if (layout.options.progress) layout.options.progress->wake(side);
  }

  enum class Deferred : char { waiting, accepted, unpacked };
  struct Round {
    std::atomic<std::size_t> remaining{0};  // messages that are not done
    std::size_t messages = 0;
    std::atomic<double> departed{0};  // time of the first send
  };
  Round& round(int number) { return rounds[static_cast<std::size_t>(number)]; }

  const Layout& layout;
  EventRecord events;
  std::unique_ptr<Round[]> rounds;
  ByPart<Deferred> deferred;  // belongs to the receiving side
  std::size_t buffer_index = 0;
  std::vector<std::shared_ptr<DeviceQueues>> devices{};
  device::Queue queue{};  // the program's, for parts for which it gives none
  // The receives of rounds up to this one may end before the device has unpacked them: a queue of this device waits.
  std::atomic<int> early_round{-1};
  std::atomic<const device::Device*> early_device{nullptr};
};

}  // namespace weft::inside
