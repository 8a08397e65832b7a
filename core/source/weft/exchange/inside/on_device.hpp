// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/device/device.hpp"
#include "weft/exchange/requests.hpp"
#include "weft/transport/transport.hpp"

namespace weft::inside {

/// The two queues on which an exchange packs and unpacks its parts in memory of one device: so a part that waits for
/// the program's work holds up no other direction.
struct DeviceQueues {
  explicit DeviceQueues(std::shared_ptr<device::Device> of);
  ~DeviceQueues();
  DeviceQueues(const DeviceQueues&) = delete;
  DeviceQueues& operator=(const DeviceQueues&) = delete;

  std::shared_ptr<device::Device> device;
  void* packing = nullptr;
  void* unpacking = nullptr;
  device::Event started;  ///< what the program's queue held when the exchange was started
};

/// A part in memory of a device: what its message needs besides the region.
class OnDevice {
 public:
  OnDevice(const Buffers& buffers, std::shared_ptr<DeviceQueues> queues);

  /// The next pack (unpack) of this part begins when what the queue holds now is done. Throws an Error for a queue of
  /// another device; `part` begins it.
  void wait_for(const device::Queue& queue, const std::string& part);
  /// A new start begins.
  void prepare();
  /// The memory of the part has changed.
  void renew();
  /// Lets the queue on which the part is packed wait for wait_for().
  void let_wait(void* queue);
  /// Queue the copy of a range of the part.
  void pack(std::size_t buffer_index, device::Range range, std::byte* out);
  /// Of what has not been unpacked in this start, up to this number of bytes; `in`: the first byte of the part.
  void unpack(std::size_t buffer_index, std::size_t until, const std::byte* in, const Combine* combine);

  const std::shared_ptr<DeviceQueues>& queues() const { return queues_; }

 private:
  const device::Shape& shape(std::size_t buffer_index);

  const Buffers& buffers_;
  std::shared_ptr<DeviceQueues> queues_;
  std::vector<std::unique_ptr<device::Shape>> shapes_;  // by buffer index
  // Of memory that the part had before the last start, and before the one before it.
  std::vector<std::unique_ptr<device::Shape>> retired_, retired_before_;
  device::Event event_;
  bool waits_ = false;
  std::size_t unpacked_ = 0;  // bytes
};

/// A point of the queues of a message's devices.
class Mark {
 public:
  enum class Of : unsigned char { packing, unpacking };
  Mark(const std::vector<std::shared_ptr<DeviceQueues>>& devices, Of of);

  /// It is done when all is done that the queues hold now.
  void record();
  bool is_done() const;
  /// The same, for the way out of an error: true if the device has failed, which then uses no memory any more.
  bool is_over() const noexcept;
  /// Whether all is on the queue's device.
  bool is_on(const device::Device* device) const;
  /// The queue waits for it.
  void let_wait(void* queue) const;

 private:
  std::vector<std::shared_ptr<DeviceQueues>> devices_;
  std::vector<device::Event> events_;
  Of of_;
};

/// Pinned memory of the host.
class Pinned {
 public:
  Pinned(std::shared_ptr<device::Device> device, std::span<std::byte> memory);
  Pinned(Pinned&& other) noexcept = default;
  Pinned& operator=(Pinned&&) = delete;
  ~Pinned();

 private:
  std::shared_ptr<device::Device> device_;
  std::span<std::byte> memory_;
};

/// What a message with parts on devices has in addition.
class DeviceWork {
 public:
  explicit DeviceWork(std::vector<std::shared_ptr<DeviceQueues>> devices);
  /// Waits for what is queued.
  ~DeviceWork();
  DeviceWork(const DeviceWork&) = delete;
  DeviceWork& operator=(const DeviceWork&) = delete;

  /// Kernels access this memory of the host as long as this object exists.
  void pin(std::span<std::byte> memory);
  /// Memory of the only device, which lives as long as this object.
  std::span<std::byte> allocate(std::size_t bytes);
  /// From now on these operations start when the device's work is done: a send when its data are packed, a receive when
  /// the data of the last start are unpacked.
  void delay(Operations& pieces, bool sends, bool is_partitioned);
  /// The same for receives into the program's memory, which also wait until it is free (DeviceQueues::started).
  void delay_direct(Operations& pieces);
  /// A part was queued for unpacking.
  void note_unpacking() { is_marked_ = false; }
  /// What was queued for unpacking, up to now.
  const Mark& unpacked();

  /// The queue waits for what was queued for unpacking on its device.
  void let_wait(const device::Queue& queue) {
    if (unpacked().is_on(queue.device().get())) unpacked_->let_wait(queue.handle());
  }

  /// For the way out of an error: whether the device has done all that is queued at the first of these calls. (What was
  /// packed or unpacked may not have been marked.)
  bool is_idle() noexcept;

  const std::vector<std::shared_ptr<DeviceQueues>>& devices() const { return devices_; }

 private:
  struct Group;
  class Delayed;
  std::shared_ptr<Mark> mark(Mark::Of of) const { return std::make_shared<Mark>(devices_, of); }
  std::vector<std::shared_ptr<DeviceQueues>> devices_;
  std::vector<Pinned> pinned_;
  std::vector<std::shared_ptr<std::byte>> allocated_;
  std::shared_ptr<Mark> unpacked_;
  std::shared_ptr<Mark> stopped_;  // of packing, when the exchange has failed
  bool is_stopped_ = false;
  bool is_marked_ = true;
};

}  // namespace weft::inside
