// SPDX-License-Identifier: BSD-3-Clause
#include "fft_program/hdf5_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "weft/error.hpp"

namespace weft::fft_program {

namespace fs = std::filesystem;
using program::hdf5::Handle;

namespace {

InputError refused(const fs::path& path, const std::string& why) {
  return InputError(fmt::format("{}: {}", path.string(), why));
}

// "f" for a floating-point number of 4 or 8 bytes in any byte order, followed by its bits.
std::string float_type(hid_t type) {
  const auto bytes = H5Tget_size(type);
  return H5Tget_class(type) == H5T_FLOAT && (bytes == 4 || bytes == 8) ? fmt::format("f{}", 8 * bytes) : "";
}

std::string type_of(hid_t dataset) {
  const Handle type(H5Dget_type(dataset), &H5Tclose, "H5Dget_type");
  if (H5Tget_class(type.id()) != H5T_COMPOUND) return float_type(type.id());
  const int r = H5Tget_member_index(type.id(), "r"), i = H5Tget_member_index(type.id(), "i");
  if (r < 0 || i < 0 || H5Tget_nmembers(type.id()) != 2) return "";
  const Handle real(H5Tget_member_type(type.id(), static_cast<unsigned>(r)), &H5Tclose, "H5Tget_member_type"),
      imaginary(H5Tget_member_type(type.id(), static_cast<unsigned>(i)), &H5Tclose, "H5Tget_member_type");
  const auto half = float_type(real.id());
  if (half != float_type(imaginary.id())) return "";
  return half == "f32" ? "c64" : half == "f64" ? "c128" : "";
}

// The path of the file that contains the dataset, also behind an external link.
fs::path file_of(hid_t object) {
  const Handle file(H5Iget_file_id(object), &H5Fclose, "H5Iget_file_id");
  const auto length = H5Fget_name(file.id(), nullptr, 0);
  std::string name(static_cast<std::size_t>(std::max<ssize_t>(length, 0)) + 1, '\0');
  H5Fget_name(file.id(), name.data(), name.size());
  name.pop_back();
  return name;
}

// Why the numbers of a dataset are not all in its file; empty if they are.
std::string why_elsewhere(const Handle& dataset) {
  const Handle creation(H5Dget_create_plist(dataset.id()), &H5Pclose, "H5Dget_create_plist");
  if (H5Pget_layout(creation.id()) == H5D_VIRTUAL) return "is virtual";
  if (H5Pget_external_count(creation.id()) > 0) return "has external storage";
  return "";
}

Handle open_dataset(const Handle& file, const fs::path& path, const std::string& name) {
  const hid_t found = H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT);
  if (found >= 0) return {found, &H5Dclose, "H5Dopen"};
  const auto [why, advice] = program::hdf5::trouble();
  if (why.find("link") != why.npos)
    throw refused(path, fmt::format("The dataset '{}' can't be read ({}). {}", name, why, advice));
  throw refused(path, fmt::format("There is no dataset '{}'. List the datasets with h5ls -r.", name));
}

bool is_a(H5I_type_t type, const Handle& file, const std::string& name) {
  const Handle object(H5Oopen(file.id(), name.c_str(), H5P_DEFAULT), &H5Oclose, "H5Oopen");
  return H5Iget_type(object.id()) == type;
}

}  // namespace

bool has_hdf5_name(const fs::path& path) {
  auto ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return ending == ".h5" || ending == ".hdf5";
}

bool is_hdf5(const fs::path& path) {
  program::hdf5::be_quiet();
  return has_hdf5_name(path) || H5Fis_hdf5(path.c_str()) > 0;
}

Handle open_hdf5(const fs::path& path) {
  program::hdf5::be_quiet();
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose, "H5Pcreate");
#if H5_VERSION_GE(1, 10, 7) && !(H5_VERS_MAJOR == 1 && H5_VERS_MINOR == 12 && H5_VERS_RELEASE == 0)
  H5Pset_file_locking(access.id(), true, true);  // some file systems have no locks
#endif
  const hid_t opened = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id());
  if (opened >= 0) return {opened, &H5Fclose, "H5Fopen"};
  const auto [why, advice] = program::hdf5::trouble();
  throw refused(path, fmt::format("This file can't be read as HDF5 ({}). {}", why, advice));
}

Handle hdf5_type(const std::string& type) {
  const bool is_single = type == "f32" || type == "c64";
  const auto real = is_single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
  if (type[0] == 'f') return {H5Tcopy(real), &H5Tclose, "H5Tcopy"};
  const std::size_t half = is_single ? sizeof(float) : sizeof(double);
  Handle complex(H5Tcreate(H5T_COMPOUND, 2 * half), &H5Tclose, "H5Tcreate");  // as in h5py
  H5Tinsert(complex.id(), "r", 0, real);
  H5Tinsert(complex.id(), "i", half, real);
  return complex;
}

