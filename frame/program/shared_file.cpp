// SPDX-License-Identifier: BSD-3-Clause
#include "program/shared_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "program/readable.hpp"
#include "weft/error.hpp"
#include "weft/file/beside.hpp"
#include "weft/mpi/check.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::program {

SharedFile::SharedFile(mpi::Communicator& communicator, const std::filesystem::path& file) {
  // Before MPI opens it: if one rank can't open it, the other ranks of Open MPI wait forever.
  together(communicator, [&] {
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) throw Error(std::strerror(errno));
    ::close(descriptor);
  });
  mpi::check(MPI_File_open(communicator.handle(), file.c_str(), MPI_MODE_WRONLY, MPI_INFO_NULL, &file_),
             "MPI_File_open");
}

SharedFile::~SharedFile() {
  if (file_ != MPI_FILE_NULL) MPI_File_close(&file_);
}

void SharedFile::write(std::int64_t at_bytes, std::span<const std::byte> bytes) {
  const int count = mpi::narrow(bytes.size(), "A write");
  MPI_Status status;
  mpi::check(MPI_File_write_at(file_, at_bytes, bytes.data(), count, MPI_BYTE, &status), "MPI_File_write_at");
  int written = 0;
  mpi::check(MPI_Get_count(&status, MPI_BYTE, &written), "MPI_Get_count");
  if (written != count)
    throw mpi::Error("MPI_File_write_at did not write all bytes. Check the space of the file system.");
}

void SharedFile::sync() { mpi::check(MPI_File_sync(file_), "MPI_File_sync"); }

void SharedFile::close() { mpi::check(MPI_File_close(&file_), "MPI_File_close"); }

void while_writing(const std::filesystem::path& file, const std::function<void()>& write) {
  try {
    write();
  } catch (const Error& e) {
    if (dynamic_cast<const InputError*>(&e) != nullptr || !e.everywhere()) throw;
    throw InputError(cannot_write(file, e.what()).what(), true);
  }
}

void write_whole(mpi::Communicator& world, const std::filesystem::path& file,
                 const std::function<void(const std::filesystem::path&)>& make,
                 const std::function<void(SharedFile&)>& fill) {
  std::unique_ptr<Beside> beside;  // rank 0's
  while_writing(file, [&] {
    std::string path;
    on_root(world, [&] {
      beside = std::make_unique<Beside>(file);
      path = beside->share().string();
      make(path);
    });
    path = broadcast(world, path);
    std::optional<SharedFile> out;
    together(world, [&] { out.emplace(world, path); });
    fill(*out);
    together(world, [&] { out->sync(); });
    together(world, [&] { out->close(); });
    on_root(world, [&] { beside->commit(); });
  });
}

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
