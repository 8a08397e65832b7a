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

namespace weft::program {

/// A time series of VTKHDF files, one a step, and beside them NAME.vtkhdf.series, which opens all of them as one.
///
/// Rank 0 lays a file out and reserves its room on the disk, then every rank writes its own share by MPI-IO; no rank
/// holds the whole field. A file is written under a temporary name and renamed when complete.
class FieldSeries {
 public:
  /// Adds the groups, attributes and datasets. Runs on rank 0.
  using LayOut = std::function<void(hdf5::Layout&)>;
  /// Writes this rank's shares; `offsets` says where each dataset begins, in the order they were added. Runs on every
  /// rank and may be collective, so what it throws it has to throw on every rank: see together().
  using Put = std::function<void(SharedFile&, std::span<const std::int64_t> offsets)>;

  /// Makes the directory. `communicator` must live as long as the series. Collective. Throws InputError on every rank.
  FieldSeries(mpi::Communicator& communicator, std::filesystem::path directory, std::string name);

  /// Takes over the entries of an index that an earlier run left, up to and with `step`, if their files are there: for
  /// a run that goes on from there. Collective.
  void keep_earlier(std::int64_t step);

  /// Writes the file of one step and returns its path. `enough_bytes` is not less than its size. Collective.
  /// Throws InputError on every rank if the directory can't be written or the disk is full; the unfinished file is
  /// removed.
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

}  // namespace weft::program
