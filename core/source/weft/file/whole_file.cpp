// SPDX-License-Identifier: BSD-3-Clause
#include "weft/file/whole_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <streambuf>
#include <string>
#include <system_error>
#include <utility>

#include "weft/error.hpp"

namespace weft {
namespace {

// A device or a pipe: it can't be the target of a rename, and must not be removed. /dev/stdout is one even if it is a
// file: the process's other output goes there too.
bool is_special(const std::filesystem::path& path) {
  std::error_code error;
  const auto folder = path.parent_path();
  return std::filesystem::is_other(std::filesystem::status(path, error)) || folder == "/dev" || folder == "/dev/fd" ||
         folder == "/proc/self/fd";
}

// Neither folder has to exist.
bool is_same_folder(const std::filesystem::path& one, const std::filesystem::path& other) {
  const auto plain = [](const std::filesystem::path& folder) {
    const auto normal = std::filesystem::absolute(folder).lexically_normal();
    return normal.has_filename() ? normal : normal.parent_path();
  };
  return !one.empty() && !other.empty() && plain(one) == plain(other);
}

int open_special(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) throw cannot_write(path, errno);
  return descriptor;
}

// A stream buffer over a descriptor, which keeps the reason of a failed write; standard streams lose it.
class Buffer : public std::streambuf {
 public:
  explicit Buffer(int descriptor) : descriptor_(descriptor) { setp(bytes_.data(), bytes_.data() + bytes_.size()); }
  // The reason of the first failure, 0: none.
  int trouble() const { return trouble_; }

 protected:
  int_type overflow(int_type c) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
  std::streamsize xsputn(const char* from, std::streamsize n) override {
    if (n <= epptr() - pptr()) return std::streambuf::xsputn(from, n);
    return sync() == 0 && put(from, static_cast<std::size_t>(n)) ? n : 0;
  }
  int sync() override {
    const bool done = put(pbase(), static_cast<std::size_t>(pptr() - pbase()));
    setp(bytes_.data(), bytes_.data() + bytes_.size());
    return done ? 0 : -1;
  }
  pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode) override {
    if (sync() != 0) return off_type(-1);
    return off_type(::lseek(descriptor_, offset,
                            from == std::ios_base::beg   ? SEEK_SET
                            : from == std::ios_base::cur ? SEEK_CUR
                                                         : SEEK_END));
  }
  pos_type seekpos(pos_type at, std::ios_base::openmode which) override {
    return seekoff(off_type(at), std::ios_base::beg, which);
  }

 private:
  bool put(const char* from, std::size_t n) {
    while (n > 0 && trouble_ == 0) {
      const auto written = ::write(descriptor_, from, n);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) trouble_ = errno;
      if (written <= 0) break;
      from += written;
      n -= static_cast<std::size_t>(written);
    }
    return n == 0;
  }

  int descriptor_, trouble_ = 0;
  std::array<char, 65536> bytes_;
};

}  // namespace

struct WholeFile::Open {
  Open(const std::filesystem::path& path, std::optional<Access> access)
      : beside(is_special(path) ? nullptr : std::make_unique<Beside>(path, access)),
        device(beside ? -1 : open_special(path)), buffer(beside ? beside->descriptor() : device) {}
  ~Open() {
    if (device >= 0) ::close(device);
  }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;

  std::unique_ptr<Beside> beside;  // null: a device
  int device;
  Buffer buffer;
  std::ostream stream{&buffer};
};

WholeFile::WholeFile(std::filesystem::path path, std::optional<Access> access) : path_(std::move(path)) {
  std::error_code error;  // where no folder can be created, no file can
  if (path_.has_parent_path()) std::filesystem::create_directories(path_.parent_path(), error);
  open_ = std::make_unique<Open>(path_, access);
}
WholeFile::~WholeFile() = default;

std::ostream& WholeFile::stream() { return open_->stream; }

const std::filesystem::path& WholeFile::beside() { return open_->beside ? open_->beside->path() : path_; }

const std::filesystem::path& WholeFile::share() { return open_->beside ? open_->beside->share() : path_; }

void WholeFile::flush() {
  open_->stream.flush();
  if (open_->stream.good()) return;
  const auto trouble = open_->buffer.trouble();
  throw cannot_write(path_, trouble != 0 ? std::strerror(trouble) : "its output stream failed");
}

void WholeFile::finish() {
  flush();
  if (open_->beside) open_->beside->commit();
}

void WholeFile::finish_new() {
  flush();
  if (open_->beside) open_->beside->place_new();
}

void WholeFile::finish_unsynced() {
  flush();
  if (open_->beside) open_->beside->place_unsynced();
}

void WholeFile::check(const std::filesystem::path& path) {
  std::error_code error;
  if (is_special(path)) {  // opening a pipe would wait for its reader
    if (::access(path.c_str(), W_OK) != 0) throw cannot_write(path, errno);
    return;
  }
  auto folder = path.parent_path();
  if (folder.empty() || std::filesystem::exists(std::filesystem::symlink_status(folder, error))) {
    const Beside probe(path);
    return;
  }
  // Folders above it are created when the file is written, not by this check.
  auto missing = folder;
  for (; !folder.empty() && !std::filesystem::exists(std::filesystem::symlink_status(folder, error));
       folder = folder.parent_path())
    missing = folder;
  if (folder.empty()) folder = ".";
  if (!std::filesystem::is_directory(folder, error)) throw cannot_write(path, ENOTDIR);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) throw cannot_write(path, errno);
  const Beside probe(missing);  // root has access to /proc, but can't create anything there
}

void WholeFile::check_given(const std::filesystem::path& path, const std::filesystem::path& made) {
  std::error_code error;
  const auto folder = path.parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, error) && !is_same_folder(folder, made))
    throw cannot_write(path, "there is no folder " + folder.string());
  check(path);
}

void WholeFile::check_given_plain(const std::filesystem::path& path) {
  if (is_special(path)) throw cannot_write(path, "it is no plain file");
  check_given(path);
}

}  // namespace weft
