// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace weft::flow {

/// Columns of the monitor's series: step, time_s, density_min, density_max, mach_max, mass_kg, relative_change, then
/// for each opening NAME_flow_m3_per_s (positive: into the vessel) and NAME_pressure_pa.
std::vector<std::string> monitor_columns(const std::vector<std::string>& openings);

/// A table of numbers that grows by a row now and then: a CSV file that can be followed while it grows.
///
/// A row reaches the file as one whole line or not at all, at once. Used by one rank; not thread-safe.
class SeriesWriter {
 public:
  /// Makes `stem`.csv with a header line (replacing an older one) and the folders above it. Throws InputError.
  SeriesWriter(std::filesystem::path stem, std::vector<std::string> columns);
  ~SeriesWriter();
  SeriesWriter(const SeriesWriter&) = delete;
  SeriesWriter& operator=(const SeriesWriter&) = delete;

  /// The first column is the step, `values` are the other ones. Throws InputError if the disk is full: the rows before
  /// stay whole.
  void append(std::int64_t step, std::span<const double> values);

  /// Writes the same table as `stem`.json: {"columns": [names], "rows": [[numbers]]}, under a temporary name and then
  /// renamed. Numbers that are not finite become null. Holds one row in memory.
  void write_json() const;

  const std::filesystem::path& file() const { return csv_; }

 private:
  std::filesystem::path csv_, json_;
  std::vector<std::string> columns_;
  int descriptor_ = -1;
};

}  // namespace weft::flow
