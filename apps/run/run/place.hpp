// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace weft::run {

/// Where a report lies: the files' names begin with an absolute prefix.
class Place {
 public:
  /// Makes the folder. An empty `out` is weft_run in the working directory or, where that can't be written, in a new
  /// temporary folder, which is said. Throws InputError if a name was given and can't be written.
  static Place for_run(const std::string& out);
  /// `out` may also be a report's file, FILE.json.
  static Place of_report(const std::string& out);

  const std::string& prefix() const { return prefix_; }
  std::filesystem::path file(const std::string& ending) const { return prefix_ + ending; }

  /// What an earlier command left here, which would be taken for this one's.
  void clear() const;
  /// The same of an earlier run of this command: traces that were set aside (PREFIX.run-N.trace.json) stay.
  void clear_for_next() const;
  /// The report that the ranks wrote, or what can be made of what they left; nothing if there is neither. Removes what
  /// else they wrote if `own`: they have ended.
  std::optional<nlohmann::json> report(bool own) const;
  void write(const std::string& ending, const std::string& text) const;

 private:
  explicit Place(std::string prefix) : prefix_(std::move(prefix)) {}
  std::string prefix_;
};

/// Of a file. Throws InputError if it is none of ours.
nlohmann::json read_report(const std::filesystem::path& file);

}  // namespace weft::run
