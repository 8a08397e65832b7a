// SPDX-License-Identifier: BSD-3-Clause
//
// The library program: what weft's programs share when they read and write: case files (TOML, with units, overrides,
// and errors that name file and key), series of fields (VTKHDF), rows in HDF5 files, checkpoints with checksums, files
// that all ranks write, memory, progress bars. Command lines are in command_line. It knows no simulation.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace weft::program {

/// A table of numbers that grows by a row now and then: a CSV file that can be followed while it grows.
///
/// A row reaches the file as one whole line or not at all, at once. Used by one rank; not thread-safe.
class SeriesWriter {
 public:
  /// Makes `stem`.csv with a header line (replacing an older one) and the folders above it. Throws InputError, also if
  /// something else than a plain file has that name.
  ///
  /// For a run that goes on from a step: of an older file with the same columns, the rows below `keep_below` stay, byte
  /// for byte and without being written again, and what follows the first other row is cut off.
  SeriesWriter(std::filesystem::path stem, std::vector<std::string> columns, std::int64_t keep_below = 0);
  ~SeriesWriter();
  SeriesWriter(const SeriesWriter&) = delete;
  SeriesWriter& operator=(const SeriesWriter&) = delete;

  /// The first column is the step, `values` are the other ones. Throws InputError if the disk is full: the rows before
  /// stay whole.
  void append(std::int64_t step, std::span<const double> values);
  /// The same of cells that are written already, with commas between them.
  void append(std::int64_t step, const std::string& cells);

  /// Returns when the rows are on the disk. Throws InputError if it fails.
  void sync() const;

  /// Returns when the rows are on the disk, and the same table is in `stem`.json: {"columns": [names], "rows":
  /// [[numbers]]}, written under a temporary name and then renamed. Numbers that are not finite become null. Holds one
  /// row in memory.
  void write_json() const;

  const std::filesystem::path& file() const { return csv_; }

 private:
  void append_whole_row(std::int64_t step, std::size_t values, const std::string& cells);

  std::filesystem::path csv_, json_;
  std::vector<std::string> columns_;
  int descriptor_ = -1;
};

struct SeriesRow {
  std::int64_t step = 0;
  std::vector<double> values;
};

/// Reads `stem`.csv with these columns, one row at a time. Nothing if there is no such file or it has other columns; a
/// row that is not whole is passed over.
void for_each_row(const std::filesystem::path& stem, const std::vector<std::string>& columns,
                  const std::function<void(const SeriesRow&)>& use);
/// The rows of an earlier run's `stem`.csv with these columns, below a step: for a run that goes on from there. None if
/// there is no such file or it has other columns; a row that is not whole is passed over.
std::vector<SeriesRow> rows_before(const std::filesystem::path& stem, const std::vector<std::string>& columns,
                                   std::int64_t step);

}  // namespace weft::program
