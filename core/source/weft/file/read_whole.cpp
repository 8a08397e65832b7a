// SPDX-License-Identifier: BSD-3-Clause
#include "weft/file/read_whole.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace weft {
namespace {

// Closed by the destructor.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

}  // namespace

InputError cannot_read(const std::filesystem::path& file, const std::string& why, const std::string& advice) {
  if (file.empty()) return InputError("The name of the file to be read is empty. " + advice);
  return InputError(file.string() + ": This file can't be read (" + why + "). " + advice);
}

std::string read_whole(const std::filesystem::path& file, const std::string& advice) {
  const Descriptor in{::open(file.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC)};
  struct stat status {};
  if (in.number < 0 || ::fstat(in.number, &status) != 0) throw cannot_read(file, std::strerror(errno), advice);
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) throw cannot_read(file, "it is a device", advice);
  constexpr std::size_t piece = 65536;
  std::string bytes;
  std::size_t filled = 0;
  for (;;) {  // one byte more than the file has, to find its end
    if (filled == bytes.size())
      bytes.resize(filled + (filled == 0 ? static_cast<std::size_t>(std::max<off_t>(status.st_size, 0)) + 1
                                         : std::max(piece, filled / 2)));
    const auto n = ::read(in.number, bytes.data() + filled, bytes.size() - filled);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw cannot_read(file, std::strerror(errno), advice);
    if (n == 0) break;
    filled += static_cast<std::size_t>(n);
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace weft
