// SPDX-License-Identifier: BSD-3-Clause
//
// The library program: input and output shared by weft's programs: case files (TOML, with units, overrides, and errors
// that name file and key), series of fields (VTKHDF), rows in HDF5 files, checkpoints with checksums, files that all
// ranks write, memory, progress bars. Command lines are in command_line. It contains no simulation.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace [[gnu::visibility("default")]] weft {
namespace program {

/// A table of numbers that grows row by row: a CSV file that can be read while it grows.
///
/// A row is written to the file at once, completely or not at all. Used by one rank; not thread-safe.
class SeriesWriter {
 public:
  /// Creates `stem`.csv with a header line (replacing an older file) and the folders above it. Throws InputError, also
  /// if the name belongs to something else than a regular file.
  ///
  /// For a restarted run: the rows below `keep_below` of an older file with the same columns are kept byte for byte,
  /// without being rewritten; everything from the first other row on is removed.
  SeriesWriter(std::filesystem::path stem, std::vector<std::string> columns, std::int64_t keep_below = 0);
  ~SeriesWriter();
  SeriesWriter(const SeriesWriter&) = delete;
  SeriesWriter& operator=(const SeriesWriter&) = delete;

  /// The first column is the step, `values` are the others. Throws InputError if the disk is full; the rows before stay
  /// complete.
  void append(std::int64_t step, std::span<const double> values);
  /// The same with the cells as text, separated by commas.
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

/// Reads `stem`.csv with these columns, one row at a time. Does nothing if the file does not exist or has other
/// columns; skips incomplete rows.
void for_each_row(const std::filesystem::path& stem, const std::vector<std::string>& columns,
                  const std::function<void(const SeriesRow&)>& use);
/// The rows below a step of an earlier run's `stem`.csv with these columns, for a restarted run. None if the file does
/// not exist or has other columns; skips incomplete rows.
std::vector<SeriesRow> rows_before(const std::filesystem::path& stem, const std::vector<std::string>& columns,
                                   std::int64_t step);

}  // namespace program
}  // namespace weft
