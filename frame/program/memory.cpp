// SPDX-License-Identifier: BSD-3-Clause
#include "program/memory.hpp"

#include <fstream>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

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

}  // namespace weft::program
