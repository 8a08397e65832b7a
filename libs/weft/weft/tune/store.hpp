// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "weft/tune/setting.hpp"

namespace weft {

/// What tuning found, by machine, MPI library, ranks and problem, in a file that a person reads and may edit (TOML):
///
///     ["2 cores, Intel Xeon / Open MPI v4.1.4 / 2 ranks / fft f64 256x256x256 slabs"]
///     setting.progress = "thread"
///     setting.window = "2"
///     speedup = 1.18
///     date = "2026-11-22"
///
/// Lines that it does not know (comments, other keys) stay as they are. Of two programs that write at the same time,
/// each reads and writes as a whole. Not collective: rank 0's work. Not thread-safe.
class TuneStore {
 public:
  /// What was found for one machine and problem.
  struct Entry {
    std::string key;                ///< as Tuning::key()
    Setting setting;                ///< what was chosen
    double speedup = 1;             ///< over the plain setting, when it was measured
    std::string date;               ///< year-month-day
    std::vector<std::string> rest;  ///< lines of this entry that are not known
  };

  /// Reads the file; one that is not there is empty. Throws InputError with file and line if it is damaged.
  explicit TuneStore(std::filesystem::path file = default_file());

  /// Where it is kept.
  const std::filesystem::path& file() const { return file_; }
  /// As in the file, in order.
  const std::vector<Entry>& entries() const { return entries_; }
  /// Null if there is none.
  const Entry* find(const std::string& key) const;

  /// Reads the file again, puts the entry in place of the one with its key (whose unknown lines stay) or at the end,
  /// and writes it. Throws InputError if it can't be written.
  void put(Entry entry);
  /// The same, without all entries whose key contains `part` (empty: all). Returns how many went.
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
