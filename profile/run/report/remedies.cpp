// SPDX-License-Identifier: BSD-3-Clause
#include "run/report/remedies.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "run/report/text.hpp"
#include "weft/names.hpp"

namespace weft::run {
namespace {

constexpr Names<What> what_names("remedy", {{What::post_earlier, "post earlier"},
                                            {What::start_collective, "start the collective earlier"},
                                            {What::wait_later, "wait later"},
                                            {What::one_wait, "wait once"},
                                            {What::send_together, "aggregate messages"},
                                            {What::progress_thread, "progress thread"}});

BeforeAfter c_lines(What what) {
  const auto* const waits_later =
      R"(MPI_Irecv(halo, n, MPI_DOUBLE, down, 0, comm, &r[0]);
MPI_Isend(edge, n, MPI_DOUBLE, up, 0, comm, &r[1]);
compute_interior();          /* needs no halo */
MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
compute_edge(halo);)";
  switch (what) {
    case What::post_earlier:
      return {
          R"(MPI_Sendrecv(edge, n, MPI_DOUBLE, up, 0,
             halo, n, MPI_DOUBLE, down, 0, comm, &status);
compute_interior();
compute_edge(halo);)",
          waits_later};
    case What::start_collective:
      return {
          R"(MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
update_fields();
use(sum);)",
          R"(MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, &r);
update_fields();             /* needs no sum */
MPI_Wait(&r, MPI_STATUS_IGNORE);
use(sum);)"};
    case What::wait_later:
      return {
          R"(MPI_Irecv(halo, n, MPI_DOUBLE, down, 0, comm, &r[0]);
MPI_Isend(edge, n, MPI_DOUBLE, up, 0, comm, &r[1]);
MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
compute_interior();
compute_edge(halo);)",
          waits_later};
    case What::one_wait:
      return {
          R"(MPI_Wait(&west, MPI_STATUS_IGNORE);
MPI_Wait(&east, MPI_STATUS_IGNORE);
MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);)",
          R"(MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, &r[2]);
MPI_Waitall(3, r, MPI_STATUSES_IGNORE);   /* west, east, sum */)"};
    case What::send_together:
      return {
          R"(for (int f = 0; f < 4; ++f)
  MPI_Isend(edge[f], n, MPI_DOUBLE, up, f, comm, &r[f]);)",
          R"(for (int f = 0; f < 4; ++f)
  memcpy(packed + f * n, edge[f], n * sizeof(double));
MPI_Isend(packed, 4 * n, MPI_DOUBLE, up, 0, comm, &r[0]);)"};
    case What::progress_thread: break;
  }
  return {"weft run -- mpirun -n 8 ./program", "weft run --drive -- mpirun -n 8 ./program"};
}

BeforeAfter fortran_lines(What what) {
  switch (what) {
    case What::post_earlier:
      return {
          R"(call MPI_Sendrecv(edge, n, MPI_DOUBLE_PRECISION, up, 0, &
     halo, n, MPI_DOUBLE_PRECISION, down, 0, comm, status, ierr)
call compute_interior()
call compute_edge(halo))",
          R"(call MPI_Irecv(halo, n, MPI_DOUBLE_PRECISION, down, 0, comm, r(1), ierr)
call MPI_Isend(edge, n, MPI_DOUBLE_PRECISION, up, 0, comm, r(2), ierr)
call compute_interior()      ! needs no halo
call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
call compute_edge(halo)      ! halo, edge: asynchronous)"};
    case What::start_collective:
      return {
          R"(call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, &
     MPI_SUM, comm, ierr)
call update_fields()
call use_total(total))",
          R"(call MPI_Iallreduce(mine, total, 1, MPI_DOUBLE_PRECISION, &
     MPI_SUM, comm, r, ierr)
call update_fields()         ! needs no total
call MPI_Wait(r, MPI_STATUS_IGNORE, ierr)
call use_total(total))"};
    case What::wait_later:
      return {
          R"(call MPI_Irecv(halo, n, MPI_DOUBLE_PRECISION, down, 0, comm, r(1), ierr)
call MPI_Isend(edge, n, MPI_DOUBLE_PRECISION, up, 0, comm, r(2), ierr)
call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
call compute_interior()
call compute_edge(halo))",
          R"(call MPI_Irecv(halo, n, MPI_DOUBLE_PRECISION, down, 0, comm, r(1), ierr)
