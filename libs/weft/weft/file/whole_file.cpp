// SPDX-License-Identifier: BSD-3-Clause
#include "weft/file/whole_file.hpp"

#include <system_error>
#include <utility>

#include "weft/error.hpp"

namespace weft {

WholeFile::WholeFile(std::filesystem::path path) : path_(std::move(path)), beside_(path_) {
  beside_ += ".part";
  std::error_code error;
  if (path_.has_parent_path()) std::filesystem::create_directories(path_.parent_path(), error);
  if (!std::filesystem::is_directory(path_)) stream_.open(beside_, std::ios::binary);
  if (!stream_.is_open())
    throw InputError(path_.string() + ": can't be written (no such folder, no permission, or a folder of that name). " +
                     "choose another name.");
}

WholeFile::~WholeFile() {
  if (!stream_.is_open()) return;
  stream_.close();
  std::error_code error;
  std::filesystem::remove(beside_, error);
}

void WholeFile::finish() {
  std::error_code error;
  stream_.close();
  if (stream_.good()) std::filesystem::rename(beside_, path_, error);
  if (!stream_.good() || error) {
    std::filesystem::remove(beside_, error);
    throw InputError(path_.string() + ": could not be written whole (is the disk full?). nothing was left of it.");
  }
}

void WholeFile::check_given(const std::filesystem::path& path, const std::filesystem::path& made) {
  std::error_code error;
  const auto folder = path.parent_path().lexically_normal();
  if (!folder.empty() && folder != made.lexically_normal() && !std::filesystem::is_directory(folder, error))
    throw InputError(path.string() + ": can't be written (there is no folder " + path.parent_path().string() +
                     "). make it, or choose another name.");
  check(path);
}

}  // namespace weft
