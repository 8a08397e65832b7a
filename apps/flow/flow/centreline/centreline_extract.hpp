// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/centreline/cut_sites.hpp"
#include "flow/centreline/cut_sums.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/step/lattice_client.hpp"
#include "geometry/domain.hpp"
#include "program/series.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// An extract along the centreline: flow, area and pressure across it, over time in NAME.csv, and averaged in
/// NAME_average.csv.
///
/// Each rank sums over its sites of each cut; ranks are only asked for theirs when something is written, so an average
/// costs no message. Sums are of integers: files are the same bytes on any number of ranks, and after a restart.
class CentrelineExtract {
 public:
  /// All are borrowed. Cuts of which less than three quarters lie in the vessel's sites (beyond an opening's disc) are
  /// left out. Collective; throws InputError on every rank if none is left.
  CentrelineExtract(Transport& transport, const Case& c, const ExtractCase& extract, const CutCentreline& line,
                    const geometry::Domain& domain, const LatticeClient& client, const Scaling& scaling);

  std::int64_t places() const { return places_; }
  /// Opens the tables; rows of steps below `keep_below` stay. Collective; throws InputError on every rank.
  void begin(std::int64_t keep_below);
  /// Before a step: adds what it is about to collide to the averages, and keeps it if it is to be written after the
  /// step.
  void look(std::int64_t step, bool is_due);
  /// What was kept, and the averages up to here. Returns the files. Collective; throws InputError on every rank.
  std::vector<std::filesystem::path> write(std::int64_t step);

  /// The averages' sums as an object of JSON, on every rank; and back: if they are
  /// of other cuts they begin anew. Collective.
  std::string state() const;
  void restore(const std::string& state);

 private:
  double pressure(std::size_t cut, const CutSum& sum, std::int64_t samples) const;  // Pa
  /// Of each place the cells of a table that follow the time.
  std::vector<std::string> rows(std::span<const CutSum> sums, std::int64_t samples) const;

  Transport& transport_;
  const Case& case_;
  const ExtractCase& extract_;
  const LatticeClient& client_;
  const Scaling& scaling_;
  CutCentreline line_;
  std::vector<std::vector<CutSite>> sites_;
  std::vector<double> areas_;  // of each cut's sites, voxels^2
  std::int64_t places_ = 0;
  CutAverages averages_;
  std::vector<CutSum> kept_;
  std::optional<program::SeriesWriter> series_{};  // on rank 0
};

}  // namespace weft::flow
