// SPDX-License-Identifier: BSD-3-Clause
// What to do, each with the lines of a small program before and after.
#include "report/findings.hpp"

namespace weft::run {
namespace {

struct Example {
  const char *before, *after;
};

struct Kind {
  const char *what, *title, *why;
  Example c, fortran, python;
};

constexpr Kind kinds[] = {
    {"post_earlier",
     "Post earlier, wait later",
     "Messages are waited for as soon as they are posted, or in blocking calls, with work left to hide them behind.",
     {"MPI_Sendrecv(out, n, ..., in, n, ...);\ninner(u);\nborder(u, in);",
      "MPI_Irecv(in, n, ..., &r[0]);\nMPI_Isend(out, n, ..., &r[1]);\ninner(u);\nMPI_Waitall(2, r, "
      "MPI_STATUSES_IGNORE);\n"
      "border(u, in);"},
     {"call MPI_Sendrecv(out, n, ..., in, n, ...)\ncall inner(u)\ncall border(u, in)",
      "call MPI_Irecv(in, n, ..., r(1), ierr)\ncall MPI_Isend(out, n, ..., r(2), ierr)\ncall inner(u)\n"
      "call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)\ncall border(u, in)"},
     {"comm.Sendrecv(out, dest, recvbuf=into)\ninner(u)\nborder(u, into)",
      "requests = [comm.Irecv(into, source), comm.Isend(out, "
      "dest)]\ninner(u)\nMPI.Request.Waitall(requests)\nborder(u, into)"}},
    {"helper_thread",
     "Let somebody drive the messages",
     "Messages were posted early, nobody drove them while the program computed, and the wait found them undone. Try "
     "weft run "
     "--drive, or test them now and then.",
     {"inner(u);\nMPI_Waitall(n, r, MPI_STATUSES_IGNORE);",
      "for (int slab = 0; slab < slabs; ++slab) {\n  inner(u, slab);\n  MPI_Testall(n, r, &done, "
      "MPI_STATUSES_IGNORE);\n}\n"
      "MPI_Waitall(n, r, MPI_STATUSES_IGNORE);"},
     {"call inner(u)\ncall MPI_Waitall(n, r, MPI_STATUSES_IGNORE, ierr)",
      "do slab = 1, slabs\n  call inner(u, slab)\n  call MPI_Testall(n, r, done, MPI_STATUSES_IGNORE, ierr)\nend do\n"
      "call MPI_Waitall(n, r, MPI_STATUSES_IGNORE, ierr)"},
     {"inner(u)\nMPI.Request.Waitall(requests)",
      "for slab in slabs:\n    inner(u, slab)\n    MPI.Request.Testall(requests)\nMPI.Request.Waitall(requests)"}},
    {"synchronise",
     "One wait instead of several",
     "Each place at which a step waits costs a latency. Those of which none needs what another one brings can be one.",
     {"MPI_Wait(&halo, MPI_STATUS_IGNORE);\nMPI_Allreduce(&a, &sum, 1, ...);\nMPI_Allreduce(&b, &most, 1, ...);",
      "MPI_Iallreduce(&a, &sum, 1, ..., &r[1]);\nMPI_Iallreduce(&b, &most, 1, ..., &r[2]);\ncompute();\n"
      "MPI_Waitall(3, r, MPI_STATUSES_IGNORE);"},
     {"call MPI_Wait(halo, MPI_STATUS_IGNORE, ierr)\ncall MPI_Allreduce(a, sum, 1, ...)\ncall MPI_Allreduce(b, most, "
      "1, ...)",
      "call MPI_Iallreduce(a, sum, 1, ..., r(2), ierr)\ncall MPI_Iallreduce(b, most, 1, ..., r(3), ierr)\ncall "
      "compute()\n"
      "call MPI_Waitall(3, r, MPI_STATUSES_IGNORE, ierr)"},
     {"halo.Wait()\ncomm.Allreduce(a, total)\ncomm.Allreduce(b, most, op=MPI.MAX)",
      "requests = [halo, comm.Iallreduce(a, total), comm.Iallreduce(b, most, op=MPI.MAX)]\ncompute()\n"
      "MPI.Request.Waitall(requests)"}},
    {"coalesce",
     "Send together",
     "Several messages go to one rank between two waits. Packed into one they cost one message's start.",
     {"for (int f = 0; f < fields; ++f)\n  MPI_Isend(face[f], n, ..., peer, f, comm, &r[f]);",
      "for (int f = 0; f < fields; ++f)\n  memcpy(all + f * n, face[f], n * sizeof *all);\nMPI_Isend(all, fields * n, "
      "..., peer, 0, "
      "comm, &r[0]);"},
     {"do f = 1, fields\n  call MPI_Isend(face(:, f), n, ..., peer, f, comm, r(f), ierr)\nend do",
      "all = reshape(face, [n * fields])\ncall MPI_Isend(all, n * fields, ..., peer, 0, comm, r(1), ierr)"},
     {"requests = [comm.Isend(face, peer, tag) for tag, face in enumerate(faces)]",
      "together = numpy.concatenate(faces)\nrequests = [comm.Isend(together, peer)]"}},
};

}  // namespace

Remedy remedy_for(const std::string& what, const std::string& language) {
  Remedy remedy;
  for (const auto& kind : kinds) {
    if (what != kind.what) continue;
    const auto& lines = language == "fortran" ? kind.fortran : language == "python" ? kind.python : kind.c;
    remedy.title = kind.title;
    remedy.why = kind.why;
    remedy.before = lines.before;
    remedy.after = lines.after;
  }
  return remedy;
}

}  // namespace weft::run
