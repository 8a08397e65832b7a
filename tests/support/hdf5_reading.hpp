// SPDX-License-Identifier: BSD-3-Clause
//
// Reads files back with plain HDF5.
#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <string>
#include <vector>

namespace weft::test {

template <class T>
struct Hdf5Values {
  std::vector<hsize_t> shape;
  std::vector<T> values;
};

/// A dataset, by its path below /VTKHDF, as `type` ("PointData/density", H5T_NATIVE_DOUBLE).
template <class T>
Hdf5Values<T> read_vtkhdf(const std::filesystem::path& file, const std::string& name, hid_t type) {
  Hdf5Values<T> result;
  const auto f = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  EXPECT_GE(f, 0) << file;
  const auto d = H5Dopen2(f, ("/VTKHDF/" + name).c_str(), H5P_DEFAULT);
  EXPECT_GE(d, 0) << name;
  const auto space = H5Dget_space(d);
  result.shape.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, result.shape.data(), nullptr);
  result.values.resize(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.values.data()), 0);
  H5Sclose(space);
  H5Dclose(d);
  H5Fclose(f);
  return result;
}

/// An attribute of a group ("/VTKHDF"), as `type`.
template <class T>
std::vector<T> read_attribute(const std::filesystem::path& file, const std::string& group, const char* name,
                              hid_t type) {
  const auto f = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const auto a = H5Aopen_by_name(f, group.c_str(), name, H5P_DEFAULT, H5P_DEFAULT);
  const auto space = H5Aget_space(a);
  std::vector<T> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Aread(a, type, values.data()), 0) << name;
  H5Sclose(space);
  H5Aclose(a);
  H5Fclose(f);
  return values;
}

}  // namespace weft::test
