// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "geometry/domain.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::flow {

/// The cells of one rank, all of one VTK type, and their shared corners.
struct Mesh {
  std::uint8_t cell_type = 0;  ///< VTK's number of the type
  std::size_t corners_of_cell = 0;
  std::vector<std::array<float, 3>> corners{};  ///< m
  std::vector<std::uint32_t> cells{};           ///< the corners of each cell

  std::size_t cell_count() const { return cells.size() / corners_of_cell; }
};

/// A VTK_VOXEL around each of these sites (indices in Domain::sites). About 45 bytes per site.
Mesh voxel_mesh(const geometry::Domain& domain, std::span<const std::uint32_t> sites);
/// The same around all sites.
Mesh voxel_mesh(const geometry::Domain& domain);
/// A VTK_VERTEX at each point.
Mesh vertex_mesh(std::span<const geometry::Vector> points);

/// Values at the cells of a rank.
struct CellValues {
  std::string name;
  std::size_t components = 1;
  std::vector<double> values;  ///< for each cell its components in sequence
};

/// Writes values on a mesh as VTKHDF files: one per written step, static UnstructuredGrid of version 1.0, which
/// ParaView 5.11 and later open. One piece per rank; corners are shared within a rank. Besides the given values each
/// cell has its rank.
///
/// Rank 0 creates the file's layout and reserves its space on the disk, then every rank writes its own part with
/// MPI-IO; no rank holds the whole field. A file is written under a temporary name and renamed when complete. The file
/// NAME.vtkhdf.series in the same folder opens all of them as one time series.
class FieldWriter {
 public:
  /// Creates the directory. `communicator` must live as long as the writer. `voxel` (m) is stored in the files.
  /// Collective. Throws InputError on every rank.
  FieldWriter(mpi::Communicator& communicator, std::filesystem::path directory, Mesh mesh, double voxel,
              std::string name = "fields");
  ~FieldWriter();
  FieldWriter(FieldWriter&&) noexcept;

  /// For a restart: keeps the entries of an earlier run's index up to and including `step`. Collective.
  void keep_earlier(std::int64_t step);

  /// Writes one step and returns the file's path. Names and their order must be equal on every rank. Collective. Throws
  /// InputError on every rank if the directory can't be written or the disk is full; the unfinished file is removed.
  std::filesystem::path write(std::int64_t step, double time_s, std::span<const CellValues> values);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::flow
