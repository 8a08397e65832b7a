// SPDX-License-Identifier: BSD-3-Clause
#include "program/rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <mutex>
#include <utility>
#include <vector>

#include "program/run_frame.hpp"
#include "tests/support/scratch.hpp"
#include "weft/error.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::program {
namespace {

// Synced files, by their inode numbers.
struct SyncLog {
  std::mutex mutex;
  std::vector<ino_t> files;
} sync_log;

}  // namespace
}  // namespace weft::program

// Replaces the C library's function in the whole program.
extern "C" int fsync(int descriptor) {
  auto& log = weft::program::sync_log;
  struct stat file {};
  if (::fstat(descriptor, &file) == 0) {
    const std::scoped_lock lock(log.mutex);
    log.files.push_back(file.st_ino);
  }
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

namespace weft::program {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

// The files synced since the last call.
std::vector<ino_t> synced_files() {
  const std::scoped_lock lock(sync_log.mutex);
  return std::exchange(sync_log.files, {});
}

ino_t number_of(const std::filesystem::path& file) {
  struct stat status {};
  EXPECT_EQ(::stat(file.c_str(), &status), 0) << file;
  return status.st_ino;
}

// Not with every row, but when the run asks for it, and at the end.
TEST(Rows, are_on_the_disk_after_sync_and_after_write_json) {
  const test::Scratch scratch;
  const auto csv = scratch.path() / "rows.csv", json = scratch.path() / "rows.json";
  run_in_process(2, [&](Transport& world) {
    KeptFailure failure;
    Rows rows(world, failure, scratch.path() / "rows", {"step", "x"}, 0);
    const auto add = [&](std::int64_t step) {
      if (world.rank() == 0) synced_files();
      rows.append(step, std::array{0.5});
      if (world.rank() == 0) {
        EXPECT_THAT(synced_files(), IsEmpty());
      }
    };
    add(0);
    rows.sync();
    if (world.rank() == 0) {
      EXPECT_THAT(synced_files(), Contains(number_of(csv)));
    }
    add(1);
    rows.write_json();
    if (world.rank() != 0) return;
    const auto files = synced_files();
    EXPECT_THAT(files, Contains(number_of(csv)));
    EXPECT_THAT(files, Contains(number_of(json)));
    EXPECT_FALSE(failure.any());
  });
}

TEST(Rows, of_a_frame_are_on_the_disk_before_a_checkpoint_and_at_the_end) {
  const test::Scratch scratch;
  run_in_process(1, [&](Transport& world) {
    RunFrame frame(world, {.quiet = true}, {.directory = scratch.path()});
    auto& first = frame.rows("first", {"step", "x"}, 0);
    auto& second = frame.rows("second", {"step", "x"}, 0);
    const auto add = [&](std::int64_t step) {
      first.append(step, std::array{0.5});
      second.append(step, std::array{0.5});
      synced_files();
    };
    const auto expect_synced = [&] {
      const auto files = synced_files();
      for (const auto* name : {"first.csv", "second.csv"})
        EXPECT_THAT(files, Contains(number_of(scratch.path() / name))) << name;
    };
    add(0);
    frame.sync_rows();
    expect_synced();
    add(1);
    std::vector<std::filesystem::path> left;
    frame.finish_rows(left);
    expect_synced();
  });
}

// After a failure to write, nothing more is written to a table, so that no row is missing in between.
TEST(Rows, are_not_synced_after_a_failure) {
  const test::Scratch scratch;
  run_in_process(1, [&](Transport& world) {
    KeptFailure failure;
    Rows rows(world, failure, scratch.path() / "rows", {"step", "x"}, 0);
    failure.keep([] { throw InputError("no room."); });
    synced_files();
    rows.append(0, std::array{0.5});
    rows.sync();
    rows.write_json();
    EXPECT_THAT(synced_files(), IsEmpty());
    EXPECT_FALSE(std::filesystem::exists(scratch.path() / "rows.json"));
  });
}

}  // namespace
}  // namespace weft::program
