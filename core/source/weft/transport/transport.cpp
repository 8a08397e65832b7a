// SPDX-License-Identifier: BSD-3-Clause
#include "weft/transport/transport.hpp"

#include <atomic>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "weft/error.hpp"
#include "weft/yield.hpp"

namespace weft {

const char* name_of(Ability ability) {
  switch (ability) {
    case Ability::shared_memory: return "shared memory";
    case Ability::synchronous: return "synchronous sends";
    case Ability::datatypes: return "derived datatypes";
    case Ability::partitioned: return "partitioned messages";
    case Ability::probe: return "probing for messages";
  }
  return "?";
}

namespace {
std::atomic<int> abandoned{0};
}  // namespace

int abandoned_operations() { return abandoned.load(); }

void count_abandoned() { ++abandoned; }

void check_none_abandoned() {
  if (abandoned.load(std::memory_order_relaxed) > 0)
    throw Error(
        "This process can't communicate any more (an operation was destroyed while it was active, and MPI may still "
        "use its memory). End the program.");
}

void leak_until_exit(std::shared_ptr<void> what) {
  static std::mutex mutex;
  static auto& kept = *new std::vector<std::shared_ptr<void>>;  // never destroyed, on purpose
  const std::lock_guard lock(mutex);
  kept.push_back(std::move(what));
}

void complete(Operation& operation) {
  operation.start();
  while (!operation.test()) yield();
}

namespace {
[[noreturn]] void refuse(const Transport& transport, Ability ability) {
  throw Error(std::string("This transport (") + transport.library() + ") has no " + name_of(ability) +
              ". Call has() before use.");
}
}  // namespace

std::optional<Arrival> Transport::probe(int) { refuse(*this, Ability::probe); }
std::unique_ptr<Operation> Transport::send_regions(std::span<const Region>, int, int) {
  refuse(*this, Ability::datatypes);
}
std::unique_ptr<Operation> Transport::receive_regions(std::span<const Region>, int, int) {
  refuse(*this, Ability::datatypes);
}
Operations Transport::send_partitions(std::span<const std::byte>, int, int, int) {
  refuse(*this, Ability::partitioned);
}
Operations Transport::receive_partitions(std::span<std::byte>, int, int, int) { refuse(*this, Ability::partitioned); }

}  // namespace weft
