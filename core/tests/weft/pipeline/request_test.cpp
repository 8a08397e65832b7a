// SPDX-License-Identifier: BSD-3-Clause
//
// A pipeline with plain MPI requests, one or several per tile.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <vector>

#include "tests/support/core_ranks.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/pipeline/pipeline.hpp"

namespace weft {
namespace {

using namespace weft::testing;

TEST(PipelineRequest, takes_mpi_requests) {
  on(any_ranks, [](Transport& transport) {
    const auto comm = dynamic_cast<mpi::Communicator&>(transport).handle();
    const int size = transport.size();
    std::vector<int> sums;
    pipeline<std::array<int, 2>>(
        transport, 7, {.tile = 1, .window = 3},
        [&](const Tile& t, std::array<int, 2>& b) { b[0] = static_cast<int>(t.first) * (transport.rank() + 1); },
        [&](const Tile&, std::array<int, 2>& b) {
          MPI_Request request = MPI_REQUEST_NULL;
          mpi::check(MPI_Iallreduce(b.data(), b.data() + 1, 1, MPI_INT, MPI_SUM, comm, &request), "MPI_Iallreduce");
          return request;
        },
        [&](const Tile&, std::array<int, 2>& b) { sums.push_back(b[1]); });
    ASSERT_EQ(sums.size(), 7U);
    for (int i = 0; i < 7; ++i) EXPECT_EQ(sums[static_cast<std::size_t>(i)], i * size * (size + 1) / 2);
  });
}

TEST(PipelineRequest, takes_several_requests_a_tile) {
  on(any_ranks, [](Transport& transport) {
    const auto comm = dynamic_cast<mpi::Communicator&>(transport).handle();
    const int rank = transport.rank(), size = transport.size(), right = (rank + 1) % size,
              left = (rank + size - 1) % size;
    Progress progress(transport, {.interval_seconds = 0});
    std::size_t seen = 0;
    pipeline<std::array<int, 2>>(
        transport, 9, {.tile = 2, .window = 1, .progress = &progress},
        [&](const Tile& t, std::array<int, 2>& b) {
          b[0] = 100 * rank + static_cast<int>(t.index);
          t.progress();
        },
        [&](const Tile& t, std::array<int, 2>& b) {
          std::vector<MPI_Request> requests(2, MPI_REQUEST_NULL);
          const int tag = static_cast<int>(t.index);
          mpi::check(MPI_Irecv(b.data() + 1, 1, MPI_INT, left, tag, comm, requests.data()), "MPI_Irecv");
          mpi::check(MPI_Isend(b.data(), 1, MPI_INT, right, tag, comm, requests.data() + 1), "MPI_Isend");
          return requests;
        },
        [&](const Tile& t, std::array<int, 2>& b) {
          EXPECT_EQ(b[1], 100 * left + static_cast<int>(t.index));
          ++seen;
        });
    EXPECT_EQ(seen, 5U);
  });
}

}  // namespace
}  // namespace weft
