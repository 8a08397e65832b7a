// SPDX-License-Identifier: BSD-3-Clause
// A ring with two buffers and persistent requests: one block is computed while the next one arrives.
#include "work.h"

int main(int argc, char** argv) {
  begin(argc, argv);
  char* block[2] = {calloc(1, (size_t)bytes), calloc(1, (size_t)bytes)};
  MPI_Request requests[2][2];
  for (int now = 0; now < 2; ++now) {
    MPI_Send_init(block[now], bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests[now][0]);
    MPI_Recv_init(block[1 - now], bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests[now][1]);
  }
  for (int step = 0; step < steps; ++step) {
    MPI_Request* both = requests[step % 2];
    double mine = step, all;
    if (broken("late_post")) compute(rounds);
    MPI_Startall(2, both);
    if (broken("blocking")) MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);  // BROKEN blocking
    if (broken("early_wait")) MPI_Waitall(2, both, MPI_STATUSES_IGNORE);                         // BROKEN early_wait
    if (!broken("late_post")) compute(rounds);
    if (!broken("early_wait")) MPI_Waitall(2, both, MPI_STATUSES_IGNORE);  // BROKEN late_post
  }
  end();
}
