// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "geometry/domain.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::flow {

/// Writes pressure and velocity as VTKHDF files: one a step, static UnstructuredGrid of version 1.0, which
/// ParaView 5.11 and all later ones open. One piece a rank; each site is a VTK_VOXEL cell around its position, and
/// corners are shared within a rank.
///
/// Rank 0 lays the file out and reserves its room on the disk, then every rank writes its own share by MPI-IO; no rank
/// holds the whole field. A file is written under a temporary name and renamed when complete. Beside the files lies
/// NAME.vtkhdf.series, which opens all of them as one time series. The writer keeps the mesh: about 45 bytes a site.
class FieldWriter {
 public:
  /// Makes the directory. `communicator` must live as long as the writer, `domain` need not. Collective.
  /// Throws InputError on every rank.
  FieldWriter(mpi::Communicator& communicator, std::filesystem::path directory, const geometry::Domain& domain,
              std::string name = "fields");
  ~FieldWriter();
  FieldWriter(FieldWriter&&) noexcept;

  /// Takes over what the index of an earlier run has up to and with `step`: for a run that goes on from there. Collective.
  void keep_earlier(std::int64_t step);

  /// Writes one step and returns the file's path. Values are in the order of Domain::sites. Collective.
  /// Throws InputError on every rank if the directory can't be written or the disk is full; the unfinished file is
  /// removed.
  std::filesystem::path write(std::int64_t step, double time_s, std::span<const double> pressure_pa,
                              std::span<const std::array<double, 3>> velocity_m_per_s);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::flow
