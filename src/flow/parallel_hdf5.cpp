// SPDX-License-Identifier: BSD-3-Clause
#include "flow/parallel_hdf5.hpp"

#include <array>

#include "weft/error.hpp"

namespace weft::flow::hdf5 {

namespace {

/// What HDF5 says about its latest error, from where it happened.
std::string reason() {
  std::string text;
  const auto take = [](unsigned, const H5E_error2_t* entry, void* out) -> herr_t {
    auto& words = *static_cast<std::string*>(out);
    if (words.empty() && entry->desc != nullptr) words = entry->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take, &text);
  H5Eclear2(H5E_DEFAULT);
  return text.empty() ? "no reason given" : text;
}

}  // namespace

void be_quiet() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

void check(herr_t status, const char* call) {
  if (status < 0) throw Error(std::string(call) + ": " + reason());
}

Handle::Handle(hid_t id, Close close, const char* call) : id_(id), close_(close) {
  if (id < 0) throw Error(std::string(call) + ": " + reason());
}

Handle::~Handle() {
  if (id_ >= 0) close_(id_);
}

void Handle::close(const char* call) {
  if (id_ >= 0) check(close_(std::exchange(id_, -1)), call);
}

Handle create_file(const std::filesystem::path& path, MPI_Comm communicator) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose, "H5Pcreate");
  check(H5Pset_fapl_mpio(access.id(), communicator, MPI_INFO_NULL), "H5Pset_fapl_mpio");
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), &H5Fclose, "H5Fcreate"};
}

Handle create_group(const Handle& parent, const char* name) {
  return {H5Gcreate2(parent.id(), name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), &H5Gclose, "H5Gcreate"};
}

void set_text(const Handle& object, const char* name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), &H5Tclose, "H5Tcopy");
  check(H5Tset_size(type.id(), text.size()), "H5Tset_size");
  check(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), "H5Tset_strpad");
  const Handle space(H5Screate(H5S_SCALAR), &H5Sclose, "H5Screate");
  const Handle attribute(H5Acreate2(object.id(), name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT), &H5Aclose,
                         "H5Acreate");
  check(H5Awrite(attribute.id(), type.id(), text.data()), "H5Awrite");
}

void set_integers(const Handle& object, const char* name, const std::vector<std::int64_t>& values) {
  const hsize_t count = values.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), &H5Sclose, "H5Screate_simple");
  const Handle attribute(H5Acreate2(object.id(), name, H5T_NATIVE_INT64, space.id(), H5P_DEFAULT, H5P_DEFAULT),
                         &H5Aclose, "H5Acreate");
  check(H5Awrite(attribute.id(), H5T_NATIVE_INT64, values.data()), "H5Awrite");
}

template <class T>
Dataset<T>::Dataset(const Handle& parent, const char* name, std::uint64_t rows, std::uint64_t columns)
    : columns_(columns) {
  const std::array<hsize_t, 2> extent = {rows, columns};
  const Handle space(H5Screate_simple(columns > 1 ? 2 : 1, extent.data(), nullptr), &H5Sclose, "H5Screate_simple");
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose, "H5Pcreate");
  check(H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time");
  check(H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER), "H5Pset_fill_time");
  dataset_ = {H5Dcreate2(parent.id(), name, native_type<T>(), space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
              &H5Dclose, "H5Dcreate"};
}

template <class T>
void Dataset<T>::write_rows(std::uint64_t first, std::uint64_t rows, const T* values) {
  const std::array<hsize_t, 2> start = {first, 0}, count = {rows, columns_};
  const Handle file_space(H5Dget_space(dataset_.id()), &H5Sclose, "H5Dget_space");
  check(H5Sselect_hyperslab(file_space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
        "H5Sselect_hyperslab");
  const Handle memory_space(H5Screate_simple(columns_ > 1 ? 2 : 1, count.data(), nullptr), &H5Sclose, "H5Screate_simple");
  check(H5Dwrite(dataset_.id(), native_type<T>(), memory_space.id(), file_space.id(), H5P_DEFAULT, values), "H5Dwrite");
}

template class Dataset<double>;
template class Dataset<float>;
template class Dataset<std::int64_t>;
template class Dataset<std::int32_t>;
template class Dataset<std::uint8_t>;

}  // namespace weft::flow::hdf5