FieldFile find_dataset(const fs::path& path, const std::string& name) {
  const auto file = open_hdf5(path);
  if (name.empty()) throw refused(path, "The dataset is not named. Give it with --dataset.");
  const auto dataset = open_dataset(file, path, name);
  const Handle space(H5Dget_space(dataset.id()), &H5Sclose, "H5Dget_space");
  const int rank = H5Sget_simple_extent_ndims(space.id());
  if (rank != 3)
    throw refused(path, fmt::format("The dataset '{}' has {} axes. Give a three-dimensional dataset.", name, rank));
  std::array<hsize_t, 3> extent{};
  H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr);
  const fft::Size3 size{extent[0], extent[1], extent[2]};
  const auto type = type_of(dataset.id());
  if (type.empty())
    throw refused(path, fmt::format("The dataset '{}' does not contain f32, f64, c64 or c128. Convert it to one of "
                                    "them.",
                                    name));
  if (const auto why = why_elsewhere(dataset); !why.empty())
    throw refused(path, fmt::format("The dataset '{}' {} (HDF5 reads the numbers of a missing file as zeros). Copy its "
                                    "numbers to a dataset of one file.",
                                    name, why));
  const auto bytes = bytes_of(size, type);
  if (!bytes) throw refused(path, fmt::format("The dataset '{}' has more numbers than can be counted.", name));
  if (*bytes > 0 && H5Dget_storage_size(dataset.id()) == 0)
    throw refused(path, fmt::format("The dataset '{}' is empty (nothing was written to it). Write it first.", name));
  const auto at = H5Dget_offset(dataset.id());  // only of a contiguous dataset
  const auto holder = file_of(dataset.id());
  const auto there = std::size_t{fs::file_size(holder)};
  if (at != HADDR_UNDEF && (at > there || *bytes > there - at))
    throw refused(
        path,
        fmt::format("The file has {} bytes (too few for the dataset '{}' of {} numbers). Check that it is complete.",
                    there, name, fft::text_of(size)));
  return {.path = path, .size = size, .type = type, .dataset = name, .holder = holder};
}

void read_dataset(const FieldFile& file, const fft::Box& box, void* values) {
  const auto& [x, y, z] = box.axes;
  const std::array<hsize_t, 3> first{x.first, y.first, z.first}, count{x.count, y.count, z.count}, zero{};
  const std::array<hsize_t, 3> room{x.count, y.count, box.row};
  if (std::ranges::count(count, hsize_t{0}) > 0) return;
  const auto opened = open_hdf5(file.path);
  const auto dataset = open_dataset(opened, file.path, file.dataset);
  const Handle there(H5Dget_space(dataset.id()), &H5Sclose, "H5Dget_space");
  const Handle here(H5Screate_simple(3, room.data(), nullptr), &H5Sclose, "H5Screate_simple");
  using program::hdf5::check;
  check(H5Sselect_hyperslab(there.id(), H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr), "H5Sselect");
  check(H5Sselect_hyperslab(here.id(), H5S_SELECT_SET, zero.data(), nullptr, count.data(), nullptr), "H5Sselect");
  const auto type = hdf5_type(file.type);
  if (H5Dread(dataset.id(), type.id(), here.id(), there.id(), H5P_DEFAULT, values) >= 0) return;
  const auto [why, advice] = program::hdf5::trouble();
  throw refused(file.path, fmt::format("The dataset '{}' can't be read ({}). {}", file.dataset, why, advice));
}

void check_new_dataset(const fs::path& path, const std::string& name, bool force) {
  const auto unusable = [&](const std::string& why) {
    return refused(path,
                   fmt::format("The dataset '{}' can't be written ({}). Give another --output-dataset.", name, why));
  };
  if (name.empty() || name.back() == '/') throw unusable("its name is empty");
  if (!fs::exists(path)) return;
  const auto file = open_hdf5(path);
  for (auto end = name.find_first_not_of('/'); end != name.npos;) {
    end = name.find('/', end + 1);
    const auto part = name.substr(0, end);
    if (part.back() == '/') continue;  // of two in a row
    if (H5Lexists(file.id(), part.c_str(), H5P_DEFAULT) <= 0) return;
    H5L_info_t link;
    program::hdf5::check(H5Lget_info(file.id(), part.c_str(), &link, H5P_DEFAULT), "H5Lget_info");
    if (link.type != H5L_TYPE_HARD) throw unusable(fmt::format("'{}' is a link", part));
    if (end != name.npos && !is_a(H5I_GROUP, file, part)) throw unusable(fmt::format("'{}' is no group", part));
  }
  if (!is_a(H5I_DATASET, file, name)) throw unusable("it is a group");
  if (!force)
    throw refused(path, fmt::format("The dataset '{}' exists already (nothing was written). Give another "
                                    "--output-dataset, or use --force.",
                                    name));
}

}  // namespace weft::fft_program
