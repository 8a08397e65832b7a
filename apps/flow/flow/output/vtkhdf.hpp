// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "flow/output/mesh.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::flow {

/// Values of each cell of a rank.
struct CellValues {
  std::string name;
  std::size_t components = 1;
  std::vector<double> values;  ///< of each cell its components, one after the other
};

/// Writes values on a mesh as VTKHDF files: one a step, static UnstructuredGrid of version 1.0, which ParaView 5.11 and
/// all later ones open. One piece a rank, corners are shared within a rank; besides what is given, each cell has its
/// rank.
///
/// Rank 0 lays the file out and reserves its room on the disk, then every rank writes its own share by MPI-IO; no rank
/// holds the whole field. A file is written under a temporary name and renamed when complete. Beside the files lies
/// NAME.vtkhdf.series, which opens all of them as one time series.
class FieldWriter {
 public:
  /// Makes the directory. `communicator` must live as long as the writer. `voxel` is told in the files, m. Collective.
  /// Throws InputError on every rank.
  FieldWriter(mpi::Communicator& communicator, std::filesystem::path directory, Mesh mesh, double voxel,
              std::string name = "fields");
  ~FieldWriter();
  FieldWriter(FieldWriter&&) noexcept;

  /// Takes over what the index of an earlier run has up to and with `step`: for a run that goes on from there.
  /// Collective.
  void keep_earlier(std::int64_t step);

  /// Writes one step and returns the file's path. The same names in the same order on every rank. Collective.
  /// Throws InputError on every rank if the directory can't be written or the disk is full; the unfinished file is
  /// removed.
  std::filesystem::path write(std::int64_t step, double time_s, std::span<const CellValues> values);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::flow