call MPI_Isend(edge, n, MPI_DOUBLE_PRECISION, up, 0, comm, r(2), ierr)
call compute_interior()      ! needs no halo
call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
call compute_edge(halo))"};
    case What::one_wait:
      return {
          R"(call MPI_Wait(west, MPI_STATUS_IGNORE, ierr)
call MPI_Wait(east, MPI_STATUS_IGNORE, ierr)
call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, &
     MPI_SUM, comm, ierr))",
          R"(call MPI_Iallreduce(mine, total, 1, MPI_DOUBLE_PRECISION, &
     MPI_SUM, comm, r(3), ierr)
call MPI_Waitall(3, r, MPI_STATUSES_IGNORE, ierr)  ! west, east, total)"};
    case What::send_together:
      return {
          R"(do f = 1, 4
  call MPI_Isend(edge(:, f), n, MPI_DOUBLE_PRECISION, up, f, comm, r(f), ierr)
end do)",
          R"(packed = reshape(edge, [4 * n])
call MPI_Isend(packed, 4 * n, MPI_DOUBLE_PRECISION, up, 0, comm, r(1), ierr))"};
    case What::progress_thread: break;
  }
  return c_lines(what);
}

BeforeAfter python_lines(What what) {
  const auto* const waits_later =
      R"(r = [comm.Irecv(halo, down, 0), comm.Isend(edge, up, 0)]
compute_interior()      # needs no halo
MPI.Request.Waitall(r)
compute_edge(halo))";
  switch (what) {
    case What::post_earlier:
      return {
          R"(comm.Sendrecv(edge, up, 0, halo, down, 0)
compute_interior()
compute_edge(halo))",
          waits_later};
    case What::start_collective:
      return {R"(comm.Allreduce(mine, total)
update_fields()
use(total))",
              R"(r = comm.Iallreduce(mine, total)
update_fields()         # needs no total
r.Wait()
use(total))"};
    case What::wait_later:
      return {
          R"(r = [comm.Irecv(halo, down, 0), comm.Isend(edge, up, 0)]
MPI.Request.Waitall(r)
compute_interior()
compute_edge(halo))",
          waits_later};
    case What::one_wait:
      return {R"(west.Wait()
east.Wait()
comm.Allreduce(mine, total))",
              R"(r = comm.Iallreduce(mine, total)
MPI.Request.Waitall([west, east, r]))"};
    case What::send_together:
      return {R"(for f in range(4):
    r.append(comm.Isend(edge[f], up, f)))",
              R"(packed = numpy.concatenate(edge)
r.append(comm.Isend(packed, up, 0)))"};
    case What::progress_thread: break;
  }
  return {"weft run -- mpirun -n 8 python3 program.py", "weft run --drive -- mpirun -n 8 python3 program.py"};
}

using Site = Reading::Site;

// Whether messages of this site may be in flight while the program is outside MPI.
bool is_posted(const Site& site) {
  if (!site.kind.empty()) return site.kind.rfind("post_", 0) == 0 || is_wait(site);
  return site.call.rfind("MPI_I", 0) == 0 || site.call.rfind("MPI_Start", 0) == 0 || is_wait(site);
}

struct Found {
  const Reading& reading;
  const Hotspots& places;
  std::vector<Remedy> all;

  // The places of these sites, without duplicates.
  std::vector<std::size_t> where(const std::vector<std::size_t>& sites) const {
    std::vector<std::size_t> numbers;
    for (const auto i : sites)
      if (const auto at = places.of_site.find(i);
          at != places.of_site.end() && std::ranges::find(numbers, at->second) == numbers.end())
        numbers.push_back(at->second);
    std::ranges::sort(numbers);
    return numbers;
  }

  void add(What what, std::string because, const std::vector<std::size_t>& sites, double gain) {
    if (gain > 0) all.push_back({what, what_names.of(what), std::move(because), where(sites), gain});
  }

