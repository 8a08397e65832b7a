// SPDX-License-Identifier: BSD-3-Clause
//
// main() of the tests that run under mpirun: GoogleTest runs on every rank, and failures of any rank fail the job.
#include <gtest/gtest.h>

#include <cstdio>

#include "weft/mpi/main.hpp"
#include "weft/transport/collectives.hpp"

int main(int argc, char** argv) {
  return weft::main(argc, argv, [&](weft::mpi::Communicator& world) {
    ::testing::InitGoogleTest(&argc, argv);
    // One rank prints the running test; the others print only failures.
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    if (world.rank() != 0) delete listeners.Release(listeners.default_result_printer());
    struct Failures : ::testing::EmptyTestEventListener {
      int rank = 0;
      void OnTestPartResult(const ::testing::TestPartResult& result) override {
        if (rank != 0 && result.failed())
          fprintf(stderr, "rank %d: %s:%d: %s\n", rank, result.file_name() ? result.file_name() : "?",
                  result.line_number(), result.message());
      }
    };
    auto* failures = new Failures;
    failures->rank = world.rank();
    listeners.Append(failures);
    const int mine = RUN_ALL_TESTS();
    return weft::all_reduce(world, mine, weft::maximum<int>());
  });
}
