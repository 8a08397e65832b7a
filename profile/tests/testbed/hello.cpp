// SPDX-License-Identifier: BSD-3-Clause
//
// Each rank prints its node and user. With an argument it then waits for so many seconds.
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  char host[64] = "";
  gethostname(host, sizeof host - 1);
  std::printf("rank %d of %d on %s, user %u, sum %d\n", rank, size, host, getuid(), sum);
  std::fflush(stdout);
  if (argc > 1) sleep(static_cast<unsigned>(std::atoi(argv[1])));
  MPI_Finalize();
}
