// SPDX-License-Identifier: BSD-3-Clause
#include "program/checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <span>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "program/bytes.hpp"
#include "weft/file/beside.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::program {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "checkpoint_", ending = ".weft";
constexpr std::uint32_t byte_order = 0x01020304;
constexpr std::size_t page = 4096;

// The first bytes of every file. The checksum covers the rest of the header.
struct Front {
  char magic[8];
  std::uint32_t byte_order, crc;
  std::uint64_t header_bytes;
};
constexpr std::size_t checked_from = 16;  // from header_bytes on

std::uint32_t crc_of(const std::string& bytes) { return crc32(std::as_bytes(std::span(bytes)).subspan(checked_from)); }

std::string reason() { return errno != 0 ? std::strerror(errno) : "it can't be read"; }

}  // namespace

const std::size_t header_content_at = sizeof(Front);

fs::path checkpoint_file(const fs::path& directory, std::int64_t step) {
  return directory / fmt::format("{}{:08}{}", prefix, step, ending);
}

namespace {

/// The files with this ending, in no order. `error`: the system's error for the folder.
std::vector<FoundCheckpoint> files_with(const fs::path& directory, std::string_view last_letters,
                                        std::error_code& error) {
  std::vector<FoundCheckpoint> found;
  for (fs::directory_iterator entry(directory, error), none; !error && entry != none; entry.increment(error)) {
    const auto name = entry->path().filename().string();
    if (!name.starts_with(prefix) || !name.ends_with(last_letters) ||
        name.size() <= prefix.size() + last_letters.size())
      continue;
    FoundCheckpoint one{directory / name};
    const auto* last = name.data() + name.size() - last_letters.size();
    const auto [end, bad] = std::from_chars(name.data() + prefix.size(), last, one.step);
    if (bad == std::errc{} && end == last) found.push_back(std::move(one));
  }
  return found;
}

std::vector<FoundCheckpoint> newest_first(const fs::path& directory, std::error_code& error) {
  auto found = files_with(directory, ending, error);
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.step > b.step; });
  return found;
}

}  // namespace

std::vector<FoundCheckpoint> find_checkpoints(const fs::path& directory) {
  std::error_code ignored;
  return newest_first(directory, ignored);
}

void remove_other_checkpoints(const fs::path& directory, std::int64_t step) {
  constexpr int kept_files = 2;
  int kept = 0;
  std::error_code ignored;  // a file that can't be removed does no harm
  for (const auto& found : find_checkpoints(directory))
    if (found.step > step || ++kept > kept_files) fs::remove(found.file, ignored);
  Beside::remove_leftovers(directory, std::string(prefix));
}

std::vector<fs::path> checkpoints_in(Transport& transport, const fs::path& directory) {
  std::string names;
  on_root(transport, [&] {
    std::error_code error;
    for (const auto& one : newest_first(directory, error)) names += one.file.filename().string() + '\n';
    if (error)
      throw InputError(
          fmt::format("{}: This folder can't be read ({}). Run without --restart, or give another folder or a file.",
                      directory.string(), error.message()));
    if (names.empty())
      throw InputError(
          fmt::format("There is no {}*{} in {} (a restart needs a checkpoint). Run without --restart, or give a file.",
                      prefix, ending, directory.string()));
  });
  std::istringstream lines(broadcast(transport, names));
  std::vector<fs::path> files;
  for (std::string name; std::getline(lines, name);) files.push_back(directory / name);
  return files;
}

bool is_folder_everywhere(Transport& transport, const fs::path& path) {
  std::error_code ignored;
  return all_reduce(transport, fs::is_directory(path, ignored) ? 1 : 0, minimum<int>()) != 0;
}

std::string damage_of(Transport& transport, const std::function<void()>& action) {
  std::string mine;
  together(transport, [&] {
    try {
      action();
    } catch (const UnusableError& e) {
      mine = e.what();
    }
  });
  for (auto& text : all_gather(transport, mine)) {
    if (!text.empty()) return std::move(text);
  }
  return {};
}

std::string seal_header(const char* magic, const std::string& content) {
  std::string bytes(sizeof(Front), '\0');
  bytes += content;
  bytes.resize((bytes.size() + page - 1) / page * page);
  Front front{};
  std::memcpy(front.magic, magic, sizeof front.magic);
  front.byte_order = byte_order;
  front.header_bytes = bytes.size();
  std::memcpy(bytes.data(), &front, sizeof front);
  front.crc = crc_of(bytes);
  std::memcpy(bytes.data(), &front, sizeof front);
  return bytes;
}

std::string read_sealed_header(const fs::path& file, const char* magic, const std::string& owner) {
  std::error_code error;
  const auto there = fs::status(file, error);
  if (fs::exists(there) && !fs::is_regular_file(there)) throw DamagedError(file, "it is not a regular file");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) throw DamagedError(file, reason());
  Front front{};
  if (!in.read(reinterpret_cast<char*>(&front), sizeof front)) throw DamagedError(file, "it is too short");
  if (constexpr auto name = sizeof front.magic - 1;
      std::memcmp(front.magic, magic, name) == 0 && front.magic[name] != magic[name])
    throw DamagedError(file, "another version of " + owner + " wrote it");
  if (std::memcmp(front.magic, magic, sizeof front.magic) != 0)
    throw DamagedError(file, "" + owner + " did not write it");
  if (front.byte_order != byte_order) throw DamagedError(file, "it was written on a machine with another byte order");
  const auto size = fs::file_size(file, error);
  if (error || front.header_bytes > size || front.header_bytes < sizeof front)
    throw DamagedError(file, "it is too short");
  std::string bytes(front.header_bytes, '\0');
  if (!in.seekg(0) || !in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    throw DamagedError(file, reason());
  if (crc_of(bytes) != front.crc) throw DamagedError(file, "the checksum of its header is wrong");
  return bytes;
}

void fail_as_another_case(const fs::path& file, const std::string& its, const std::string& ours) {
  throw UnusableError(
      fmt::format("{} belongs to another case (it has {}, this case has {}). Give the case that wrote it, or run "
                  "without --restart.",
                  file.string(), its, ours));
}

void compare_settings(const fs::path& file, const std::string& found, const std::string& wanted) {
  if (found == wanted) return;
  std::istringstream a(found), b(wanted);
  std::string its, ours;
  do {
    if (!std::getline(a, its)) its = "nothing more";
    if (!std::getline(b, ours)) ours = "nothing more";
  } while (its == ours && (a || b));
  fail_as_another_case(file, "'" + its + "'", "'" + ours + "'");
}

}  // namespace weft::program
