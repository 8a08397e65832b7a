// SPDX-License-Identifier: BSD-3-Clause
#include "program/scratch_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "weft/transport/collectives.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::program {
namespace {

namespace fs = std::filesystem;

TEST(ScratchFolder, is_nobody_elses_and_goes) {
  fs::path path;
  {
    const ScratchFolder one("test"), other("test");
    path = one.path();
    EXPECT_NE(path, other.path());
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    std::ofstream(path / "file") << "content";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(ScratchFolder, is_the_same_on_all_ranks) {
  run_in_process(3, [](Transport& world) {
    const ScratchFolder folder(world, "test");
    for (const auto& path : all_gather(world, folder.path().string())) EXPECT_EQ(path, folder.path());
    EXPECT_TRUE(fs::is_directory(folder.path()));
    all_gather(world, std::string());  // no rank reads it any more
  });
}

}  // namespace
}  // namespace weft::program
