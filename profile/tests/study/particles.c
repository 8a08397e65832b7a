// SPDX-License-Identifier: BSD-3-Clause
// Particles move to the other rank, which does not know how many: it probes while it computes.
#include "work.h"

enum { pieces = 16 };

static int receive(char* in, int most, int waits) {
  int there = 1;
  MPI_Status status;
  if (waits)
    MPI_Probe(other, 0, MPI_COMM_WORLD, &status);  // BROKEN early_wait BROKEN late_post
  else
    MPI_Iprobe(other, 0, MPI_COMM_WORLD, &there, &status);
  if (there) MPI_Recv(in, most, MPI_BYTE, other, 0, MPI_COMM_WORLD, &status);  // BROKEN large
  return there;
}

int main(int argc, char** argv) {
  begin(argc, argv);
  if (broken("large")) bytes *= 3;
  char *in = malloc((size_t)bytes), *out = calloc(1, (size_t)bytes);
  unsigned random = (unsigned)rank + 1;
  for (int step = 0; step < steps; ++step) {
    MPI_Request request;
    random = random * 1664525u + 1013904223u;
    const int now = bytes - (int)((random >> 16) % 1024), late = broken("late_post");
    if (late) compute(rounds);
    MPI_Isend(out, now, MPI_BYTE, other, 0, MPI_COMM_WORLD, &request);
    int there = broken("early_wait") ? receive(in, bytes, 1) : 0;
    for (int i = 0; i < pieces && !late; ++i) {
      compute(rounds / pieces);
      if (!there) there = receive(in, bytes, 0);
    }
    if (!there) receive(in, bytes, 1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  end();
}
