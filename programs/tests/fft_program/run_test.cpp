// SPDX-License-Identifier: BSD-3-Clause
//
// Files, the energy spectrum, and the benchmark's plain transform.
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "bench/fft/fft_baseline.hpp"
#include "core/tests/fft/reference.hpp"
#include "fft_program/field_file.hpp"
#include "fft_program/run.hpp"
#include "fft_program/spectrum.hpp"
#include "tests/support/scratch.hpp"

namespace weft::fft {
namespace {

using namespace weft::fft::testing;
using namespace weft::fft_program;
using test::Scratch;

const Size3 n{6, 7, 8};

// A folder of rank 0 whose path all ranks have.
struct Shared {
  explicit Shared(Transport& world) : transport(world) {
    std::string name;
    if (world.rank() == 0) name = own.emplace().path().string();
    path = broadcast(world, name);
  }
  ~Shared() { barrier(transport); }
  Transport& transport;
  std::optional<Scratch> own;
  std::filesystem::path path;
};

void write_box(mpi::Communicator& world, const std::filesystem::path& file, const std::string& dataset,
               const Size3& size, const std::string& type, const Box& box, const void* values) {
  FieldWriter writer(world, file, {dataset}, size, type);
  writer.write(0, box, values);
  writer.finish();
}

TEST(FftProgram, fields_go_through_files) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const Shared folder(world);
  const auto cube = noise_cube(n, false);
  for (const auto decomposition : {Decomposition::slabs, Decomposition::pencils})
    for (const char* name : {"u.raw", "u.h5"}) {
      const Fft<std::complex<double>> fft(world, n, {.decomposition = decomposition});
      Cube field(fft.field_size()), back(field.size());
      scatter(cube, fft.field(), n, field.data());
      write_box(world, folder.path / name, "u", n, "c128", fft.field(), field.data());
      const auto file = find_field(world, folder.path / name, name == std::string("u.h5") ? "u" : "", n, "c128");
      EXPECT_EQ(file.size, n);
      read_box(world, file, fft.field(), back.data());
      EXPECT_TRUE(field == back);
    }
}

TEST(FftProgram, a_dataset_beyond_its_file_is_refused) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const Shared folder(world);
  const auto file = folder.path / "u.h5";
  const Fft<double> fft(world, n);
  const std::vector<double> field(fft.field_size());
  write_box(world, file, "u", n, "f64", fft.field(), field.data());
  for (const auto& forged : {Size3{6, 7, 9}, Size3{std::size_t{1} << 40, std::size_t{1} << 40, 8}}) {
    if (world.rank() == 0) {
      auto bytes = test::content(file);
      const auto text_of_size = [](const Size3& size) {
        return std::string(reinterpret_cast<const char*>(size.data()), sizeof size);
      };
      const auto at = bytes.find(text_of_size(n));
      ASSERT_NE(at, std::string::npos);
      bytes.replace(at, sizeof n, text_of_size(forged));
      std::ofstream(folder.path / "forged.h5", std::ios::binary) << bytes;
    }
    barrier(world);
    EXPECT_THROW(find_field(world, folder.path / "forged.h5", "u", {}, ""), InputError);
    barrier(world);
  }
}

TEST(FftProgram, the_spectrum_sums_up_to_the_energy) {
  mpi::Communicator world(MPI_COMM_WORLD);
  for (const bool transposed : {false, true}) {
    const auto cube = noise_cube(n, true);
    double energy = 0, points = 0, found = 0;
    for (const auto v : cube) energy += 0.5 * std::norm(v) / static_cast<double>(cube.size());
    Fft<double> fft(world, n, {.transposed = transposed, .normalisation = Normalisation::forward});
    std::vector<double> field(fft.field_size());
    Cube spectrum(fft.spectrum_size());
    scatter(cube, fft.field(), n, field.data());
    fft.forward(field, spectrum);
    for (const auto& shell : energy_spectrum(world, n, fft.spectrum(), true, spectrum.data())) {
      found += shell.energy;
      points += shell.waves;
    }
    EXPECT_NEAR(found / energy, 1, 1e-12);
    EXPECT_EQ(points, static_cast<double>(cube.size()));
  }
}

TEST(FftBench, the_plain_transform_is_right) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const auto cube = noise_cube(n, false);
  const Fft<std::complex<double>> fft(world, n, {.decomposition = Decomposition::slabs});
  Cube field(fft.field_size()), spectrum(fft.spectrum_size());
  scatter(cube, fft.field(), n, field.data());
  bench::FftBaseline(world.handle(), n, Effort::estimate).forward(field.data(), spectrum.data());
  EXPECT_LT(difference(world, spectrum.data(), fft.spectrum(), direct(cube, n), n), 1e-12);
}

}  // namespace
}  // namespace weft::fft
