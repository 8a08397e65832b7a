// SPDX-License-Identifier: BSD-3-Clause
#include "weft/file/beside.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace weft {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view mark = ".weft-", alphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::size_t random_letters = 8, check_letters = 4;

// So that a user's file name is hardly ever taken for one of weft's.
std::string checksum_of(std::string_view letters) {
  std::uint32_t hash = 0x811c9dc5;  // FNV-1a
  for (const char c : letters) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
  std::string text;
  constexpr std::uint32_t base = alphabet.size();
  for (std::size_t i = 0; i < check_letters; ++i, hash /= base) text += alphabet[hash % base];
  return text;
}

std::string new_letters() {
  std::random_device random;
  std::string text;
  for (std::size_t i = 0; i < random_letters; ++i) text += alphabet[random() % alphabet.size()];
  return text + checksum_of(text);
}

// NAME.weft-, with long names cut: the temporary file's name must not be too long for the file system.
std::string stem_of(const fs::path& target) {
  constexpr std::size_t longest = 230;
  return target.filename().string().substr(0, longest) + std::string(mark);
}

// A file that an MPI library creates beside such a file while it opens it (its name, and ".locktest.0") counts as one
// of weft's.
bool are_ours(std::string_view letters) {
  letters = letters.substr(0, letters.find('.'));
  return letters.size() == random_letters + check_letters &&
         letters.find_first_not_of(alphabet) == std::string_view::npos &&
         letters.substr(random_letters) == checksum_of(letters.substr(0, random_letters));
}

bool is_left(const std::string& name, const std::string& stem) {
  return name.starts_with(stem) && are_ours(std::string_view(name).substr(stem.size()));
}

// Removes a temporary file unless its writer has locked it. `without_locks`: also where the file system has no locks.
void remove_left(const fs::path& file, bool without_locks) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || (without_locks && errno != EWOULDBLOCK)) ::unlink(file.c_str());
  ::close(descriptor);
}

template <class Is>
void remove_if(const fs::path& folder, bool without_locks, const Is& is) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), none; !error && entry != none; entry.increment(error)) {
    std::error_code ignored;
    if (is(*entry) && entry->symlink_status(ignored).type() == fs::file_type::regular)
      remove_left(entry->path(), without_locks);
  }
}

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

std::string of_this_process(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

// A file without a name, if the file system has such files and a name can be given to it later; else -1.
int open_unnamed(const fs::path& folder, mode_t mode) {
#ifdef O_TMPFILE
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  if (descriptor < 0 || ::access(of_this_process(descriptor).c_str(), F_OK) == 0) return descriptor;
  ::close(descriptor);
#endif
  return -1;
}

// Without the group, its members must get no more than others, nor others more than they.
void give(int descriptor, const Access& access) {
  struct stat now {};
  if (::fstat(descriptor, &now) != 0) return;
  auto mode = access.mode & 0777;
  if (now.st_gid != access.group && ::fchown(descriptor, static_cast<uid_t>(-1), access.group) != 0) {
    const auto all = mode & 7 & mode >> 3;
    mode = (mode & 0700) | all << 3 | all;
  }
  if (now.st_uid != access.owner && ::fchown(descriptor, access.owner, static_cast<gid_t>(-1)) != 0) {
  }  // it stays this user's
  ::fchmod(descriptor, mode);
}

// So that the rename survives a power failure. Some file systems can't sync a folder; there is no alternative then.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

// Renames atomically, but not over an existing name. Some file systems can't rename so, but link.
bool rename_new(const fs::path& from, const fs::path& to) {
#ifdef RENAME_NOREPLACE
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) return false;
#endif
  if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0;
  if (errno == EEXIST) return false;
  struct stat there {};
  if (::lstat(to.c_str(), &there) == 0) {
    errno = EEXIST;
    return false;
  }
  return ::rename(from.c_str(), to.c_str()) == 0;
}

}  // namespace

Access Access::operator&(const Access& other) const {
  // Of two groups, members of one must get no more than others.
  const auto part = [&](const Access& a) { return group == other.group ? a.mode : a.mode & (~070U | a.mode << 3); };
  return {.mode = part(*this) & part(other), .owner = owner, .group = group};
}

std::optional<Access> access_of(const fs::path& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return {};
  return Access{.mode = found.st_mode & 0777, .owner = found.st_uid, .group = found.st_gid};
}

InputError cannot_write(const fs::path& file, const std::string& why) {
  if (file.empty()) return InputError("The name of the file to be written is empty. Give a name.");
  const bool is_full = why == std::strerror(ENOSPC) || why == std::strerror(EDQUOT) || why == std::strerror(EFBIG);
  return InputError(file.string() + ": This file can't be written (" + why + "). " +
                    (is_full ? "Free some space, or choose another folder." : "Choose another folder."));
}

InputError cannot_write(const fs::path& file, int error) { return cannot_write(file, std::strerror(error)); }

