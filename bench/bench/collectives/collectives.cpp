// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/collectives.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "bench/collectives/delay_pattern.hpp"
#include "bench/collectives/suite.hpp"
#include "weft/error.hpp"
#include "weft/simulated.hpp"
#include "weft/transport/collectives.hpp"

extern char** environ;

namespace weft::bench {

namespace {

using namespace collectives;

// "host 0-3,8": the cores that this rank may run on.
std::string place() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::string text = host.data();
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return text;
  char separator = ' ';
  for (int c = 0; c < CPU_SETSIZE; ++c) {
    if (!CPU_ISSET(c, &cores)) continue;
    const int first = c;
    while (c + 1 < CPU_SETSIZE && CPU_ISSET(c + 1, &cores)) ++c;
    text += fmt::format("{}{}", separator, first);
    if (c > first) text += fmt::format("-{}", c);
    separator = ',';
  }
  return text;
}

// The environment variables that configure an MPI library (its progress, algorithms, network). No other variables are
// reported.
std::string environment() {
  constexpr std::array<std::string_view, 7> prefixes{"OMPI_MCA_", "MPIR_CVAR_", "MPICH_", "I_MPI_",
                                                     "MV2_",      "FI_",        "UCX_"};
  // Set by mpirun for each rank, and different in each run.
  constexpr std::array<std::string_view, 5> left_out{"OMPI_MCA_orte_", "OMPI_MCA_ess", "OMPI_MCA_pmix",
                                                     "OMPI_MCA_initial_wdir", "OMPI_MCA_shmem_RUNTIME"};
  std::vector<std::string> found;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const auto begins = [&](std::string_view prefix) { return text.starts_with(prefix); };
    if (std::any_of(prefixes.begin(), prefixes.end(), begins) && std::none_of(left_out.begin(), left_out.end(), begins))
      found.emplace_back(text);
  }
  std::sort(found.begin(), found.end());
  return fmt::format("{}", fmt::join(found, " "));
}

template <class Items, class NameOf>
std::string listed(const Items& items, const NameOf& name) {
  std::string text;
  for (const auto& item : items) text += fmt::format("{}{}", text.empty() ? "" : ",", name(item));
  return text;
}

// Reports the options and other influences on the times: the placement of the ranks and MPI's environment variables.
// Collective.
void tell_settings(Report& report, mpi::Communicator& world, const CollectivesOptions& o, double seconds,
                   bool patient) {
  const auto places = all_gather(world, place());
  std::string placement;  // consecutive ranks with the same place are combined
  for (std::size_t r = 0; r < places.size(); ++r) {
    std::size_t last = r;
    while (last + 1 < places.size() && places[last + 1] == places[r]) ++last;
    if (!placement.empty()) placement += "; ";
    placement += fmt::format("{}{}: {}", r, last > r ? fmt::format("-{}", last) : "", places[r]);
    r = last;
  }
  int version = 0, subversion = 0;
  MPI_Get_version(&version, &subversion);
  report.setting("mpi_standard", fmt::format("{}.{}", version, subversion));
  report.setting("placement", placement);
  report.setting("environment", environment());
  report.setting("kinds", listed(o.kinds, [](Kind k) { return kind_names.of(k); }));
  report.setting("sync", sync_names.of(o.sync));
  report.setting("waiting", patient ? "test and yield" : "MPI_Wait");
  report.setting("delayed", o.delayed);
  report.setting("progress", listed(o.progress, [](auto k) { return weft::name_of(k); }));
  report.setting("poll_us", o.poll_us);
  report.setting("ratio", o.ratio);
  report.setting("seed", o.seed);
  report.setting("seconds", seconds);
  if (!have_persistent()) {
    report.note("Persistent collectives are not measured (the MPI library has none).");
  } else {
    std::string wrong;
    for (const auto& entry : operations())
      if (!can(entry, Kind::persistent)) wrong += (wrong.empty() ? "" : ", ") + entry.name;
    if (!wrong.empty())
      report.note("These persistent collectives are not measured (this MPI library computes wrong results): " + wrong +
                  ".");
  }
}

std::vector<Entry> chosen(const std::vector<Entry>& entries, const std::vector<std::string>& names) {
  std::vector<Entry> result;
  for (const auto& name : names) {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == name; });
    if (found != entries.end()) {
      result.push_back(*found);
      continue;
    }
    std::string known;
    for (const auto& e : entries) known += (known.empty() ? "" : ", ") + e.name;
    throw InputError("'" + name + "' is not an operation. Use some of " + known + ".", true);
  }
  return result;
}

// CRESTA's choice, if no operations are named.
std::vector<Entry> of(const std::vector<Entry>& entries, const std::vector<std::string>& names) {
  std::vector<Entry> result;
  for (const auto& e : entries)
    if (std::find(names.begin(), names.end(), e.name) != names.end()) result.push_back(e);
  return result;
}

}  // namespace

int collectives_suite(mpi::Communicator& world, const CollectivesOptions& options, const std::vector<Entry>& entries) {
  const bool named = !options.operations.empty();
  const auto wanted = named ? chosen(entries, options.operations) : entries;
  // MPI counts are int; in uneven operations every other rank has half as many numbers more.
  const auto most = std::numeric_limits<int>::max() / 3 * 2 / world.size();
  for (const auto bytes : options.sizes) {
    if (bytes / sizeof(double) > static_cast<std::size_t>(most))
      throw InputError(fmt::format("{} bytes are too much for {} ranks (MPI counts are int). Give smaller --sizes.",
                                   bytes, world.size()),
                       true);
    if (bytes == 0 || bytes % sizeof(double) != 0)
      throw InputError(
          fmt::format("{} bytes can't be sent (the data are numbers of 8 bytes). Give multiples of 8 as --sizes.",
                      bytes),
          true);
  }

  // Checks the pattern before anything is measured.
  if (options.delay && world.size() > 1) delay_pattern(world, options.delayed, options.seed);

  Report report("collectives", world, options);
  const double seconds = options.seconds_or(30, 300);
  const bool patient = report.more_ranks_than_cores();
  tell_settings(report, world, options, seconds, patient);

  GlobalClock clock(world,
                    {.pings = simulated::here ? std::size_t{2} : ClockOptions{}.pings});  // simulated clocks agree
  Synchroniser synchroniser(world, clock, options.sync, patient);
  Suite suite{world, options, clock, synchroniser, report, patient};
  const double parts = (options.time ? 1.0 : 0) + (options.delay ? 1.0 : 0) + (options.overlap ? 1.0 : 0);
  if (options.time) times(suite, wanted, seconds / parts);
  if (options.delay) delays(suite, named ? wanted : of(entries, {"barrier", "allreduce", "alltoall"}), seconds / parts);
  if (options.overlap) overlaps(suite, named ? wanted : of(entries, {"allreduce", "alltoall"}), seconds / parts);
  report.figure("failed_checks", static_cast<double>(suite.failed));
  report.finish(world);
  return suite.failed > 0 ? 1 : 0;
}

}  // namespace weft::bench
