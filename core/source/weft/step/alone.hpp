// SPDX-License-Identifier: BSD-3-Clause
//
// What StepManager::measure_alone() needs to run exchanges without their clients.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "weft/device/device.hpp"
#include "weft/exchange/exchange.hpp"

namespace weft::inside {

/// A copy of everything that an exchange overwrites on this rank.
class SavedTargets {
 public:
  explicit SavedTargets(const Exchange& exchange) {
    for (const auto& client : exchange.clients())
      for (const auto& request : client.list()) {
        if (request.kind == Request::Kind::send) continue;
        const auto out = request.collective.out;
        const Buffers buffers = request.kind == Request::Kind::receive
                                    ? request.buffers
                                    : Buffers(make_contiguous(out.data(), out.size(), true));
        if (!buffers.has_memory()) continue;  // start() throws an Error for it
        for (std::size_t index = 0; index < buffers.buffer_count(); ++index) {
          const auto& region = buffers.at(index);
          auto& copy = copies_.emplace_back(region, std::vector<std::byte>(region.bytes())).second;
          device::read(region, copy.data());
        }
      }
  }
  void restore() const {
    for (const auto& [region, copy] : copies_) device::write(region, copy.data());
  }

 private:
  std::vector<std::pair<Region, std::vector<std::byte>>> copies_;
};

/// A queue of each device on which parts of these exchanges are.
class OwnQueues {
 public:
  template <class Groups>
  explicit OwnQueues(const Groups& groups) {
    for (const auto* group : groups)
      for (const auto& client : group->exchange->clients())
        for (const auto& request : client.list())
          if (const auto& device = request.buffers.device(); device && !of(device))
            all_.push_back(device->queue(device->make_queue()));
  }
  ~OwnQueues() {
    for (const auto& queue : all_) queue.device()->free_queue(queue.handle());
  }
  OwnQueues(const OwnQueues&) = delete;
  OwnQueues& operator=(const OwnQueues&) = delete;

  device::Queue of(const std::shared_ptr<device::Device>& device) const {
    for (const auto& queue : all_)
      if (queue.device() == device) return queue;
    return {};
  }
  device::Queue first() const { return all_.empty() ? device::Queue() : all_.front(); }
  // Marks the parts on the other devices ready.
  void ready(const Exchange& exchange, StartedExchange& started, int round) const {
    for (std::uint32_t c = 0; c < exchange.clients().size() && all_.size() > 1; ++c) {
      const auto& client = exchange.clients()[c];
      for (std::uint32_t i = 0; i < client.list().size(); ++i)
        if (const auto& r = client.list()[i]; r.kind == Request::Kind::send && r.round == round && r.buffers.device() &&
                                              r.buffers.device() != first().device() && r.buffers.has_memory() &&
                                              !client.is_continued(round))
          started.ready(SendPart{{c, i}}, of(r.buffers.device()));
    }
  }

 private:
  std::vector<device::Queue> all_;
};

/// The sends of an exchange whose memory or size the program sets in each start: of up to n bytes as many as in the
/// last start, since n costs no memory.
class LastSends {
 public:
  explicit LastSends(const Exchange& exchange) {
    for (std::uint32_t c = 0; c < exchange.clients().size(); ++c) {
      const auto& client = exchange.clients()[c];
      for (std::uint32_t i = 0; i < client.list().size(); ++i) {
        const auto& request = client.list()[i];
        if (request.kind != Request::Kind::send || client.is_continued(request.round)) continue;
        if (!request.is_up_to && !request.buffers.is_given()) continue;
        const SendPart part{{c, i}};
        sends_.push_back({part, &request, request.is_up_to ? exchange.sent_bytes(part) : request.buffers.bytes(), {}});
      }
    }
  }
  void ready(StartedExchange& exchange, int round, const OwnQueues& queues) {
    for (auto& [part, request, bytes, memory] : sends_) {
      if (request->round != round) continue;
      if (!request->buffers.has_memory()) {
        const auto& device = request->buffers.device();
        if (!memory && device)
          memory = {device->allocate(bytes), [device](std::byte* of_device) { device->free(of_device); }};
        if (!memory) memory = {new std::byte[bytes](), std::default_delete<std::byte[]>()};
        exchange.ready(part, make_contiguous(memory.get(), bytes, false).on(device), queues.of(device));
      } else if (request->is_up_to) {
        exchange.ready(part, std::min(bytes, request->buffers.at(0).bytes()));
      }
    }
  }

 private:
  struct Send {
    SendPart part;
    const Request* request;
    std::size_t bytes;
    std::shared_ptr<std::byte> memory;  // if the part has none
  };
  std::vector<Send> sends_;
};

}  // namespace weft::inside
