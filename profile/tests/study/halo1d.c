// SPDX-License-Identifier: BSD-3-Clause
// A halo in one direction: eager messages to both neighbours while the interior is computed.
#include "work.h"

int main(int argc, char** argv) {
  begin(argc, argv);
  if (broken("large")) bytes *= 3;
  char* memory = calloc(4, (size_t)bytes);
  char *in[2] = {memory, memory + bytes}, *out[2] = {memory + 2 * bytes, memory + 3 * bytes};
  for (int step = 0; step < steps; ++step) {
    MPI_Request requests[4];
    int n = 0;
    for (int side = 0; side < 2; ++side) {
      if (side == 1 && broken("blocking")) {
        MPI_Sendrecv(out[1], bytes, MPI_BYTE, other, 1, in[1], bytes, MPI_BYTE, other, 1,  // BROKEN blocking
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        continue;
      }
      MPI_Irecv(in[side], bytes, MPI_BYTE, other, side, MPI_COMM_WORLD, &requests[n++]);
      MPI_Isend(out[side], bytes, MPI_BYTE, other, side, MPI_COMM_WORLD, &requests[n++]);
    }
    if (broken("early_wait")) MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);  // BROKEN early_wait
    compute(rounds - rounds / 16);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);  // BROKEN large
    compute(rounds / 16);
  }
  end();
}
