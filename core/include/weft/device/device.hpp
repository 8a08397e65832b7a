// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "weft/transport/region.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace device {

/// The bytes [first, first + bytes) of a region's packed bytes.
struct Range {
  std::size_t first;  ///< from the beginning of the packed bytes
  std::size_t bytes;  ///< how many
};

/// The layout of a region, stored where the device's kernels can read it. Made by Device::prepare().
class Shape {
 public:
  Shape() = default;
  Shape(const Shape&) = delete;
  Shape& operator=(const Shape&) = delete;
  virtual ~Shape() = default;
};

class Queue;

/// A device with memory of its own, on which queues of work run: what weft needs of CUDA, HIP or another. Three
/// implementations: cuda() and hip() (weft/device/gpu.hpp), and TestDevice, which finds errors on machines without a
/// device.
///
/// A *queue* (a stream) is an in-order list of work. An *event* marks a point of a queue. Both are handles: the
/// device's own (such as cudaStream_t), or from make_queue() and make_event().
///
/// No function waits for the device, except free functions of memory if the device can't avoid it. Each throws an Error
/// that names the call that failed. Thread-safe, also for threads that have never used the device; one event or shape
/// is used by one thread at a time.
class Device : public std::enable_shared_from_this<Device> {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  /// Name for reports, such as "NVIDIA H200".
  virtual std::string name() const = 0;
  /// Whether the address lies in memory of this device, which the host must not access.
  virtual bool has(const void* address) const = 0;

  /// A queue whose work is independent of all other queues.
  virtual void* make_queue() = 0;
  /// Frees it. Work that is queued still runs.
  virtual void free_queue(void* queue) noexcept = 0;
  /// An event, which is done until it is recorded.
  virtual void* make_event() = 0;
  /// Frees it. Queues that wait for it still do.
  virtual void free_event(void* event) noexcept = 0;
  /// The event is done when all work is done that is now in the queue.
  virtual void record(void* event, void* queue) = 0;
  /// Whether it is done.
  virtual bool is_done(void* event) = 0;
  /// Later work of the queue begins when the event, as last recorded, is done.
  virtual void wait(void* queue, void* event) = 0;

  /// Memory of the device.
  virtual std::byte* allocate(std::size_t bytes) = 0;
  /// Frees it. No queued work may use it.
  virtual void free(std::byte* memory) noexcept = 0;
  /// From now on kernels may access this memory of the host. A call for memory that is pinned is counted.
  virtual void pin(std::span<std::byte> host) = 0;
  /// Ends one pin(). No queued work may use it.
  virtual void unpin(std::span<std::byte> host) noexcept = 0;

  /// Stores a layout of `bytes` packed bytes in memory of this device.
  /// `like`: of the same part at another address, whose memory the new one may share; may be null.
  virtual std::unique_ptr<Shape> prepare(const RegionLayout& layout, std::size_t bytes,
                                         const Shape* like = nullptr) = 0;
  /// Queues a copy of this range of the region's packed bytes to `out`: pinned memory, or memory of this device.
  virtual void pack(void* queue, const Shape& shape, Range range, std::byte* out) = 0;
  /// Queues a copy from `in` to this range of the region.
  virtual void unpack(void* queue, const Shape& shape, Range range, const std::byte* in) = 0;
  /// Whether combine() has this reduction: built-in ones only.
  virtual bool combines(const ReductionOfBytes& reduction) const = 0;
  /// Queues: each element of the range becomes reduction(element, received element). The range has whole elements.
  virtual void combine(void* queue, const Shape& shape, Range range, const std::byte* in,
                       const ReductionOfBytes& reduction) = 0;

  /// A queue of the program, such as a cudaStream_t. It must exist as long as it is used.
  Queue queue(void* handle);
};

/// A queue of the program on a device. A default-constructed one is no queue.
class Queue {
 public:
  Queue() = default;
  /// The queue with this handle of the device.
  Queue(std::shared_ptr<Device> device, void* handle) : device_(std::move(device)), handle_(handle) {}

  /// Whether it is a queue.
  explicit operator bool() const { return device_ != nullptr; }
  const std::shared_ptr<Device>& device() const { return device_; }  ///< its device
  void* handle() const { return handle_; }                           ///< the device's own handle

 private:
  std::shared_ptr<Device> device_;
  void* handle_ = nullptr;
};

inline Queue Device::queue(void* handle) { return {shared_from_this(), handle}; }

/// An event, owned.
class Event {
 public:
  /// An event of the device, which is done until it is recorded.
  explicit Event(std::shared_ptr<Device> device) : device_(std::move(device)), handle_(device_->make_event()) {}
  /// `other` becomes empty.
  Event(Event&& other) noexcept : device_(std::move(other.device_)), handle_(std::exchange(other.handle_, nullptr)) {}
  Event& operator=(Event&&) = delete;
  ~Event() {
    if (handle_ != nullptr) device_->free_event(handle_);
  }

  const std::shared_ptr<Device>& device() const { return device_; }    ///< its device
  void record(void* queue) { device_->record(handle_, queue); }        ///< as Device::record()
  bool is_done() const { return device_->is_done(handle_); }           ///< as Device::is_done()
  void let_wait(void* queue) const { device_->wait(queue, handle_); }  ///< the queue waits for it

 private:
  std::shared_ptr<Device> device_;
  void* handle_;
};

/// Copies the elements of a region, in memory of a device or of the host, to `out`, which has region.bytes() bytes.
/// Waits for this copy alone, which is in a queue of its own: first wait for work that writes the region.
void read(const Region& region, std::byte* out);
/// Copies region.bytes() bytes from `in` to the elements of a region, likewise.
void write(const Region& region, const std::byte* in);

}  // namespace device
}  // namespace weft
