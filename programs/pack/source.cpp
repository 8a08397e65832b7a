// SPDX-License-Identifier: BSD-3-Clause
#include "pack/source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "weft/file/read_whole.hpp"

namespace weft::pack {
namespace {

constexpr const char* archive_advice = "Give an archive.";

}  // namespace

// Opening a pipe would wait for its writer.
Source::Source(std::filesystem::path file) : file_(std::move(file)) {
  descriptor_ = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0)
    throw cannot_read(file_, std::strerror(errno), archive_advice);
  if (!S_ISREG(status.st_mode)) {
    ::close(descriptor_);
    throw cannot_read(file_, S_ISDIR(status.st_mode) ? std::strerror(EISDIR) : "it is no regular file", archive_advice);
  }
  bytes_ = static_cast<std::uint64_t>(status.st_size);
}

Source::~Source() { ::close(descriptor_); }

void Source::read(std::uint64_t from, std::span<std::byte> out) const {
  while (!out.empty()) {
    const auto n = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(from));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw cannot_read(file_, n < 0 ? std::strerror(errno) : "it has become shorter", archive_advice);
    out = out.subspan(static_cast<std::size_t>(n));
    from += static_cast<std::uint64_t>(n);
  }
}

Bytes Source::piece(std::uint64_t from, std::uint64_t most) const {
  Bytes bytes(std::min(most, bytes_ - std::min(from, bytes_)));
  read(from, bytes);
  return bytes;
}

}  // namespace weft::pack
