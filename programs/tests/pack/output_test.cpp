// SPDX-License-Identifier: BSD-3-Clause
//
// Output that all ranks write, if one of them fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <random>
#include <string>

#include "pack/pack.hpp"
#include "tests/support/file_limit.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/shared_scratch.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::pack {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Way = MapOptions::Way;

constexpr std::size_t block = 4096, input_bytes = 40 * block;

// An incompressible file.
void write_noise(Transport& world, const fs::path& file) {
  on_root(world, [&] {
    std::mt19937 random(7);
    std::ofstream out(file, std::ios::binary);
    for (std::size_t i = 0; i < input_bytes; ++i) out.put(static_cast<char>(random()));
  });
}

// The message on every rank for a file that can't be written: the same, in one line.
std::string refusal(Transport& world, const std::function<void()>& write) {
  std::string said;
  try {
    write();
    ADD_FAILURE() << "it was written";
  } catch (const InputError& e) {
    EXPECT_TRUE(e.everywhere()) << e.what();
    said = e.what();
  }
  EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  barrier(world);
  return said;
}

void expect_only(Transport& world, const fs::path& folder, int files) {
  barrier(world);
  if (world.rank() == 0) {
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), files);
  }
}

// Every rank writes more than one block.
struct Disk {
  explicit Disk(bool is_full) {
    if (is_full) limit.emplace(block);
  }
  std::optional<test::FileLimit> limit;
};

TEST(SharedOutput, a_disk_that_is_full_for_any_rank_leaves_nothing) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  const auto noise = (scratch.path / "noise").string(), archive = (scratch.path / "a.zst").string();
  write_noise(world, noise);
  pack(world, {.files = {noise}, .out = archive, .block_bytes = block, .way = Way::parallel});
  for (int full = 0; full < world.size(); ++full) {
    const Disk disk(world.rank() == full);
    const auto b = (scratch.path / "b.zst").string(), back = (scratch.path / "back").string();
    EXPECT_THAT(
        refusal(world, [&] { pack(world, {.files = {noise}, .out = b, .block_bytes = block, .way = Way::parallel}); }),
        HasSubstr(b + ": This file can't be written"))
        << full;
    for (const auto way : {Way::gather, Way::parallel})
      EXPECT_THAT(refusal(world, [&] { unpack(world, {.file = archive, .out = back, .way = way}); }),
                  HasSubstr(back + ": This file can't be written"))
          << full;
    expect_only(world, scratch.path, 2);
  }
}

TEST(SharedOutput, ranks_that_are_threads_write_one_file) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  const auto noise = (scratch.path / "noise").string(), archive = (scratch.path / "a.zst").string();
  write_noise(world, noise);
  pack(world, {.files = {noise}, .out = archive, .block_bytes = block});
  on_root(world, [&] {
    const auto back = scratch.path / "back";
    run_in_process(3, [&](Transport& threads) { unpack(threads, {.file = archive, .out = back}); });
    EXPECT_EQ(test::content(back), test::content(noise));
  });
}

// The other ranks must close the open file without that rank.
TEST(SharedOutput, a_folder_that_one_rank_does_not_see_leaves_nothing) {
  mpi::Communicator world(MPI_COMM_WORLD);
  if (world.size() == 1) GTEST_SKIP() << "one rank sees its own folder";
  const test::SharedScratch scratch(world);
  const auto noise = (scratch.path / "noise").string(), archive = (scratch.path / "a.zst").string();
  write_noise(world, noise);
  pack(world, {.files = {noise}, .out = archive, .block_bytes = block, .way = Way::parallel});
  on_root(world, [&] {
    fs::create_directories(scratch.path / "here/out");
    fs::create_directories(scratch.path / "there");
  });
  const auto before = fs::current_path();
  fs::current_path(scratch.path / (world.rank() == world.size() - 1 ? "there" : "here"));
  EXPECT_THAT(
      refusal(world,
              [&] { pack(world, {.files = {noise}, .out = "out/b.zst", .block_bytes = block, .way = Way::parallel}); }),
      HasSubstr("out/b.zst: This file can't be written"));
  EXPECT_THAT(refusal(world, [&] { unpack(world, {.file = archive, .out = "out/b", .way = Way::parallel}); }),
              HasSubstr("out/b: This file can't be written"));
  fs::current_path(before);
  expect_only(world, scratch.path / "here/out", 0);
}

}  // namespace
}  // namespace weft::pack
