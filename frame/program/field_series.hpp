// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "program/hdf5_layout.hpp"
#include "program/shared_file.hpp"
#include "weft/mpi/communicator.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace program {

/// A time series of VTKHDF files, one per step, and an index NAME.vtkhdf.series that opens all of them as one.
///
/// Rank 0 creates a file and reserves its disk space, then every rank writes its own share by MPI-IO. No rank holds the
/// whole field. A file is written under a temporary name and renamed when it is complete.
class FieldSeries {
 public:
  /// Adds the groups, attributes and datasets. Runs on rank 0.
  using LayOut = std::function<void(hdf5::Layout&)>;
  /// Writes this rank's shares. `offsets` has the start of each dataset, in the order in which they were added. Runs on
  /// every rank and may be collective, so if it throws, it must throw on every rank: see together().
  using Put = std::function<void(SharedFile&, std::span<const std::int64_t> offsets)>;

  /// Creates the directory. `communicator` must outlive the series. Collective. Throws InputError on every rank.
  FieldSeries(mpi::Communicator& communicator, std::filesystem::path directory, std::string name);

  /// For a restart: takes over the entries of an earlier run's index up to and including `step`, if their files exist.
  /// Collective.
  void keep_earlier(std::int64_t step);

  /// Writes the file of one step and returns its path. `enough_bytes` is an upper bound of its size. Collective. Throws
  /// InputError on every rank if the directory can't be written or the disk is full; the unfinished file is removed.
  std::filesystem::path write(std::int64_t step, double time, std::int64_t enough_bytes, const LayOut& lay_out,
                              const Put& put);

 private:
  struct Written {
    std::string file;
    double time;
  };
  void write_index() const;

  mpi::Communicator& communicator_;
  std::filesystem::path directory_;
  std::string name_;
  std::vector<Written> written_;  // on rank 0
};

}  // namespace program
}  // namespace weft
