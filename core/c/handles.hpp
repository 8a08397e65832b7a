// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <weft.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "weft/device/device.hpp"
#include "weft/exchange/message_space.hpp"
#include "weft/halo/cartesian_grid.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/progress/progress.hpp"
#include "weft/timeline/timeline.hpp"

namespace weft::c {

struct ExchangeObject;
struct GraphObject;
struct HaloExchangeObject;
struct HaloObject;
struct MailboxObject;
struct MonitorsObject;
struct OpObject;
struct ReportObject;
struct RequestsObject;
struct RoundsObject;
struct SettingObject;
struct StepManagerObject;
struct StepObject;
struct TileObject;
struct TuningObject;
using weft_tile_inside = struct weft_tile_inside_s*;

/// The kind of a handle: its object, its number in the handle, its name in sentences.
template <class Handle>
struct Kind;
#define WEFT_HANDLE(Handle, Class, Number, Name) \
  template <>                                    \
  struct Kind<Handle> {                          \
    using Object = Class;                        \
    static constexpr unsigned number = Number;   \
    static constexpr const char* name = Name;    \
  };
WEFT_HANDLE(weft_comm, mpi::Communicator, 1, "communicator")
WEFT_HANDLE(weft_space, MessageSpace, 2, "space")
WEFT_HANDLE(weft_progress, Progress, 3, "progress")
WEFT_HANDLE(weft_timeline, Timeline, 4, "timeline")
WEFT_HANDLE(weft_exchange, ExchangeObject, 5, "exchange")
WEFT_HANDLE(weft_requests, RequestsObject, 6, "list of requests")
WEFT_HANDLE(weft_op, OpObject, 7, "reduction")
WEFT_HANDLE(weft_step_manager, StepManagerObject, 8, "step manager")
WEFT_HANDLE(weft_step, StepObject, 9, "step")
WEFT_HANDLE(weft_grid, CartesianGrid, 10, "grid")
WEFT_HANDLE(weft_halo, HaloObject, 11, "halo")
WEFT_HANDLE(weft_halo_exchange, HaloExchangeObject, 12, "halo exchange")
WEFT_HANDLE(weft_monitors, MonitorsObject, 13, "object of monitors")
WEFT_HANDLE(weft_rounds, RoundsObject, 14, "collective by rounds")
WEFT_HANDLE(weft_mailbox, MailboxObject, 15, "mailbox")
WEFT_HANDLE(weft_tuning, TuningObject, 16, "tuning")
WEFT_HANDLE(weft_setting, SettingObject, 17, "setting")
WEFT_HANDLE(weft_overlap_report, ReportObject, 18, "overlap report")
WEFT_HANDLE(weft_tile_inside, TileObject, 19, "inside of a tile")
WEFT_HANDLE(weft_graph, GraphObject, 20, "graph")
WEFT_HANDLE(weft_device, device::Device, 21, "device")
#undef WEFT_HANDLE

/// The table of all handles. A handle is no address but the number of a slot, its generation and its kind, so that a
/// freed or a wrong handle is found whatever became of the memory. Thread-safe; looking one up takes no lock.
namespace table {

// A handle: generation (32 bits), kind (8), number of the slot (23), and a 1, so that it is never NULL nor an address
// of aligned memory. The built-in reductions are 1 to 3, which no generation from 1 on gives.
static_assert(sizeof(std::uintptr_t) == 8, "a handle has 64 bits");
constexpr std::size_t slots_of_block = 4096;
constexpr std::size_t blocks = (std::size_t{1} << 23) / slots_of_block;

struct Slot {
  std::atomic<std::uintptr_t> handle{0};  // 0: free
  void* object = nullptr;
  std::shared_ptr<void> owner;
  std::uint32_t generation = 0;
};

extern constinit std::array<std::atomic<Slot*>, blocks> all_blocks;

/// The slot of a handle; null if it never had one.
inline Slot* slot_of(std::uintptr_t handle) {
  const auto number = static_cast<std::size_t>(handle >> 1 & 0x7fffff);
  auto* block = all_blocks[number / slots_of_block].load(std::memory_order_acquire);
  return block == nullptr ? nullptr : &block[number % slots_of_block];
}
inline unsigned kind_of(std::uintptr_t handle) { return static_cast<unsigned>(handle >> 24 & 0xff); }

/// Throws the HandleError that says why `handle` is none of this kind.
[[noreturn]] void refuse(std::uintptr_t handle, unsigned kind, const char* name);

/// The slot of a handle of this kind. Throws a HandleError if it is none. Inline, since most calls do little more.
inline Slot& slot_with(std::uintptr_t handle, unsigned kind, const char* name) {
  auto* slot = (handle & 1) != 0 ? slot_of(handle) : nullptr;
  if (slot == nullptr || kind_of(handle) != kind || slot->handle.load(std::memory_order_acquire) != handle)
    refuse(handle, kind, name);
  return *slot;
}

std::uintptr_t add(unsigned kind, std::shared_ptr<void> object);
/// The object; throws a HandleError if `handle` is none of this kind.
inline void* find(std::uintptr_t handle, unsigned kind, const char* name) {
  return slot_with(handle, kind, name).object;
}
std::shared_ptr<void> share(std::uintptr_t handle, unsigned kind, const char* name);
/// Removes the handle and returns its object.
std::shared_ptr<void> take(std::uintptr_t handle, unsigned kind, const char* name);
}  // namespace table

/// A handle for an object.
template <class Handle>
Handle handle_of(std::shared_ptr<typename Kind<Handle>::Object> object) {
  return reinterpret_cast<Handle>(table::add(Kind<Handle>::number, std::move(object)));
}
/// The object of a handle.
template <class Handle>
typename Kind<Handle>::Object& get(Handle handle) {
  using Of = Kind<Handle>;
  return *static_cast<typename Of::Object*>(
      table::find(reinterpret_cast<std::uintptr_t>(handle), Of::number, Of::name));
}
/// The same as an owner, for objects that others use.
template <class Handle>
std::shared_ptr<typename Kind<Handle>::Object> share(Handle handle) {
  using Of = Kind<Handle>;
  return std::static_pointer_cast<typename Of::Object>(
      table::share(reinterpret_cast<std::uintptr_t>(handle), Of::number, Of::name));
}
/// The same; null for NULL.
template <class Handle>
std::shared_ptr<typename Kind<Handle>::Object> share_if(Handle handle) {
  return handle == nullptr ? nullptr : share(handle);
}
/// Removes a handle from the table, and from `*handle`. Nothing for NULL.
template <class Handle>
std::shared_ptr<typename Kind<Handle>::Object> take(Handle* handle) {
  using Of = Kind<Handle>;
  if (handle == nullptr || *handle == nullptr) return nullptr;
  auto object = std::static_pointer_cast<typename Of::Object>(
      table::take(reinterpret_cast<std::uintptr_t>(*handle), Of::number, Of::name));
  *handle = nullptr;
  return object;
}

/// A handle that lives as long as this object, for an object that callbacks see.
template <class Handle>
class Lent {
 public:
  explicit Lent(typename Kind<Handle>::Object& object)
      : handle_(handle_of<Handle>(std::shared_ptr<typename Kind<Handle>::Object>(std::shared_ptr<void>(), &object))) {}
  ~Lent() { take(&handle_); }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  Handle get() const { return handle_; }

 private:
  Handle handle_;
};

}  // namespace weft::c
