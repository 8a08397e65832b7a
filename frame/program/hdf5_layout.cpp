// SPDX-License-Identifier: BSD-3-Clause
#include "program/hdf5_layout.hpp"

#include "program/shared_file.hpp"
#include "weft/error.hpp"

namespace weft::program::hdf5 {

namespace {

constexpr hsize_t page_bytes = 4096;

hid_t open(const std::filesystem::path& file, Layout::File existing) {
  be_quiet();
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose, "H5Pcreate");
  check(H5Pset_alignment(access.id(), 16 * page_bytes, page_bytes), "H5Pset_alignment");
  if (existing == Layout::File::kept) return H5Fopen(file.c_str(), H5F_ACC_RDWR, access.id());
  return H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id());
}

}  // namespace

Layout::Layout(const std::filesystem::path& file, File existing)
    : file_(open(file, existing), &H5Fclose, existing == File::kept ? "H5Fopen" : "H5Fcreate") {}

void Layout::add_group(const std::string& path) {
  const Handle group(H5Gcreate2(file_.id(), path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), &H5Gclose,
                     "H5Gcreate");
}

void Layout::set_text(const std::string& group, const char* name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), &H5Tclose, "H5Tcopy");
  check(H5Tset_size(type.id(), text.size()), "H5Tset_size");
  check(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), "H5Tset_strpad");
  const Handle space(H5Screate(H5S_SCALAR), &H5Sclose, "H5Screate");
  const Handle attribute(
      H5Acreate_by_name(file_.id(), group.c_str(), name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      &H5Aclose, "H5Acreate");
  check(H5Awrite(attribute.id(), type.id(), text.data()), "H5Awrite");
}

void Layout::set(const std::string& group, const char* name, hid_t type, std::size_t length, const void* values) {
  const hsize_t count = length;
  const Handle space(H5Screate_simple(1, &count, nullptr), &H5Sclose, "H5Screate_simple");
  const Handle attribute(
      H5Acreate_by_name(file_.id(), group.c_str(), name, type, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      &H5Aclose, "H5Acreate");
  check(H5Awrite(attribute.id(), type, values), "H5Awrite");
}

void Layout::set_integers(const std::string& group, const char* name, const std::vector<std::int64_t>& values) {
  set(group, name, H5T_NATIVE_INT64, values.size(), values.data());
}

void Layout::set_numbers(const std::string& group, const char* name, const std::vector<double>& values) {
  set(group, name, H5T_NATIVE_DOUBLE, values.size(), values.data());
}

void Layout::add_dataset(const std::string& path, hid_t type, std::uint64_t rows, std::uint64_t columns) {
  add_dataset(path, type, columns > 1 ? std::vector{rows, columns} : std::vector{rows});
}

void Layout::add_dataset(const std::string& path, hid_t type, const std::vector<std::uint64_t>& extent) {
  const std::vector<hsize_t> sizes(extent.begin(), extent.end());
  const Handle space(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), &H5Sclose,
                     "H5Screate_simple");
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose, "H5Pcreate");
  check(H5Pset_layout(creation.id(), H5D_CONTIGUOUS), "H5Pset_layout");
  check(H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time");
  check(H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER), "H5Pset_fill_time");
  check(H5Pset_obj_track_times(creation.id(), false), "H5Pset_obj_track_times");  // the same values make the same file
  const Handle linking(H5Pcreate(H5P_LINK_CREATE), &H5Pclose, "H5Pcreate");
  check(H5Pset_create_intermediate_group(linking.id(), 1), "H5Pset_create_intermediate_group");
  datasets_.emplace_back(
      H5Dcreate2(file_.id(), path.c_str(), type, space.id(), linking.id(), creation.id(), H5P_DEFAULT), &H5Dclose,
      "H5Dcreate");
}

void Layout::remove_dataset(const std::string& path) {
  if (H5Lexists(file_.id(), path.c_str(), H5P_DEFAULT) > 0)
    check(H5Ldelete(file_.id(), path.c_str(), H5P_DEFAULT), "H5Ldelete");
}

// One chunk holds all rows, so that growing changes only a number in the header.
void Layout::add_growing(const std::string& path, hid_t type, std::uint64_t rows, std::uint64_t most) {
  const hsize_t now = rows, room = most;
  const Handle space(H5Screate_simple(1, &now, &room), &H5Sclose, "H5Screate_simple");
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose, "H5Pcreate");
  check(H5Pset_chunk(creation.id(), 1, &room), "H5Pset_chunk");
  check(H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time");
  check(H5Pset_obj_track_times(creation.id(), false), "H5Pset_obj_track_times");
  const Handle dataset(H5Dcreate2(file_.id(), path.c_str(), type, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                       &H5Dclose, "H5Dcreate");
}

std::vector<std::int64_t> Layout::finish() {
  std::vector<std::int64_t> offsets;
  for (auto& dataset : datasets_) {
    const bool empty = H5Dget_storage_size(dataset.id()) == 0;
    const auto offset = empty ? haddr_t{0} : H5Dget_offset(dataset.id());
    if (offset == HADDR_UNDEF) throw Error("H5Dget_offset: " + trouble().why);
    offsets.push_back(static_cast<std::int64_t>(offset));
    dataset.close("H5Dclose");
  }
  file_.close("H5Fclose");
  return offsets;
}

std::vector<std::int64_t> make_with_room(const std::filesystem::path& final_name,
                                         const std::filesystem::path& unfinished, std::int64_t enough_bytes,
                                         const std::function<void(Layout&)>& lay_out, Layout::File existing) {
  // Reserved first, since HDF5 does not survive a full disk, and once more afterwards, since HDF5 releases the reserved
  // space.
  reserve_room(final_name, unfinished, enough_bytes);
  std::vector<std::int64_t> offsets;
  try {
    Layout layout(unfinished, existing);
    lay_out(layout);
    offsets = layout.finish();
  } catch (const Error& e) {
    throw cannot_write(final_name, e.what());
  }
  reserve_room(final_name, unfinished, static_cast<std::int64_t>(std::filesystem::file_size(unfinished)));
  return offsets;
}

}  // namespace weft::program::hdf5
