// SPDX-License-Identifier: BSD-3-Clause
#include "advise/marked_regions.hpp"

#include "advise/session.hpp"

namespace weft::advise {
namespace {

std::mutex before_mutex;
Regions before;

}  // namespace

void mark_region(const char* name, bool enters) {
  if (name == nullptr || *name == 0) return;
  const Hook hook;
  if (!hook.has_session()) {
    const std::lock_guard lock(before_mutex);
    enters ? before.enter(name) : before.leave(name);
    return;
  }
  if (!hook.follows()) return;
  const Writing writing;
  auto& recorder = session->recorder;
  enters ? recorder.enter_region(name, ticks(), hook.active()) : recorder.leave_region(name, ticks(), hook.active());
}

Regions regions_before() {
  const std::lock_guard lock(before_mutex);
  return before;
}

}  // namespace weft::advise

// The loader calls it for the functions of weft_region.h and for the markers of other tools.
extern "C" void weft_advise_region(const char* name, int enters) { weft::advise::mark_region(name, enters != 0); }
