// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/extracts/site_values.hpp"
#include "flow/extracts/triangle_values.hpp"
#include "flow/extracts/vtkhdf.hpp"
#include "flow/extracts/wall_stress.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/vessel/vessel.hpp"
#include "flow/vessel/wall_sites.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::flow {

/// Writes the values of an extract's sites on this rank in one step (for triangles all values, on rank 0) and returns
/// the file. Collective.
using WriteValues = std::function<std::filesystem::path(std::int64_t step, double time_s, std::span<const CellValues>)>;

/// The whole fields and a case's extracts, each with its own interval, and the averages that they need.
class Extracts {
 public:
  /// All are borrowed. Collective: throws InputError on every rank if an extract meets no site.
  Extracts(Transport& world, const Case& c, const Vessel& vessel, const LatticeClient& client,
           const Calendar& calendar);
  ~Extracts();

  /// Opens the outputs for a run that starts at `first_step`. If it is a restart (`goes_on`), the output of earlier
  /// steps stays. VTKHDF files are written by `disk`, or if that is null by `write`. Collective; throws InputError on
  /// every rank.
  void begin(mpi::Communicator* disk, const WriteValues& write, std::int64_t first_step, bool goes_on);

  /// What a step must store for them.
  lattice::Diagnostics diagnostics(std::int64_t step) const;
  /// Samples the centrelines' values from the state before a step, which needs no stored fields.
  void before_step(std::int64_t step);
  /// After a step: adds it to the averages. Collective.
  void average(std::int64_t step);
  /// Whether all of them are due after a step.
  bool are_all_due(std::int64_t step) const;
  /// Writes the outputs that are due after a step. `without_step`: at the end of a run without steps, writes all except
  /// tables (which an earlier run has written) and those that need the stress. Returns the files. Collective; throws
  /// InputError on every rank.
  std::vector<std::filesystem::path> write(std::int64_t step, bool without_step = false);

  /// Adds the sums along centrelines to a program's state (a JSON object), between two steps; and restores them.
  /// Collective.
  std::string with_state(const std::string& program_state) const;
  void restore(const std::string& program_state);

  const SiteValues& values() const { return values_; }
  const WallAverages& averages() const { return averages_; }
  WallAverages& averages() { return averages_; }
  /// For other users of the wall shear stress.
  WallStress& wall_stress() { return wall_stress_; }
  const WallStress& wall_stress() const { return wall_stress_; }

 private:
  struct Item;
  void begin(Item& item, mpi::Communicator* disk, const WriteValues& write, std::int64_t first_step,
             bool goes_on) const;
  bool is_due(const Item& item, std::int64_t step) const;
  std::vector<CellValues> values_of(const Item& item) const;

  Transport& world_;
  const Case& case_;
  const Vessel& vessel_;
  const LatticeClient& client_;
  const Calendar& calendar_;
  WallStress wall_stress_;
  std::span<const WallSite> walls_;  // if an output needs them
  WallAverages averages_;
  SiteValues values_;
  std::optional<TriangleValues> triangles_{};  // if an extract needs them
  std::vector<Item> items_;
};

/// Over all ranks: the number of sites (for a centreline places, for triangles those with values) of each extract of a
/// case without the whole fields, and the area of each section, m^2. Collective; throws InputError on every rank if one
/// meets no site.
struct ExtractCounts {
  std::vector<std::int64_t> sites;
  std::vector<double> areas;
};
ExtractCounts count_extracts(Transport& world, const Case& c, const Vessel& vessel);

}  // namespace weft::flow
