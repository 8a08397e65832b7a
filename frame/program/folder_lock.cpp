// SPDX-License-Identifier: BSD-3-Clause
#include "program/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include "weft/error.hpp"
#include "weft/file/beside.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::program {

namespace fs = std::filesystem;

namespace {

// The holder of the lock, for the message to a refused run: "process 17 on node3".
std::string this_process() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("process {} on {}", ::getpid(), host.data());
}

std::string content_of(int descriptor) {
  std::array<char, 300> text{};
  const auto n = ::pread(descriptor, text.data(), text.size(), 0);
  return n > 0 ? std::string(text.data(), static_cast<std::size_t>(n)) : "another process";
}

// The previous holder may have removed the file meanwhile: then the lock is useless.
bool is_still_there(int descriptor, const fs::path& file) {
  struct stat open {
  }, named{};
  return ::fstat(descriptor, &open) == 0 && ::lstat(file.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

}  // namespace

FolderLock::FolderLock(Transport& world, const fs::path& folder) {
  on_root(world, [&] { lock(folder); });
}

void FolderLock::lock(const fs::path& folder) {
  std::error_code error;
  for (auto above = fs::absolute(folder).lexically_normal(); !above.empty() && !fs::exists(above, error);
       above = above.parent_path())
    created_.push_back(above);
  fs::create_directories(folder, error);
  if (error) throw cannot_write(folder, error.message());
  file_ = folder / ".weft-lock";
  for (;;) {
    descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor_ < 0) throw cannot_write(file_, errno);
    const bool locked = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
    if (!locked && errno == EWOULDBLOCK) {
      const auto holder = content_of(descriptor_);
      ::close(descriptor_);
      descriptor_ = -1;
      throw InputError(fmt::format(
          "{}: Another run writes into this folder ({}). Wait until it ends, or choose another output.directory.",
          folder.string(), holder));
    }
    if (!locked || is_still_there(descriptor_, file_)) break;
    ::close(descriptor_);
  }
  const auto text = this_process();
  if (::ftruncate(descriptor_, 0) != 0 || ::pwrite(descriptor_, text.data(), text.size(), 0) < 0) {
  }  // only information; a full disk is detected by the next write
  for (const auto* beginning : {"checkpoint_", "fields"}) Beside::remove_leftovers(folder, beginning);
}

FolderLock::~FolderLock() {
  if (descriptor_ < 0) return;
  ::unlink(file_.c_str());  // while it is held
  ::close(descriptor_);
  std::error_code is_used;
  for (const auto& folder : created_) fs::remove(folder, is_used);  // only if it is empty
}

}  // namespace weft::program
