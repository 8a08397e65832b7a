// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/step/pressure_gauge.hpp"
#include "flow/vessel/lumen_cuts.hpp"
#include "geometry/domain.hpp"
#include "lattice/sparse_lattice.hpp"
#include "program/series.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// Flow through a cut and density on it, over one or more steps: sums of integers, so independent of the order of
/// addition.
struct CutSum {
  TickSum flow, density;  ///< units of 2^-40: lattice mass per step; (density - 1) x voxels^2
  double lowest = std::numeric_limits<double>::infinity();  ///< lowest density of any site and step

  void add(const CutSum& other);
};

/// This rank's contribution in one step, from its sites' state before collision. `momentum`: velocities are already
/// mass fluxes.
CutSum sum_over(const LumenCut& cut, std::span<const CutSite> sites, const lattice::SparseLattice& lattice,
                bool momentum);

/// The sums of all ranks, on every rank. Collective.
std::vector<CutSum> all_ranks(Transport& transport, std::span<const CutSum> mine);

/// Sums over the steps of a window of time.
struct CutWindow {
  std::int64_t samples = 0;
  double from_s = 0, to_s = 0;  ///< the first and the last step
  bool is_whole = false;        ///< the window began on time
  std::vector<CutSum> sums{};   ///< for each cut
};

/// Averages over the last complete beat, or without a period since the start.
class CutAverages {
 public:
  /// `period`, s; 0: none. Samples every `every` steps from `start_s` on.
  CutAverages(std::size_t cuts, double period, double start_s, std::int64_t every, double step_seconds);

  bool takes(std::int64_t step) const;
  void add(std::int64_t step, std::span<const CutSum> sums);
  /// The window to report after a step: the last complete beat, otherwise the current one.
  const CutWindow& window(std::int64_t step) const;

  struct State {
    std::int64_t beat = -1;
    CutWindow now{}, last{};
  };
  /// This rank's state.
  const State& state() const { return state_; }
  void restore(State state) { state_ = std::move(state); }

 private:
  double period_, start_s_;
  std::int64_t every_;
  double step_seconds_;
  std::size_t cuts_;
  State state_;
};

/// An extract along the centreline: flow, area and pressure of cross-sections, over time in NAME.csv, and averaged in
/// NAME_average.csv.
///
/// Each rank sums over its sites of each cut. The sums are reduced only when output is written, so an average needs no
/// messages. Sums are of integers: files are bitwise identical on any number of ranks, and after a restart.
class CentrelineExtract {
 public:
  /// All are borrowed. Cuts with less than three quarters of their area in the vessel's sites (beyond an opening's
  /// disc) are omitted. Collective; throws InputError on every rank if none is left.
  CentrelineExtract(Transport& transport, const Case& c, const ExtractCase& extract, const CutCentreline& line,
                    const geometry::Domain& domain, const LatticeClient& client, const Scaling& scaling);

  std::int64_t places() const { return places_; }
  /// Opens the tables; rows of steps below `keep_below` stay. Collective; throws InputError on every rank.
  void begin(std::int64_t keep_below);
  /// Before a step: samples the state, adds it to the averages, and keeps it if it is written after the step.
  void sample(std::int64_t step, bool is_due);
  /// Writes the kept sample and the averages so far. Returns the files. Collective; throws InputError on every rank.
  std::vector<std::filesystem::path> write(std::int64_t step);

  /// The averages' sums as a JSON object, on every rank; and restoring them: with other cuts the averages restart.
  /// Collective.
  std::string state() const;
  void restore(const std::string& state);

 private:
  double pressure(std::size_t cut, const CutSum& sum, std::int64_t samples) const;  // Pa
  /// For each place the cells of its table row after the time.
  std::vector<std::string> rows(std::span<const CutSum> sums, std::int64_t samples) const;

  Transport& transport_;
  const Case& case_;
  const ExtractCase& extract_;
  const LatticeClient& client_;
  const Scaling& scaling_;
  CutCentreline line_;
  std::vector<std::vector<CutSite>> sites_;
  std::vector<double> areas_;  // area of each cut's sites, voxels^2
  std::int64_t places_ = 0;
  CutAverages averages_;
  std::vector<CutSum> kept_;
  std::optional<program::SeriesWriter> series_{};  // on rank 0
};

}  // namespace weft::flow