  std::vector<std::size_t> sites_of(const Reading::Advice& advice) const {
    std::vector<std::size_t> sites;
    for (std::size_t i = 0; i < reading.sites.size(); ++i)
      if (std::ranges::find(advice.places, reading.sites[i].place) != advice.places.end()) sites.push_back(i);
    return sites;
  }

  double exposed_at(std::size_t i) const {
    return reading.sites[i].step_messages * reading.sites[i].exposed_of_message;
  }

  // Splits the exposed time among blocking calls, blocking collectives, and waits that are too early.
  void add_exposed(const Reading::Advice& advice) {
    std::array<double, 3> weights{};
    std::array<std::vector<std::size_t>, 3> sites;
    auto meant = sites_of(advice);
    double at_meant = 0;
    for (const auto i : meant) at_meant += exposed_at(i);
    if (at_meant < advice.gain_seconds) {
      meant.resize(reading.sites.size());
      std::iota(meant.begin(), meant.end(), std::size_t{0});
    }
    for (const auto i : meant) {
      const auto& site = reading.sites[i];
      const double weight = exposed_at(i);
      if (weight <= 0) continue;
      const std::size_t kind = is_posted(site) ? 2 : is_collective(site) ? 1 : 0;
      weights[kind] += weight;
      sites[kind].push_back(i);
    }
    const double sum = weights[0] + weights[1] + weights[2];
    if (sum <= 0)
      return add(What::post_earlier, "The program waits for messages right after it posts them.", meant,
                 advice.gain_seconds);
    const double share = std::min(1.0, advice.gain_seconds / sum);
    add(What::post_earlier, "Blocking calls wait for messages, with computation left that could overlap them.",
        sites[0], share * weights[0]);
    add(What::start_collective,
        "The program waits in a blocking collective, with computation left that could overlap it.", sites[1],
        share * weights[1]);
    // The waits have to be moved.
    std::vector<std::size_t> waits;
    for (std::size_t i = 0; i < reading.sites.size(); ++i)
      if (is_wait(reading.sites[i]) && reading.sites[i].exposed_seconds > 0) waits.push_back(i);
    add(What::wait_later,
        "The program waits for messages soon after it posts them, with computation left that could overlap them.",
        waits.empty() ? sites[2] : waits, share * weights[2]);
  }
};

}  // namespace

Language language_of(const Reading& reading) {
  std::array<double, 3> seconds{};
  for (const auto& site : reading.sites) {
    const auto file = site.file.empty() ? site.place.substr(0, site.place.find(':')) : site.file;
    auto language = is_fortran(file) ? Language::fortran : Language::c;
    if (file.ends_with(".py") || site.module.find("python") != std::string::npos ||
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

std::vector<Remedy> remedies_of(const Reading& reading, const Hotspots& places) {
  Found found{reading, places, {}};
  for (const auto& advice : reading.advice) {
    const auto sites = found.sites_of(advice);
    if (advice.what == "post_earlier") found.add_exposed(advice);
    if (advice.what == "wait_later")
      found.add(What::wait_later, "The program waits for messages soon after it posts them.", sites,
                advice.gain_seconds);
    if (advice.what == "synchronise")
      found.add(What::one_wait,
                (reading.sync_points > 1 ? "A step has " + count(reading.sync_points) + " waits and collectives"
                                         : std::string("Waits and collectives follow each other")) +
                    "; where none depends on the data of another, they can be one wait.",
                sites, advice.gain_seconds);
    if (advice.what == "coalesce")
      found.add(What::send_together, "Several messages go to one rank between two waits; they can be one.", sites,
                advice.gain_seconds);
    if (advice.what == "progress_thread" && !reading.progress_thread && !reading.waits_yield)
      found.add(
          What::progress_thread,
          "Messages were posted early, but made no progress before the wait. A progress thread needs no change of "
          "the program.",
          sites, advice.gain_seconds);
  }
  std::ranges::stable_sort(found.all, std::greater<>(), &Remedy::gain_seconds);
  return found.all;
}

}  // namespace weft::run
