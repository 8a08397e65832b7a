// SPDX-License-Identifier: BSD-3-Clause
//
// HDF5 files of other programs: read right or refused; what is in them stays.
#include <gtest/gtest.h>

#include <complex>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "fft/fft.hpp"
#include "fft_program/hdf5_field.hpp"
#include "fft_program/run.hpp"
#include "tests/support/file_limit.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/shared_scratch.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::fft_program {
namespace {

namespace fs = std::filesystem;
using program::hdf5::Handle;

const fft::Size3 n{6, 5, 7};
constexpr std::size_t points = 6 * 5 * 7;

double value_at(std::size_t i) { return 0.5 + static_cast<double>(i); }

Handle created(const fs::path& file) {
  return {H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), &H5Fclose, "H5Fcreate"};
}
Handle list(hid_t kind) { return {H5Pcreate(kind), &H5Pclose, "H5Pcreate"}; }

void add_field(const Handle& file, const char* name, hid_t type, const Handle& creation) {
  const hsize_t extent[3] = {n[0], n[1], n[2]};
  const Handle space(H5Screate_simple(3, extent, nullptr), &H5Sclose, "H5Screate");
  const Handle dataset(H5Dcreate2(file.id(), name, type, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                       &H5Dclose, "H5Dcreate");
  std::vector<double> values(points);
  for (std::size_t i = 0; i < points; ++i) values[i] = value_at(i);
  ASSERT_GE(H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
}

struct Hdf5Field : testing::Test {
  mpi::Communicator world{MPI_COMM_WORLD};
  test::SharedScratch folder{world};
  const fs::path file = folder.path / "u.h5";

  void make(const std::function<void(const Handle& file, const Handle& creation)>& content) {
    on_root(world, [&] { content(created(file), list(H5P_DATASET_CREATE)); });
  }
  template <class Value>
  void expect_right(const std::string& dataset) {
    const auto found = find_field(world, file, dataset, {}, "");
    EXPECT_EQ(found.size, n);
    for (const bool padded : {false, true}) {
      const fft::Fft<Value> fft(world, n, {.padded = padded});
      std::vector<Value> field(fft.field_size());
      read_box(world, found, fft.field(), field.data());
      const auto& box = fft.field();
      const auto& [x, y, z] = box.axes;
      for (std::size_t i = 0; i < x.count; ++i)
        for (std::size_t j = 0; j < y.count; ++j)
          for (std::size_t k = 0; k < z.count; ++k)
            ASSERT_EQ(field[(i * y.count + j) * box.row + k],
                      static_cast<Value>(value_at(((x.first + i) * n[1] + y.first + j) * n[2] + z.first + k)));
    }
  }
  void expect_refused(const std::string& dataset, const std::string& text) {
    try {
      find_field(world, file, dataset, {}, "");
      FAIL() << dataset << " was accepted";
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
    }
  }
  std::string why_not_new(const std::string& dataset, bool force = false) {
    try {
      on_root(world, [&] { check_new_dataset(file, dataset, force); });
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  }
  void write(const std::string& dataset) {
    const fft::Fft<double> fft(world, n);
    const std::vector<double> field(fft.field_size(), 4);
    FieldWriter writer(world, file, {dataset}, n, "f64");
    writer.write(0, fft.field(), field.data());
    writer.finish();
  }
};

TEST_F(Hdf5Field, layouts_byte_orders_and_links_are_read) {
  make([&](const Handle& out, const Handle& creation) {
    add_field(out, "plain", H5T_NATIVE_DOUBLE, creation);
    add_field(out, "foreign", H5T_IEEE_F32BE, creation);
    const auto chunked = list(H5P_DATASET_CREATE);
    const hsize_t chunk[3] = {2, 3, 4};
    H5Pset_chunk(chunked.id(), 3, chunk);
    H5Pset_deflate(chunked.id(), 1);
    add_field(out, "chunked", H5T_NATIVE_DOUBLE, chunked);
    const Handle group(H5Gcreate2(out.id(), "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), &H5Gclose, "H5Gcreate");
    H5Lcreate_soft("/plain", group.id(), "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_hard(out.id(), "chunked", group.id(), "hard", H5P_DEFAULT, H5P_DEFAULT);
  });
  for (const char* name : {"plain", "chunked", "group/soft", "/group/hard"}) expect_right<double>(name);
  expect_right<float>("foreign");
}

TEST_F(Hdf5Field, an_external_link_is_read_from_its_file) {
  make([&](const Handle& out, const Handle& creation) {
    add_field(created(folder.path / "other.h5"), "u", H5T_NATIVE_DOUBLE, creation);
    H5Lcreate_external("other.h5", "/u", out.id(), "u", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("missing.h5", "/u", out.id(), "missing", H5P_DEFAULT, H5P_DEFAULT);
  });
  expect_right<double>("u");
  EXPECT_TRUE(fs::equivalent(find_field(world, file, "u", {}, "").holder, folder.path / "other.h5"));
  barrier(world);
  expect_refused("missing", "a link leads to another file");
}

TEST_F(Hdf5Field, numbers_outside_of_the_file_are_refused) {
  make([&](const Handle& out, const Handle& creation) {
    add_field(out, "u", H5T_NATIVE_DOUBLE, creation);
    const hsize_t extent[3] = {n[0], n[1], n[2]};
    const Handle space(H5Screate_simple(3, extent, nullptr), &H5Sclose, "H5Screate");
    const auto elsewhere = list(H5P_DATASET_CREATE), virtually = list(H5P_DATASET_CREATE);
    H5Pset_external(elsewhere.id(), (folder.path / "u.raw").c_str(), 0, H5F_UNLIMITED);
    add_field(out, "external", H5T_NATIVE_DOUBLE, elsewhere);
    H5Pset_virtual(virtually.id(), space.id(), "missing.h5", "u", space.id());
    for (const auto& [name, how] : {std::pair{"virtual", &virtually}, std::pair{"unwritten", &creation}})
      Handle(H5Dcreate2(out.id(), name, H5T_NATIVE_DOUBLE, space.id(), H5P_DEFAULT, how->id(), H5P_DEFAULT), &H5Dclose,
             "H5Dcreate");
  });
  expect_refused("external", "has external storage");
  expect_refused("virtual", "is virtual");
  expect_refused("unwritten", "is empty");
  expect_refused("", "not named");
  expect_refused("v", "no dataset 'v'");
}

TEST_F(Hdf5Field, the_cause_of_an_unreadable_file_is_named) {
  const auto damage = [&](const std::function<void(std::string&)>& how) {
    make([&](const Handle& out, const Handle& creation) { add_field(out, "u", H5T_NATIVE_DOUBLE, creation); });
    on_root(world, [&] {
      auto bytes = test::content(file);
      how(bytes);
      std::ofstream(file, std::ios::binary) << bytes;
    });
  };
  damage([](std::string& bytes) { bytes.resize(bytes.size() - 100); });
  expect_refused("u", "its end is missing");
  barrier(world);
  damage([](std::string& bytes) { bytes = "numbers"; });
  expect_refused("u", "it is not HDF5");
  barrier(world);
  damage([](std::string& bytes) { bytes.replace(96, 200, std::string(200, '\xff')); });
  expect_refused("u", "its structure is damaged");
  barrier(world);
  std::optional<Handle> writer;
  if (world.rank() == 0) writer.emplace(created(file));
  barrier(world);
  if (world.rank() == 1) {  // HDF5 looks at the locks of other processes only
    try {
      find_dataset(file, "u");
      ADD_FAILURE() << "a locked file was read";
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find("another program has it open for writing"), std::string::npos) << e.what();
    }
  }
  barrier(world);
}

TEST_F(Hdf5Field, a_file_is_hdf5_by_content_or_name) {
  EXPECT_TRUE(has_hdf5_name("u.h5") && has_hdf5_name("U.H5") && has_hdf5_name("u.Hdf5"));
  EXPECT_FALSE(has_hdf5_name("u.raw") || has_hdf5_name("h5"));
  make([&](const Handle& out, const Handle& creation) { add_field(out, "u", H5T_NATIVE_DOUBLE, creation); });
  on_root(world, [&] { fs::copy_file(file, folder.path / "u.dat"); });
  EXPECT_EQ(find_field(world, folder.path / "u.dat", "u", {}, "").size, n);
  on_root(world, [&] { std::ofstream(folder.path / "v.raw") << std::string(8 * points, ' '); });
  EXPECT_THROW(find_field(world, folder.path / "v.raw", "u", n, "f64"), InputError);  // --dataset of a raw file
}

TEST_F(Hdf5Field, a_dataset_is_added_to_an_existing_file) {
  make([&](const Handle& out, const Handle& creation) {
    add_field(out, "precious", H5T_NATIVE_DOUBLE, creation);
    Handle(H5Gcreate2(out.id(), "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), &H5Gclose, "H5Gcreate");
    H5Lcreate_external("other.h5", "/", out.id(), "link", H5P_DEFAULT, H5P_DEFAULT);
  });
  for (const char* name : {"u", "group/u", "new/groups/u"}) {
    EXPECT_EQ(why_not_new(name), "");
    write(name);
    EXPECT_NE(why_not_new(name).find("use --force"), std::string::npos);
    EXPECT_EQ(why_not_new(name, true), "");
    write(name);
    EXPECT_EQ(find_field(world, file, name, {}, "f64").size, n);
    expect_right<double>("precious");
  }
  for (const auto& [name, why] : {std::pair{"group", "it is a group"}, std::pair{"u/v", "'u' is no group"},
                                  std::pair{"link/u", "'link' is a link"}, std::pair{"group/", "its name is empty"}})
    EXPECT_NE(why_not_new(name, true).find(why), std::string::npos) << name << why_not_new(name, true);
}

TEST_F(Hdf5Field, an_interrupted_write_changes_nothing) {
  make([&](const Handle& out, const Handle& creation) { add_field(out, "precious", H5T_NATIVE_DOUBLE, creation); });
  const auto before = test::content(file);
  barrier(world);
  {
    const test::FileLimit limit(before.size() + 100);
    EXPECT_THROW(write("u"), InputError);
  }
  EXPECT_TRUE(test::content(file) == before);
}

struct SeveralFields : Hdf5Field {
  void SetUp() override {
    make([&](const Handle& out, const Handle& creation) {
      for (const char* name : {"u", "v"}) add_field(out, name, H5T_NATIVE_DOUBLE, creation);
      add_field(out, "single", H5T_NATIVE_FLOAT, creation);
    });
    if (world.rank() == 0) {  // twice the values
      const Handle out(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), &H5Fclose, "H5Fopen");
      const Handle v(H5Dopen2(out.id(), "v", H5P_DEFAULT), &H5Dclose, "H5Dopen");
      std::vector<double> values(points);
      for (std::size_t i = 0; i < points; ++i) values[i] = 2 * value_at(i);
      ASSERT_GE(H5Dwrite(v.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    }
    barrier(world);
  }
  void transform(const std::vector<std::string>& datasets, const std::string& output,
                 const std::vector<std::string>& to = {}) {
    run(world, {.input = file,
                .output = folder.path / output,
                .spectrum = folder.path / (output + ".csv"),
                .datasets = datasets,
                .output_datasets = to});
  }
  std::vector<std::complex<double>> spectrum(const std::string& output, const std::string& dataset) {
    const auto found = find_field(world, folder.path / output, dataset, {}, "c128");
    const fft::Fft<double> fft(world, n);
    std::vector<std::complex<double>> values(fft.spectrum_size());
    read_box(world, found, fft.spectrum(), values.data());
    return values;
  }
  // Of the shell k.
  double energy(const std::string& output, int k) {
    std::ifstream in(folder.path / (output + ".csv"));
    std::string line;
    for (int row = -1; row <= k; ++row) std::getline(in, line);
    return std::stod(line.substr(line.find(',') + 1));
  }
};

TEST_F(SeveralFields, are_transformed_in_one_run) {
  transform({"u", "v"}, "both.h5");
  transform({"u"}, "one.h5");
  transform({"v"}, "one.h5", {"group/of_v"});
  EXPECT_TRUE(spectrum("both.h5", "u") == spectrum("one.h5", "spectrum"));
  EXPECT_TRUE(spectrum("both.h5", "v") == spectrum("one.h5", "group/of_v"));
  transform({"v", "u"}, "named.h5", {"a", "b"});
  EXPECT_TRUE(spectrum("named.h5", "b") == spectrum("one.h5", "spectrum"));
  transform({"u"}, "u.h5s.h5");
  for (const int k : {0, 1, 2}) EXPECT_NEAR(energy("both.h5", k) / energy("u.h5s.h5", k), 1 + 4, 1e-9);
}

TEST_F(SeveralFields, that_do_not_fit_are_refused) {
  EXPECT_THROW(transform({"u", "single"}, "other.h5"), InputError);
  EXPECT_THROW(transform({"u", "v"}, "other.raw"), InputError);
  EXPECT_THROW(transform({"u", "v"}, "other.h5", {"a"}), InputError);
  EXPECT_THROW(transform({"u", "v"}, "other.h5", {"a", "a"}), InputError);
  EXPECT_THROW(transform({"u", "u"}, "other.h5"), InputError);
  EXPECT_THROW(transform({"u", "v"}, "other.h5", {"a", "a/b"}), InputError);
  EXPECT_FALSE(fs::exists(folder.path / "other.h5") || fs::exists(folder.path / "other.raw"));
}

}  // namespace
}  // namespace weft::fft_program
