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
#include "flow/extracts/wall_averages.hpp"
#include "flow/extracts/wall_stress.hpp"
#include "flow/output/vtkhdf.hpp"
#include "flow/step/calendar.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/vessel/vessel.hpp"
#include "flow/vessel/wall_sites.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::flow {

/// Writes the values of an extract's sites on this rank in one step (of triangles all, on rank 0) and returns the file.
/// Collective.
using WriteValues = std::function<std::filesystem::path(std::int64_t step, double time_s, std::span<const CellValues>)>;

/// The whole fields and a case's extracts, each with its own steps, and the averages that they need.
class Extracts {
 public:
  /// All are borrowed. Collective: throws InputError on every rank if an extract meets no site.
  Extracts(Transport& world, const Case& c, const Vessel& vessel, const LatticeClient& client,
           const Calendar& calendar);
  ~Extracts();

  /// Makes the files' folder and what they need, for a run whose first step this is: what an earlier one wrote before
  /// it stays if the run goes on from there. VTKHDF files are written by `disk`, or where there is none by `write`.
  /// Collective; throws InputError on every rank.
  void begin(mpi::Communicator* disk, const WriteValues& write, std::int64_t first_step, bool goes_on);

  /// What a step has to leave for them.
  lattice::Look look(std::int64_t step) const;
  /// Keeps what is written or averaged of the state before a step, where no field has to be left for it.
  void before_step(std::int64_t step);
  /// When a step is done: adds it to the averages. Collective.
  void average(std::int64_t step);
  /// Whether each of them is written after a step.
  bool are_all_due(std::int64_t step) const;
  /// Writes what is due after a step, or at the end of a run that made none all that needs no stress, tables left out
  /// (an earlier run has written them). Returns the files. Collective; throws InputError on every rank.
  std::vector<std::filesystem::path> write(std::int64_t step, bool without_step = false);

  /// Puts the sums along centrelines into a program's state (an object of JSON), between two steps; and back.
  /// Collective.
  std::string with_state(const std::string& program_state) const;
  void restore(const std::string& program_state);

  const SiteValues& values() const { return values_; }
  const WallAverages& averages() const { return averages_; }
  WallAverages& averages() { return averages_; }
  /// For who shows it besides.
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
  std::span<const WallSite> walls_;  // where anything needs them
  WallAverages averages_;
  SiteValues values_;
  std::optional<TriangleValues> triangles_{};  // if there is an extract of them
  std::vector<Item> items_;
};

/// Of all ranks: the sites (of a centreline the places, of triangles those that have values) of each extract of a case,
/// the whole fields left out, and the area of each section, m^2. Collective; throws InputError on every rank if one
/// meets no site.
struct ExtractCounts {
  std::vector<std::int64_t> sites;
  std::vector<double> areas;
};
ExtractCounts count_extracts(Transport& world, const Case& c, const Vessel& vessel);

}  // namespace weft::flow
