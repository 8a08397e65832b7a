// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace weft::run {

/// The path of a report: an absolute prefix of the file names.
class ReportFiles {
 public:
  /// If `out` is empty, weft_run in the working directory or, if that can't be written, in a new
  /// temporary folder, whose name is printed. Throws an InputError if `out` can't be written.
  static ReportFiles for_run(const std::string& out);
  /// `out` is a prefix, or a report's file, FILE.json.
  static ReportFiles of_report(const std::string& out);

  const std::string& prefix() const { return prefix_; }
  std::filesystem::path file(const std::string& ending) const { return prefix_ + ending; }

  /// Removes the files of an earlier command, which would be taken for those of this one.
  void clear() const;
  /// Removes the files of an earlier run of this command, except renamed traces (PREFIX.run-N.trace.json).
  void clear_for_next() const;
  /// The report that the ranks wrote, or one made from their live files; nothing if there are none. If `own` (the ranks
  /// have ended), removes their other files.
  std::optional<nlohmann::json> report(bool own) const;
  /// Those of the further MPI programs that the command has started.
  std::vector<ReportFiles> further() const;
  /// Call it when all files of this program were read.
  void remove_claims() const;
  void write(const std::string& ending, const std::string& text) const;
  /// Throws an InputError if another program's file has the name of the page.
  void check_page() const;

 private:
  explicit ReportFiles(std::string prefix) : prefix_(std::move(prefix)) {}
  std::string prefix_;
};

/// Reads a report. Throws an InputError if the file is not a report of weft run.
nlohmann::json read_report(const std::filesystem::path& file);

}  // namespace weft::run
