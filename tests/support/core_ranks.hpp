// SPDX-License-Identifier: BSD-3-Clause
//
// A test specifies its number of ranks: `on(3_ranks, [](Transport& world) { ... });`
//
// The same test is linked into two programs. In weft_test the ranks are threads, and each test body runs twice:
// normally, and with messages that arrive in a random order and sends that wait for their receiver. In weft_mpi_test
// the ranks are the job's processes, and a test for another number of ranks is skipped.
#pragma once

#include <functional>
#include <string>

#include "weft/error.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::testing {

struct Ranks {
  int first, last;
};
consteval Ranks operator""_ranks(unsigned long long n) { return {static_cast<int>(n), static_cast<int>(n)}; }
inline constexpr Ranks any_ranks{1, 4};

/// An exception on one rank ends the test. Other ranks that are threads are woken; an MPI job is ended.
void on(Ranks ranks, const std::function<void(Transport&)>& program);

/// Delays each message by up to `most` tests of its receiver, and sometimes by ten times as many.
InProcessOptions random_arrival(std::uint64_t seed, int most = 6);

/// The text of the Error that `action` throws, or "no error".
inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace weft::testing
