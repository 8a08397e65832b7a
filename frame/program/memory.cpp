// SPDX-License-Identifier: BSD-3-Clause
#include "program/memory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "program/readable.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::program {

Memory resident_memory() {
  Memory memory;
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    constexpr std::int64_t kibibyte = 1024;
    std::int64_t* const number = word == "VmRSS:" ? &memory.now : word == "VmHWM:" ? &memory.most : nullptr;
    if (number != nullptr && status >> *number) *number *= kibibyte;
  }
  return memory;
}

bool restart_peak_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
  std::ofstream clear("/proc/self/clear_refs");
  clear << "5" << std::flush;  // 5: resets only the peak
  return clear.good();
}

namespace {

// Of this machine.
std::int64_t machine_memory() {
  std::int64_t bytes = 0;
  std::ifstream all("/proc/meminfo");
  constexpr std::int64_t kibibyte = 1024;
  for (std::string word; all >> word;)
    if (word == "MemTotal:" && all >> bytes) {
      bytes *= kibibyte;
      break;
    }
  for (const auto* limit : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(limit);  // "max" if there is no limit
    if (std::int64_t most = 0; file >> most && most > 0) bytes = bytes > 0 ? std::min(bytes, most) : most;
  }
  return bytes;
}

}  // namespace

std::int64_t machines_memory(Transport& transport) {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  const auto names = all_gather(transport, std::string(name.data()));
  const auto each = all_gather(transport, machine_memory());
  std::set<std::string> seen;
  std::int64_t bytes = 0;
  for (std::size_t rank = 0; rank < names.size(); ++rank)
    if (seen.insert(names[rank]).second) bytes += each[rank];
  return bytes;
}

void require_memory(Transport& transport, double bytes, const std::string& what, const std::string& advice) {
  const auto there = static_cast<double>(machines_memory(transport));
  if (there == 0 || bytes <= there) return;
  throw InputError(fmt::format("{} would need {} of memory (the machines have {}). {}, or use more machines.", what,
                               bytes_text(bytes), bytes_text(there), advice),
                   true);
}

}  // namespace weft::program
