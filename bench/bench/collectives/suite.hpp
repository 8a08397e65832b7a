// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by the experiments of the suite.
#pragma once

#include <functional>
#include <memory>

#include "bench/collectives/collectives.hpp"
#include "bench/collectives/measure.hpp"
#include "bench/collectives/subject.hpp"

namespace weft::bench::collectives {

using Key = std::vector<std::pair<std::string, Report::Setting>>;

struct Suite {
  mpi::Communicator& world;
  const CollectivesOptions& options;
  GlobalClock& clock;
  Synchroniser& synchroniser;
  Report& report;
  bool patient;  ///< more ranks than cores
  std::size_t failed = 0;

  Group group() const { return {world.handle(), world.rank(), world.size(), &world}; }
  /// All operations in their kinds and sizes. Operations without data have one size. Collective.
  std::vector<std::unique_ptr<Subject>> subjects(const std::vector<Entry>& entries, const std::vector<Kind>& kinds,
                                                 const std::vector<std::size_t>& sizes) const;
  void measure(std::vector<Measurement>& all, double seconds, std::size_t fewest = 20) const;
  /// Adds a time to the report, and whether its results were right.
  void tell(const Measurement& m, Key key);
  /// Adds a ratio. It is only estimated on rank 0, which writes the report.
  void tell(const std::string& what, const std::function<Estimate()>& estimate, Key key);
};

Key key_of(const char* experiment, const Subject& subject);
/// A measurement of complete runs of a subject.
Measurement measurement_of(Subject& subject);

void times(Suite& suite, const std::vector<Entry>& entries, double seconds);
void delays(Suite& suite, const std::vector<Entry>& entries, double seconds);
void overlaps(Suite& suite, const std::vector<Entry>& entries, double seconds);

}  // namespace weft::bench::collectives
