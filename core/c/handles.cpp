// SPDX-License-Identifier: BSD-3-Clause
#include "c/handles.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <vector>

#include "c/calls.hpp"

namespace weft::c::table {
namespace {

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

std::array<std::atomic<Slot*>, blocks>& all_blocks() {
  static std::array<std::atomic<Slot*>, blocks> all{};
  return all;
}

struct Places {
  std::mutex mutex;
  std::vector<std::uint32_t> free;
  std::uint32_t used = 0;
};
Places& places() {
  static auto& all = *new Places;  // handles may be freed while the process ends
  return all;
}

Slot* slot_of(std::uintptr_t handle) {
  const auto number = static_cast<std::size_t>(handle >> 1 & 0x7fffff);
  auto* block = all_blocks()[number / slots_of_block].load(std::memory_order_acquire);
  return block == nullptr ? nullptr : &block[number % slots_of_block];
}

unsigned kind_of(std::uintptr_t handle) { return static_cast<unsigned>(handle >> 24 & 0xff); }

[[noreturn]] void refuse(std::uintptr_t handle, unsigned kind, const char* name) {
  const std::string what = name;
  if (handle == 0) throw HandleError("The " + what + " is NULL. Create it first.");
  const auto* slot = slot_of(handle);
  if ((handle & 1) == 0 || slot == nullptr || handle >> 32 == 0 || slot->generation < handle >> 32)
    throw HandleError("The " + what + " is no handle of weft. Pass one that weft has given.");
  if (kind_of(handle) != kind) throw HandleError("A handle of another kind was passed as the " + what + ".");
  throw HandleError("The " + what + " was freed, or the callback that got it has returned.");
}

Slot& slot_with(std::uintptr_t handle, unsigned kind, const char* name) {
  auto* slot = (handle & 1) != 0 ? slot_of(handle) : nullptr;
  if (slot == nullptr || kind_of(handle) != kind || slot->handle.load(std::memory_order_acquire) != handle)
    refuse(handle, kind, name);
  return *slot;
}

}  // namespace

std::uintptr_t add(unsigned kind, std::shared_ptr<void> object) {
  auto& all = places();
  const std::lock_guard lock(all.mutex);
  std::uint32_t number = all.used;
  if (!all.free.empty()) {
    number = all.free.back();
    all.free.pop_back();
  } else {
    if (all.used == blocks * slots_of_block) throw Error("There are too many objects of weft. Free some.");
    auto& block = all_blocks()[number / slots_of_block];
    if (block.load(std::memory_order_relaxed) == nullptr)
      block.store(new Slot[slots_of_block], std::memory_order_release);
    ++all.used;
  }
  auto& slot = all_blocks()[number / slots_of_block].load(std::memory_order_relaxed)[number % slots_of_block];
  slot.object = object.get();
  slot.owner = std::move(object);
  const auto handle = static_cast<std::uintptr_t>(++slot.generation) << 32 | std::uintptr_t{kind} << 24 |
                      std::uintptr_t{number} << 1 | 1;
  slot.handle.store(handle, std::memory_order_release);
  return handle;
}

void* find(std::uintptr_t handle, unsigned kind, const char* name) { return slot_with(handle, kind, name).object; }

std::shared_ptr<void> share(std::uintptr_t handle, unsigned kind, const char* name) {
  const std::lock_guard lock(places().mutex);
  return slot_with(handle, kind, name).owner;
}

std::shared_ptr<void> take(std::uintptr_t handle, unsigned kind, const char* name) {
  auto& all = places();
  const std::lock_guard lock(all.mutex);
  auto& slot = slot_with(handle, kind, name);
  slot.handle.store(0, std::memory_order_release);
  slot.object = nullptr;
  all.free.push_back(static_cast<std::uint32_t>(handle >> 1 & 0x7fffff));
  return std::move(slot.owner);
}

}  // namespace weft::c::table
