// SPDX-License-Identifier: BSD-3-Clause
#include "program/room.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "program/readable.hpp"

namespace weft::program {

namespace fs = std::filesystem;

void reserve_room(const fs::path& final_name, const fs::path& unfinished, std::int64_t bytes) {
  if (bytes <= 0) return;
  const int descriptor = ::open(unfinished.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) throw cannot_write(final_name, errno);
  struct statvfs disk {};
  const bool known = ::fstatvfs(descriptor, &disk) == 0;
  // The system call, not posix_fallocate: on a file system that can't reserve space, posix_fallocate would write every
  // block.
  const int error = ::fallocate(descriptor, 0, 0, bytes) == 0 ? 0 : errno;
  ::close(descriptor);
  if (error == 0 || error == EOPNOTSUPP || error == ENOSYS) return;
  auto why = std::string(std::strerror(error));
  if (known && error == ENOSPC)
    why += fmt::format(": it takes {}, and {} are free", bytes_text(static_cast<double>(bytes)),
                       bytes_text(static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize)));
  throw cannot_write(final_name, why);
}

}  // namespace weft::program