Beside::Beside(fs::path name, std::optional<Access> access) : name_(std::move(name)), target_(name_), access_(access) {
  std::error_code error;
  if (name_.filename().empty()) throw cannot_write(name_, "it is a folder");
  if (fs::is_symlink(name_, error) && fs::exists(name_, error)) target_ = fs::canonical(name_);
  const auto there = fs::status(target_, error);
  if (fs::is_directory(there)) throw cannot_write(name_, "it is a folder");
  if (fs::exists(there) && !fs::is_regular_file(there)) throw cannot_write(name_, "it is no plain file");
  if (!access_) access_ = access_of(target_);
  const mode_t mode = access_ ? 0600 : 0666;
  descriptor_ = open_unnamed(folder_of(target_), mode);
  const auto stem = stem_of(target_);
  while (descriptor_ < 0) {
    path_ = folder_of(target_) / (stem + new_letters());
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (descriptor_ >= 0) unfinished_.emplace(path_);
    if (descriptor_ < 0 && errno != EEXIST) throw cannot_write(name_, errno);
  }
  ::flock(descriptor_, LOCK_EX | LOCK_NB);  // without locks in the file system, the age of one day decides
  const auto day_ago = fs::file_time_type::clock::now() - std::chrono::hours(24);
  remove_if(folder_of(target_), false, [&](const fs::directory_entry& entry) {
    std::error_code unknown;
    return is_left(entry.path().filename().string(), stem) && entry.last_write_time(unknown) < day_ago && !unknown;
  });
}

Beside::~Beside() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (unfinished_) ::unlink(path_.c_str());
}

const fs::path& Beside::path() {
  while (!unfinished_) {
    path_ = folder_of(target_) / (stem_of(target_) + new_letters());
    const auto here = of_this_process(descriptor_);
    if (::linkat(AT_FDCWD, here.c_str(), AT_FDCWD, path_.c_str(), AT_SYMLINK_FOLLOW) == 0)
      unfinished_.emplace(path_);
    else if (errno != EEXIST)
      throw cannot_write(name_, errno);
  }
  return path_;
}

const fs::path& Beside::share() {
  ::flock(descriptor_, LOCK_UN);
  return path();
}

void Beside::commit() {
  sync();
  rename();
  sync_folder(folder_of(target_));
}

void Beside::place_new() {
  sync();
  rename(true);
  sync_folder(folder_of(target_));
}

void Beside::place_unsynced() { rename(); }

void Beside::sync() {
  // Some file systems have nothing to sync.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) throw cannot_write(name_, errno);
}

void Beside::rename(bool only_new) {
  path();
  if (access_) give(descriptor_, *access_);
  const bool closed = ::close(std::exchange(descriptor_, -1)) == 0 || errno == EINTR;
  const bool placed = closed && (only_new ? rename_new(path_, target_) : ::rename(path_.c_str(), target_.c_str()) == 0);
  const int error = errno;
  if (!placed) ::unlink(path_.c_str());
  unfinished_.reset();
  if (placed) return;
  if (only_new && error == EEXIST) check_absent(name_);
  throw cannot_write(name_, error);
}

void Beside::remove_leftovers(const fs::path& folder, const std::string& beginning) {
  remove_if(folder, true, [&](const fs::directory_entry& entry) {
    const auto name = entry.path().filename().string();
    const auto at = name.rfind(mark);
    return at != name.npos && at > 0 && name.starts_with(beginning) &&
           are_ours(std::string_view(name).substr(at + mark.size()));
  });
}

void check_absent(const fs::path& file) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(file, error)) && !fs::is_other(fs::status(file, error)))
    throw InputError(file.string() +
                     ": This file exists already (nothing was written). Choose another name, or use --force.");
}

void check_apart(const fs::path& written, const fs::path& read) {
  std::error_code error;
  if (written.empty() || read.empty() || written == "-" || read == "-" || !fs::equivalent(written, read, error)) return;
  throw InputError(written.string() + ": This file is read, so it can't be written too" +
                   (written == read ? "" : " (it is the same file as " + read.string() + ")") +
                   ". Choose another name.");
}

void check_apart(const std::vector<fs::path>& written, const std::vector<fs::path>& read) {
  const auto whole = [](const fs::path& path) {
    std::error_code error;
    const auto canonical = fs::weakly_canonical(fs::absolute(path, error), error);
    return error ? path : canonical;
  };
  for (auto one = written.begin(); one != written.end(); ++one) {
    for (const auto& file : read) check_apart(*one, file);
    std::error_code error;
    if (one->empty() || *one == "-" || fs::is_other(fs::status(*one, error))) continue;
    for (auto other = written.begin(); other != one; ++other)
      if (!other->empty() && whole(*one) == whole(*other))
        throw InputError(one->string() + ": This file would be written twice" +
                         (*one == *other ? "" : " (it is the same file as " + other->string() + ")") +
                         ". Choose two names.");
  }
}

}  // namespace weft
