// SPDX-License-Identifier: BSD-3-Clause
#include "program/series.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include "weft/error.hpp"
#include "weft/file/beside.hpp"
#include "weft/file/whole_file.hpp"

namespace weft::program {

namespace {

/// Replaces only the last ending: a dot inside the stem stays.
std::filesystem::path with_ending(const std::filesystem::path& stem, const char* ending) {
  return stem.string() + ending;
}

/// Appends the whole text. If the disk is full, the file keeps its old length. Returns false and sets errno on failure.
bool append_whole(int descriptor, const std::string& text) {
  struct stat before {};
  if (::fstat(descriptor, &before) != 0) return false;
  std::size_t written = 0;
  while (written < text.size()) {
    const auto n = ::write(descriptor, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int error = n < 0 ? errno : ENOSPC;
      if (::ftruncate(descriptor, before.st_size) != 0) return false;
      errno = error;
      return false;
    }
    written += static_cast<std::size_t>(n);
  }
  return true;
}

/// A pipe would make the run wait for a reader, and the target of a link may belong to another user.
int open_plain(const std::filesystem::path& file) {
  const int descriptor =
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  const int reason = errno;
  struct stat found {};
  if (descriptor >= 0 && ::fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode)) return descriptor;
  if (descriptor >= 0) ::close(descriptor);
  const bool is_other = descriptor >= 0 || reason == ELOOP || reason == ENXIO;
  throw is_other ? cannot_write(file, "it is no plain file") : cannot_write(file, reason);
}

/// The size in bytes of the header line and the complete rows below a step, up to the first other line.
std::int64_t bytes_below(const std::filesystem::path& csv, const std::string& header, std::size_t columns,
                         std::int64_t step) {
  std::ifstream in(csv, std::ios::binary);
  std::string line;
  if (!std::getline(in, line) || line != header || in.eof()) return 0;
  auto bytes = static_cast<std::int64_t>(line.size() + 1);
  while (std::getline(in, line) && !in.eof()) {  // no end of line: the row was truncated
    char* after = nullptr;
    const auto its = std::strtoll(line.c_str(), &after, 10);
    const auto commas = static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
    if (after == line.c_str() || commas + 1 != columns || its >= step) break;
    bytes += static_cast<std::int64_t>(line.size() + 1);
  }
  return bytes;
}

}  // namespace

SeriesWriter::SeriesWriter(std::filesystem::path stem, std::vector<std::string> columns, std::int64_t keep_below)
    : csv_(with_ending(stem, ".csv")), json_(with_ending(stem, ".json")), columns_(std::move(columns)) {
  std::error_code error;
  if (csv_.has_parent_path()) std::filesystem::create_directories(csv_.parent_path(), error);
  if (error) throw cannot_write(csv_, error.value());
  const auto header = fmt::format("{}", fmt::join(columns_, ","));
  descriptor_ = open_plain(csv_);
  const auto kept = keep_below > 0 ? bytes_below(csv_, header, columns_.size(), keep_below) : 0;
  if (::ftruncate(descriptor_, kept) != 0 || (kept == 0 && !append_whole(descriptor_, header + "\n"))) {
    const int reason = errno;
    ::close(descriptor_);
    throw cannot_write(csv_, reason);
  }
}

SeriesWriter::~SeriesWriter() { ::close(descriptor_); }

void SeriesWriter::append(std::int64_t step, std::span<const double> values) {
  append_whole_row(step, values.size(), fmt::format("{}", fmt::join(values, ",")));
}

void SeriesWriter::append(std::int64_t step, const std::string& cells) {
  append_whole_row(step, static_cast<std::size_t>(std::count(cells.begin(), cells.end(), ',')) + 1, cells);
}

void SeriesWriter::append_whole_row(std::int64_t step, std::size_t values, const std::string& cells) {
  if (values + 1 != columns_.size())
    throw Error(fmt::format("A row of {} has {} values (there are {} columns). Give the step and one value per column.",
                            csv_.string(), values + 1, columns_.size()));
  if (!append_whole(descriptor_, fmt::format("{},{}\n", step, cells))) throw cannot_write(csv_, errno);
}

void SeriesWriter::sync() const {
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) throw cannot_write(csv_, errno);
}

void SeriesWriter::write_json() const {
  sync();  // also if no checkpoint was written since
  std::ifstream in(csv_);
  WholeFile file(json_);
  auto& out = file.stream();
  std::string line, cell;
  std::getline(in, line);
  out << "{\"columns\": [";
  for (std::size_t i = 0; i < columns_.size(); ++i) out << (i ? ", \"" : "\"") << columns_[i] << '"';
  out << "],\n \"rows\": [";
  for (bool first = true; std::getline(in, line); first = false) {
    out << (first ? "\n  [" : ",\n  [");
    std::istringstream cells(line);
    for (bool start = true; std::getline(cells, cell, ','); start = false)
      out << (start ? "" : ", ") << (cell.find_first_of("nN") == std::string::npos ? cell : "null");  // nan, inf
    out << ']';
  }
  out << "]}\n";
  if (in.bad())
    throw InputError(csv_.string() + ": This file can't be read back (the disk may be failing). Check the disk.");
  file.finish();
}

void for_each_row(const std::filesystem::path& stem, const std::vector<std::string>& columns,
                  const std::function<void(const SeriesRow&)>& use) {
  std::ifstream in(with_ending(stem, ".csv"), std::ios::binary);
  std::string line;
  if (!std::getline(in, line) || line != fmt::format("{}", fmt::join(columns, ","))) return;
  SeriesRow row;
  while (std::getline(in, line)) {
    row.values.clear();
    char* at = nullptr;
    row.step = std::strtoll(line.c_str(), &at, 10);
    while (*at == ',') row.values.push_back(std::strtod(at + 1, &at));
    if (*at == '\0' && row.values.size() + 1 == columns.size()) use(row);
  }
}

std::vector<SeriesRow> rows_before(const std::filesystem::path& stem, const std::vector<std::string>& columns,
                                   std::int64_t step) {
  std::vector<SeriesRow> rows;
  for_each_row(stem, columns, [&](const SeriesRow& row) {
    if (row.step < step) rows.push_back(row);
  });
  return rows;
}

}  // namespace weft::program
