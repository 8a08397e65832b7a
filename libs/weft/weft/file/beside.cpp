// SPDX-License-Identifier: BSD-3-Clause
#include "weft/file/beside.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace weft {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view mark = ".weft-";
constexpr std::size_t letters = 6;

std::string random_letters() {
  static const std::string_view all = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;
  std::string text;
  for (std::size_t i = 0; i < letters; ++i) text += all[random() % all.size()];
  return text;
}

// NAME.weft-, where long names are cut: the file's own must not be too long for the file system.
std::string stem_of(const fs::path& target) {
  constexpr std::size_t longest = 230;
  return target.filename().string().substr(0, longest) + std::string(mark);
}

bool is_left(const std::string& name, const std::string& stem) {
  return name.starts_with(stem) && name.size() == stem.size() + letters;
}

template <class Is>
void remove_if(const fs::path& folder, const Is& is) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), none; !error && entry != none; entry.increment(error)) {
    std::error_code ignored;
    if (is(*entry) && entry->symlink_status(ignored).type() == fs::file_type::regular)
      fs::remove(entry->path(), ignored);
  }
}

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

// So that the rename outlives a power cut. Where a folder can't be synced (some file systems), nothing better is known.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

InputError cannot_write(const fs::path& file, const std::string& why) {
  return InputError("cannot write " + file.string() + " (" + why + "). free space, or choose another place.");
}

InputError cannot_write(const fs::path& file, int error) { return cannot_write(file, std::strerror(error)); }

Beside::Beside(fs::path name) : name_(std::move(name)), target_(name_) {
  std::error_code error;
  if (name_.filename().empty()) throw cannot_write(name_, "it is a folder");
  if (fs::is_symlink(name_, error) && fs::exists(name_, error)) target_ = fs::canonical(name_);
  const auto there = fs::status(target_, error);
  if (fs::is_directory(there)) throw cannot_write(name_, "it is a folder");
  if (fs::exists(there) && !fs::is_regular_file(there)) throw cannot_write(name_, "it is no plain file");
  const auto stem = stem_of(target_);
  do {
    path_ = folder_of(target_) / (stem + random_letters());
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) throw cannot_write(name_, errno);
  if (fs::exists(there)) ::fchmod(descriptor_, static_cast<mode_t>(there.permissions()) & 0777);
  const auto day_ago = fs::file_time_type::clock::now() - std::chrono::hours(24);
  remove_if(folder_of(target_), [&](const fs::directory_entry& entry) {
    std::error_code unknown;
    return is_left(entry.path().filename().string(), stem) && entry.last_write_time(unknown) < day_ago && !unknown;
  });
}

Beside::~Beside() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(path_.c_str());
}

void Beside::place() {
  // Some file systems have nothing to sync.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) throw cannot_write(name_, errno);
  rename();
  sync_folder(folder_of(target_));
}

void Beside::place_unsynced() { rename(); }

void Beside::rename() {
  const bool closed = ::close(std::exchange(descriptor_, -1)) == 0 || errno == EINTR;
  if (closed && ::rename(path_.c_str(), target_.c_str()) == 0) return;
  const std::string why = std::strerror(errno);
  ::unlink(path_.c_str());
  throw cannot_write(name_, why);
}

void Beside::remove_leftovers(const fs::path& folder, const std::string& beginning) {
  remove_if(folder, [&](const fs::directory_entry& entry) {
    const auto name = entry.path().filename().string();
    const auto at = name.rfind(mark);
    return at != name.npos && at > 0 && name.size() == at + mark.size() + letters && name.starts_with(beginning);
  });
}

void check_apart(const fs::path& written, const fs::path& read) {
  std::error_code error;
  if (written.empty() || read.empty() || written == "-" || read == "-" || !fs::equivalent(written, read, error)) return;
  throw InputError(written.string() + ": is read, so it can't be written too" +
                   (written == read ? "" : " (it is the same file as " + read.string() + ")") +
                   ". choose another name.");
}

}  // namespace weft
