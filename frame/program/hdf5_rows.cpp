// SPDX-License-Identifier: BSD-3-Clause
#include "program/hdf5_rows.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <numeric>

#include "weft/error.hpp"

namespace weft::program::hdf5 {

namespace {

hid_t open_unlocked(const std::filesystem::path& file, Rows::Way way) {
  be_quiet();
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose, "H5Pcreate");
#if H5_VERSION_GE(1, 10, 7) && !(H5_VERS_MAJOR == 1 && H5_VERS_MINOR == 12 && H5_VERS_RELEASE == 0)
  check(H5Pset_file_locking(access.id(), false, true), "H5Pset_file_locking");
#endif
  return H5Fopen(file.c_str(), way == Rows::Way::read ? H5F_ACC_RDONLY : H5F_ACC_RDWR, access.id());
}

Handle open_dataset(const Handle& file, const std::string& path) {
  return {H5Dopen2(file.id(), path.c_str(), H5P_DEFAULT), &H5Dclose, "H5Dopen"};
}

std::vector<hsize_t> sizes_of(const Handle& dataset) {
  const Handle space(H5Dget_space(dataset.id()), &H5Sclose, "H5Dget_space");
  const int axes = H5Sget_simple_extent_ndims(space.id());
  check(axes, "H5Sget_simple_extent_ndims");
  std::vector<hsize_t> sizes(static_cast<std::size_t>(axes));
  check(H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr), "H5Sget_simple_extent_dims");
  return sizes;
}

}  // namespace

Rows::Rows(const std::filesystem::path& file, Way way)
    : path_(file), file_(open_unlocked(file, way), &H5Fclose, "H5Fopen") {}

std::vector<std::uint64_t> Rows::extent(const std::string& path) const {
  const auto sizes = sizes_of(open_dataset(file_, path));
  return {sizes.begin(), sizes.end()};
}

std::uint64_t Rows::columns(const std::string& path) const {
  const auto sizes = extent(path);
  return sizes.empty() ? 1 : std::accumulate(sizes.begin() + 1, sizes.end(), std::uint64_t{1}, std::multiplies<>());
}

void Rows::transfer(const std::string& path, std::uint64_t first, std::uint64_t rows, hid_t type, void* in,
                    const void* out) const {
  if (rows == 0) return;
  const auto dataset = open_dataset(file_, path);
  auto count = sizes_of(dataset);
  if (count.empty() || first + rows > count[0])
    throw Error(path + ": This file has fewer rows than the checkpoint states. Restart from an older checkpoint.");
  std::vector<hsize_t> start(count.size(), 0);
  start[0] = first, count[0] = rows;
  const Handle there(H5Dget_space(dataset.id()), &H5Sclose, "H5Dget_space");
  check(H5Sselect_hyperslab(there.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
        "H5Sselect_hyperslab");
  const Handle here(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), &H5Sclose,
                    "H5Screate_simple");
  if (in != nullptr)
    check(H5Dread(dataset.id(), type, here.id(), there.id(), H5P_DEFAULT, in), "H5Dread");
  else
    check(H5Dwrite(dataset.id(), type, here.id(), there.id(), H5P_DEFAULT, out), "H5Dwrite");
}

void Rows::resize(const std::string& path, std::uint64_t rows) {
  const auto dataset = open_dataset(file_, path);
  const hsize_t size = rows;
  check(H5Dset_extent(dataset.id(), &size), "H5Dset_extent");
}

std::int64_t Rows::integer(const std::string& group, const char* attribute) const {
  const Handle a(H5Aopen_by_name(file_.id(), group.c_str(), attribute, H5P_DEFAULT, H5P_DEFAULT), &H5Aclose, "H5Aopen");
  const Handle space(H5Aget_space(a.id()), &H5Sclose, "H5Aget_space");
  if (H5Sget_simple_extent_npoints(space.id()) != 1)
    throw Error(std::string(attribute) +
                ": This attribute is not a single number. Write the results to another folder.");
  std::int64_t value = 0;
  check(H5Aread(a.id(), H5T_NATIVE_INT64, &value), "H5Aread");
  return value;
}

// HDF5 1.10 does not write an attribute that was opened by its group's name.
void Rows::set_integer(const std::string& group, const char* attribute, std::int64_t value) {
  const Handle of(H5Gopen2(file_.id(), group.c_str(), H5P_DEFAULT), &H5Gclose, "H5Gopen");
  const Handle a(H5Aopen(of.id(), attribute, H5P_DEFAULT), &H5Aclose, "H5Aopen");
  check(H5Awrite(a.id(), H5T_NATIVE_INT64, &value), "H5Awrite");
}

void Rows::sync() {
  check(H5Fflush(file_.id(), H5F_SCOPE_LOCAL), "H5Fflush");
  const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  const bool is_done = descriptor >= 0 && (::fdatasync(descriptor) == 0 || errno == EINVAL || errno == EROFS);
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!is_done) throw Error(std::string("fdatasync: ") + std::strerror(error));
}

}  // namespace weft::program::hdf5
