// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "bench/collectives/delay_pattern.hpp"
#include "bench/collectives/settings.hpp"
#include "bench/collectives/suite.hpp"
#include "weft/error.hpp"
#include "weft/simulated.hpp"

namespace weft::bench {
namespace {

using namespace collectives;

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
  const double seconds = options.seconds > 0 ? options.seconds : options.quick ? 30 : 300;
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
