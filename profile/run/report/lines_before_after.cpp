// SPDX-License-Identifier: BSD-3-Clause
#include "run/report/lines_before_after.hpp"

#include <algorithm>
#include <array>

#include "run/report/names.hpp"

namespace weft::run {
namespace {

BeforeAfter c_lines(What what) {
  switch (what) {
    case What::post_earlier:
      return {
          "MPI_Sendrecv(edge, n, MPI_DOUBLE, up, 0,\n             halo, n, "
          "MPI_DOUBLE, down, 0, comm, &status);\n"
          "compute_interior();\ncompute_edge(halo);",
          "MPI_Irecv(halo, n, MPI_DOUBLE, down, 0, comm, &r[0]);\n"
          "MPI_Isend(edge, n, MPI_DOUBLE, up, 0, comm, &r[1]);\n"
          "compute_interior();          /* needs no halo */\nMPI_Waitall(2, "
          "r, MPI_STATUSES_IGNORE);\ncompute_edge(halo);"};
    case What::start_collective:
      return {
          "MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, "
          "comm);\nupdate_fields();\nuse(sum);",
          "MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, &r);\n"
          "update_fields();             /* needs no sum */\nMPI_Wait(&r, "
          "MPI_STATUS_IGNORE);\nuse(sum);"};
    case What::wait_later:
      return {
          "MPI_Irecv(halo, n, MPI_DOUBLE, down, 0, comm, "
          "&r[0]);\nMPI_Isend(edge, n, MPI_DOUBLE, up, 0, comm, &r[1]);\n"
          "MPI_Waitall(2, r, "
          "MPI_STATUSES_IGNORE);\ncompute_interior();\ncompute_edge(halo);",
          "MPI_Irecv(halo, n, MPI_DOUBLE, down, 0, comm, "
          "&r[0]);\nMPI_Isend(edge, n, MPI_DOUBLE, up, 0, comm, &r[1]);\n"
          "compute_interior();          /* needs no halo */\nMPI_Waitall(2, "
          "r, MPI_STATUSES_IGNORE);\ncompute_edge(halo);"};
    case What::one_wait:
      return {
          "MPI_Wait(&west, MPI_STATUS_IGNORE);\nMPI_Wait(&east, "
          "MPI_STATUS_IGNORE);\n"
          "MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);",
          "MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, &r[2]);\n"
          "MPI_Waitall(3, r, MPI_STATUSES_IGNORE);   /* west, east, sum */"};
    case What::send_together:
      return {
          "for (int f = 0; f < 4; ++f)\n  MPI_Isend(edge[f], n, MPI_DOUBLE, "
          "up, f, comm, &r[f]);",
          "for (int f = 0; f < 4; ++f)\n  memcpy(packed + f * n, edge[f], n "
          "* sizeof(double));\n"
          "MPI_Isend(packed, 4 * n, MPI_DOUBLE, up, 0, comm, &r[0]);"};
    case What::helper_thread: break;
  }
  return {"weft run -- mpirun -n 8 ./program", "weft run --drive -- mpirun -n 8 ./program"};
}

BeforeAfter fortran_lines(What what) {
  switch (what) {
    case What::post_earlier:
      return {
          "call MPI_Sendrecv(edge, n, MPI_DOUBLE_PRECISION, up, 0, &\n"
          "     halo, n, MPI_DOUBLE_PRECISION, down, 0, comm, status, "
          "ierr)\ncall compute_interior()\ncall compute_edge(halo)",
          "call MPI_Irecv(halo, n, MPI_DOUBLE_PRECISION, down, 0, comm, "
          "r(1), ierr)\n"
          "call MPI_Isend(edge, n, MPI_DOUBLE_PRECISION, up, 0, comm, r(2), "
          "ierr)\n"
          "call compute_interior()      ! needs no halo\ncall MPI_Waitall(2, "
          "r, MPI_STATUSES_IGNORE, ierr)\n"
          "call compute_edge(halo)      ! halo, edge: asynchronous"};
    case What::start_collective:
      return {
          "call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, &\n     "
          "MPI_SUM, comm, ierr)\ncall update_fields()\n"
          "call use_total(total)",
          "call MPI_Iallreduce(mine, total, 1, MPI_DOUBLE_PRECISION, &\n     "
          "MPI_SUM, comm, r, ierr)\n"
          "call update_fields()         ! needs no total\ncall MPI_Wait(r, "
          "MPI_STATUS_IGNORE, ierr)\ncall use_total(total)"};
    case What::wait_later:
      return {
          "call MPI_Irecv(halo, n, MPI_DOUBLE_PRECISION, down, 0, comm, "
          "r(1), ierr)\n"
          "call MPI_Isend(edge, n, MPI_DOUBLE_PRECISION, up, 0, comm, r(2), "
          "ierr)\n"
          "call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)\ncall "
          "compute_interior()\ncall compute_edge(halo)",
          "call MPI_Irecv(halo, n, MPI_DOUBLE_PRECISION, down, 0, comm, "
          "r(1), ierr)\n"
          "call MPI_Isend(edge, n, MPI_DOUBLE_PRECISION, up, 0, comm, r(2), "
          "ierr)\n"
          "call compute_interior()      ! needs no halo\ncall MPI_Waitall(2, "
          "r, MPI_STATUSES_IGNORE, ierr)\n"
          "call compute_edge(halo)"};
    case What::one_wait:
      return {
          "call MPI_Wait(west, MPI_STATUS_IGNORE, ierr)\ncall MPI_Wait(east, "
          "MPI_STATUS_IGNORE, ierr)\n"
          "call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, &\n     "
          "MPI_SUM, comm, ierr)",
          "call MPI_Iallreduce(mine, total, 1, MPI_DOUBLE_PRECISION, &\n     "
          "MPI_SUM, comm, r(3), ierr)\n"
          "call MPI_Waitall(3, r, MPI_STATUSES_IGNORE, ierr)  ! west, east, "
          "total"};
    case What::send_together:
      return {
          "do f = 1, 4\n  call MPI_Isend(edge(:, f), n, "
          "MPI_DOUBLE_PRECISION, up, f, comm, r(f), ierr)\nend do",
          "packed = reshape(edge, [4 * n])\n"
          "call MPI_Isend(packed, 4 * n, MPI_DOUBLE_PRECISION, up, 0, comm, "
          "r(1), ierr)"};
    case What::helper_thread: break;
  }
  return c_lines(what);
}

BeforeAfter python_lines(What what) {
  switch (what) {
    case What::post_earlier:
      return {
          "comm.Sendrecv(edge, up, 0, halo, down, "
          "0)\ncompute_interior()\ncompute_edge(halo)",
          "r = [comm.Irecv(halo, down, 0), comm.Isend(edge, up, "
          "0)]\ncompute_interior()      # needs no halo\n"
          "MPI.Request.Waitall(r)\ncompute_edge(halo)"};
    case What::start_collective:
      return {"comm.Allreduce(mine, total)\nupdate_fields()\nuse(total)",
              "r = comm.Iallreduce(mine, total)\nupdate_fields()         # needs "
              "no total\nr.Wait()\nuse(total)"};
    case What::wait_later:
      return {
          "r = [comm.Irecv(halo, down, 0), comm.Isend(edge, up, "
          "0)]\nMPI.Request.Waitall(r)\ncompute_interior()\n"
          "compute_edge(halo)",
          "r = [comm.Irecv(halo, down, 0), comm.Isend(edge, up, "
          "0)]\ncompute_interior()      # needs no halo\n"
          "MPI.Request.Waitall(r)\ncompute_edge(halo)"};
    case What::one_wait:
      return {"west.Wait()\neast.Wait()\ncomm.Allreduce(mine, total)",
              "r = comm.Iallreduce(mine, total)\nMPI.Request.Waitall([west, "
              "east, r])"};
    case What::send_together:
      return {"for f in range(4):\n    r.append(comm.Isend(edge[f], up, f))",
              "packed = numpy.concatenate(edge)\nr.append(comm.Isend(packed, up, "
              "0))"};
    case What::helper_thread: break;
  }
  return {"weft run -- mpirun -n 8 python3 program.py", "weft run --drive -- mpirun -n 8 python3 program.py"};
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

Language language_of(const Reading& reading) {
  std::array<double, 3> seconds{};
  for (const auto& site : reading.sites) {
    const auto file = site.file.empty() ? site.place.substr(0, site.place.find(':')) : site.file;
    auto language = is_fortran(file) ? Language::fortran : Language::c;
    if (ends_with(file, ".py") || site.module.find("python") != std::string::npos ||
        site.module.find("mpi4py") != std::string::npos)
      language = Language::python;
    seconds[static_cast<std::size_t>(language)] += site.seconds;
  }
  return static_cast<Language>(std::ranges::max_element(seconds) - seconds.begin());
}

BeforeAfter lines_of(What what, Language language) {
  return language == Language::fortran  ? fortran_lines(what)
         : language == Language::python ? python_lines(what)
                                        : c_lines(what);
}

}  // namespace weft::run
