// SPDX-License-Identifier: BSD-3-Clause
// The source lines of programs in Python (CPython 3.10 to 3.14), read from the frames of the calling thread. No Python
// code runs, no object is changed, and the GIL is not needed: mpi4py releases it in calls that may block. While a
// thread is inside MPI nothing changes its frames.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft::advise {

extern std::atomic<bool> python_is_here;

/// Looks for an interpreter in this process. Call it on the thread that initialises MPI.
void find_python();

/// The call site of an MPI call: the program's line (a number of source_place()) if an installed package of Python
/// called MPI, for example mpi4py; else the return address itself.
std::uint64_t python_site(std::uint64_t return_address);
inline std::uint64_t site_of(std::uint64_t return_address) {
  return python_is_here.load(std::memory_order_relaxed) ? python_site(return_address) : return_address;
}

/// The line that called the function whose line called MPI; 0 if there is none.
std::uint64_t python_caller();

}  // namespace weft::advise
