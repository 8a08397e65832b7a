// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "weft/tune/setting.hpp"

namespace [[gnu::visibility("default")]] weft {

/// The results of tuning by machine, MPI library, ranks and problem, in a file that people can read and edit (TOML):
///
///     ["2 cores, Intel Xeon / Open MPI v4.1.4 / 2 ranks / fft f64 256x256x256 slabs"]
///     setting.progress = "thread"
///     setting.window = "2"
///     speedup = 1.18
///     date = "2026-11-22"
///
/// Unknown lines (comments, other keys) are kept. If two programs write at once, each reads and writes the whole file.
/// Not collective: rank 0 calls it. Not thread-safe.
class TuneStore {
 public:
  /// The result for one machine and problem.
  struct Entry {
    std::string key;                ///< as Tuning::key()
    Setting setting;                ///< the chosen setting
    double speedup = 1;             ///< over the baseline, when it was measured
    std::string date;               ///< year-month-day
    std::vector<std::string> rest;  ///< unknown lines of this entry
  };

  /// Reads the file; a missing file counts as empty. Throws InputError with file and line if it is damaged.
  explicit TuneStore(std::filesystem::path file = default_file());

  /// The file.
  const std::filesystem::path& file() const { return file_; }
  /// The entries, in the order of the file.
  const std::vector<Entry>& entries() const { return entries_; }
  /// The entry of a key; null if there is none.
  const Entry* find(const std::string& key) const;

  /// Reads the file again, replaces the entry with this key (keeping its unknown lines) or appends the entry, and
  /// writes the file. Throws InputError if it can't be written.
  void put(Entry entry);
  /// Removes all entries whose key contains `part` (empty: all), and writes the file. Returns their number.
  std::size_t clear(const std::string& part);

  /// $WEFT_TUNE_FILE, or weft/tuned.toml in $XDG_CONFIG_HOME, or in ~/.config. Throws InputError if none is set.
  static std::filesystem::path default_file();

 private:
  void read();
  void write() const;

  std::filesystem::path file_;
  std::vector<std::string> preamble_;
  std::vector<Entry> entries_;
};

}  // namespace weft
