// SPDX-License-Identifier: BSD-3-Clause
#include "weft/yield.hpp"

#include <cstdlib>
#include <string>

#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/transport/failure.hpp"
#include "weft/transport/timeout.hpp"

namespace weft {
namespace {

std::atomic<void (*)()> interruption{nullptr};
std::atomic<bool> are_crowded{false};  // as any communicator has found

void look_for_interruption() {
  if (interruption.load(std::memory_order_relaxed) == nullptr) return;
  static thread_local double looked = 0;
  const double now = now_seconds();
  if (now - looked < 0.1) return;
  looked = now;
  detail::interrupt();
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

namespace detail {

std::atomic<bool> waits_yield{true};

void during_wait() {
  timeout().waited();
  look_for_interruption();
  static thread_local unsigned calls = 0;
  if (++calls % 8 != 0) return;  // on a full machine each call of the library may take a time slice
  Failure::serve();
  Failure::Watching::look();
}

void interrupt() {
  if (auto* check = interruption.load(std::memory_order_relaxed)) check();
}

}  // namespace detail

void set_interruption(void (*check)()) { interruption.store(check, std::memory_order_relaxed); }

void share_cores(int ranks, int cores) {
  const auto wish = variable("WEFT_YIELD");
  if (!wish.empty() && wish != "yes" && wish != "no")
    throw InputError("WEFT_YIELD is '" + wish + "'. Give yes or no, or unset it.", true);
  if (ranks > cores) are_crowded.store(true, std::memory_order_relaxed);
  // Where the user has told Open MPI that cores are shared, weft's own waits yield, too.
  const bool yields =
      wish.empty() ? are_crowded.load(std::memory_order_relaxed) || variable("OMPI_MCA_mpi_yield_when_idle") == "1"
                   : wish == "yes";
  detail::waits_yield.store(yields, std::memory_order_relaxed);
}

bool cores_are_shared() { return are_crowded.load(std::memory_order_relaxed); }

}  // namespace weft
