// SPDX-License-Identifier: BSD-3-Clause
#include "c/handles.hpp"

#include <mutex>
#include <string>
#include <vector>

#include "c/calls.hpp"

namespace weft::c::table {

constinit std::array<std::atomic<Slot*>, blocks> all_blocks{};

namespace {

struct Places {
  std::mutex mutex;
  std::vector<std::uint32_t> free;
  std::uint32_t used = 0;
};
Places& places() {
  static auto& all = *new Places;  // handles may be freed while the process ends
  return all;
}

template <class... Handles>
const char* name_in(unsigned kind) {
  const char* name = "unknown";
  ((name = c::Kind<Handles>::number == kind ? c::Kind<Handles>::name : name), ...);
  return name;
}
const char* name_of(unsigned kind) {
  return name_in<weft_comm, weft_space, weft_progress, weft_timeline, weft_exchange, weft_requests, weft_op,
                 weft_step_manager, weft_step, weft_grid, weft_halo, weft_halo_exchange, weft_monitors, weft_rounds,
                 weft_mailbox, weft_tuning, weft_setting, weft_overlap_report, weft_graph>(kind);
}

}  // namespace

void refuse(std::uintptr_t handle, unsigned kind, const char* name) {
  const std::string what = name;
  if (handle == 0) throw HandleError("The " + what + " is NULL. Create it first.");
  const auto* slot = slot_of(handle);
  if ((handle & 1) == 0 || slot == nullptr || handle >> 32 == 0 || slot->generation < handle >> 32)
    throw HandleError("The " + what + " is no handle of weft. Pass one that weft has given.");
  if (kind_of(handle) != kind)
    throw HandleError("A handle of another kind (" + std::string(name_of(kind_of(handle))) + ") was passed as the " +
                      what + ".");
  throw HandleError("The " + what + " was freed, or the callback that got it has returned.");
}

std::uintptr_t add(unsigned kind, std::shared_ptr<void> object) {
  auto& all = places();
  const std::lock_guard lock(all.mutex);
  std::uint32_t number = all.used;
  if (!all.free.empty()) {
    number = all.free.back();
    all.free.pop_back();
  } else {
    if (all.used == blocks * slots_of_block) throw Error("There are too many objects of weft. Free some.");
    auto& block = all_blocks[number / slots_of_block];
    if (block.load(std::memory_order_relaxed) == nullptr)
      block.store(new Slot[slots_of_block], std::memory_order_release);
    ++all.used;
  }
  auto& slot = all_blocks[number / slots_of_block].load(std::memory_order_relaxed)[number % slots_of_block];
  slot.object = object.get();
  slot.owner = std::move(object);
  const auto handle = static_cast<std::uintptr_t>(++slot.generation) << 32 | std::uintptr_t{kind} << 24 |
                      std::uintptr_t{number} << 1 | 1;
  slot.handle.store(handle, std::memory_order_release);
  return handle;
}

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
