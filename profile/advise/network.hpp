// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <span>

#include "advise/abi/mpi.hpp"
#include "advise/verdict.hpp"
#include "advise/waiting.hpp"

namespace weft::advise {

/// Memory outside malloc. If a large malloc block were freed, glibc would serve the program's next large blocks from
/// its heap, not aligned to a page, and MPI would copy them up to a tenth slower (ping-pong of 1 MiB).
class Pages {
 public:
  explicit Pages(std::size_t bytes)
      : bytes_(bytes), start_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (start_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~Pages() {
    if (start_ != nullptr) munmap(start_, bytes_);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  std::span<char> all() const { return {static_cast<char*>(start_), bytes_}; }
  /// It is never freed.
  void leak() { start_ = nullptr; }

 private:
  std::size_t bytes_;
  void* start_;
};

/// Collective over `comm` (a duplicate of MPI_COMM_WORLD); takes some milliseconds, or a tenth of a second if the
/// latency is 1 ms.
NetworkModel measure_network(MPI_Comm comm);

/// Rank 0's clock minus this one's; 0 on rank 0's node, whose ranks have one clock. Collective over `comm`.
double clock_offset(MPI_Comm comm, const std::vector<int>& node, Waiting& waiting);

}  // namespace weft::advise
