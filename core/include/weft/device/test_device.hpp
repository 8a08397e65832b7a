// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/device/device.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace device {

/// Options of a test device.
struct TestDeviceOptions {
  std::uint64_t seed = 1;    ///< of the order of work of different queues, and of where copies are torn
  int threads = 0;           ///< threads that run the work; 0: only calls of the program do
  bool keep_copies = false;  ///< whether copies() lists them
  bool is_open = false;      ///< the host may access the memory: for MessageOptions::direct_from_device
};

/// What a test device was asked for so far.
struct TestDeviceCounts {
  std::size_t packs = 0;               ///< calls of pack()
  std::size_t unpacks = 0;             ///< calls of unpack() and combine()
  std::size_t bytes_packed = 0;        ///< by them
  std::size_t bytes_unpacked = 0;      ///< by them
  std::size_t whole_device_waits = 0;  ///< calls of synchronize() for all queues
};

/// A call of pack(), unpack() or combine().
struct TestDeviceCopy {
  /// The functions.
  enum class Kind : std::uint8_t { pack, unpack, combine };
  Kind kind;              ///< which of them
  const std::byte* host;  ///< the address of the packed bytes
  std::size_t bytes;      ///< how many
};

/// A device for tests, on any machine with Linux. It does late, in a random order and in pieces what a real device may
/// do so. A test that tries some seeds finds a forgotten event, which a real device shows once a month.
///
/// - *Memory.* The address that allocate() returns can't be accessed: the program ends, with a sentence. Kernels access
///   the same memory at another address, inside(address).
/// - *Queues.* The work of one queue runs in order. Of different queues any work may be next that their events allow; a
///   random generator chooses. By default work runs only within is_done() (some pieces of work, or none) and
///   synchronize(): nothing has run before the program waits for it, and the order depends only on the seed and the
///   calls. With `threads`, threads of the device run it, with short pauses.
/// - *Copies.* pack(), unpack() and combine() are torn in two, and work of other queues may run in between.
/// - *Problems.* A kernel may access memory of the device, and pinned memory of the host. If it accesses other memory,
///   or throws an exception, a warning is printed, no later kernel runs, and each later call throws the same Error, as
///   errors of a real device do.
///
/// ```
/// const auto device = device::TestDevice::make({.seed = seed});
/// auto* const u = reinterpret_cast<double*>(device->allocate(n * sizeof(double)));
/// void* const queue = device->make_queue();
/// device->launch(queue, [=, &d = *device] { fill(std::span(d.inside(u), n)); });
/// ```
/// Work that has not run when the device is destroyed never does. Derive from it to leave something out, such as an
/// event, and to see that a test finds that.
class TestDevice : public Device {
 public:
  /// For derived classes; see make().
  explicit TestDevice(const TestDeviceOptions& options = {});
  ~TestDevice() override;
  /// Makes one, and its threads.
  static std::shared_ptr<TestDevice> make(const TestDeviceOptions& options = {});

  std::string name() const override;
  bool has(const void* address) const override;

  void* make_queue() override;
  void free_queue(void* queue) noexcept override;
  void* make_event() override;
  void free_event(void* event) noexcept override;
  void record(void* event, void* queue) override;
  bool is_done(void* event) override;
  void wait(void* queue, void* event) override;

  std::byte* allocate(std::size_t bytes) override;
  void free(std::byte* memory) noexcept override;
  void pin(std::span<std::byte> host) override;
  void unpin(std::span<std::byte> host) noexcept override;

  std::unique_ptr<Shape> prepare(const RegionLayout& layout, std::size_t bytes, const Shape* like = nullptr) override;
  void pack(void* queue, const Shape& shape, Range range, std::byte* out) override;
  void unpack(void* queue, const Shape& shape, Range range, const std::byte* in) override;
  bool combines(const ReductionOfBytes& reduction) const override;
  void combine(void* queue, const Shape& shape, Range range, const std::byte* in,
               const ReductionOfBytes& reduction) override;

  /// Queues a kernel of the program, which runs once, in any thread. It must not wait for the device.
  void launch(void* queue, std::function<void()> kernel);
  /// Waits until all work is done that is now in the queue.
  void synchronize(void* queue);
  /// Waits until all work is done that is now in any queue. weft never does.
  void synchronize();

  /// Where kernels access this memory of the device. Throws an Error for other addresses.
  template <class T>
  T* inside(T* address) const {
    return reinterpret_cast<T*>(alias(address));
  }
  /// What is wrong; empty: nothing so far.
  std::string problem() const;
  TestDeviceCounts counts() const;                                                ///< so far
  std::size_t whole_device_waits() const { return counts().whole_device_waits; }  ///< so far
  std::vector<TestDeviceCopy> copies() const;                                     ///< so far, in order of the calls

 private:
  std::byte* alias(const void* address) const;

  struct State;
  std::shared_ptr<State> state_;  // shared with the threads
};

}  // namespace device
}  // namespace weft
