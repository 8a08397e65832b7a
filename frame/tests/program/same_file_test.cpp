// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks that see different files under one name: here the ranks have different names.
#include "program/same_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/scratch.hpp"
#include "weft/error.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::program {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// The error of all ranks, of which rank 1 sees `other` instead of `file`.
std::string error_with(const fs::path& file, const fs::path& other) {
  std::vector<std::string> errors(3);
  run_in_process(3, [&](Transport& world) {
    try {
      check_same_file(world, world.rank() == 1 ? other : file);
    } catch (const InputError& e) {
      EXPECT_TRUE(e.everywhere());
      const std::string text = e.what();
      errors[static_cast<std::size_t>(world.rank())] = text.substr(text.find(": ") + 2);
    }
  });
  for (const auto& error : errors) EXPECT_EQ(error, errors[0]);
  return errors[0];
}

TEST(SameFile, another_size_or_content_is_an_error) {
  const test::Scratch scratch;
  for (const std::size_t bytes : {0, 1, 5000, 1 << 20, (1 << 20) + 1, 3000000}) {
    const std::string text(bytes, 'A');
    const auto file = scratch.write("file", text), longer = scratch.write("longer", text + "A"),
               copy = scratch.write("copy", text);
    fs::last_write_time(copy, fs::last_write_time(file));
    EXPECT_EQ(error_with(file, file), "");
    EXPECT_EQ(error_with(file, copy), "");
    EXPECT_THAT(error_with(file, longer), HasSubstr("Rank 1 on "));
    EXPECT_THAT(error_with(file, longer), HasSubstr("its size differs"));
    for (const std::size_t at : {std::size_t{0}, bytes / 2, bytes - 1}) {
      if (bytes == 0 || (bytes > 1 << 20 && at == bytes / 2)) continue;  // between two samples
      auto changed = text;
      changed[at] = 'B';
      EXPECT_THAT(error_with(file, scratch.write("other", changed)), HasSubstr("its content differs")) << at;
    }
  }
}

TEST(SameFile, of_a_large_file_the_time_counts_too) {
  const test::Scratch scratch;
  const auto file = scratch.write("file", std::string(3000000, 'A')),
             other = scratch.write("other", std::string(3000000, 'A'));
  fs::last_write_time(other, fs::last_write_time(file) + std::chrono::seconds(1));
  EXPECT_THAT(error_with(file, other), HasSubstr("the time of its last change differs"));
}

TEST(SameFile, what_is_not_there_or_no_file_is_left_to_the_reader) {
  const test::Scratch scratch;
  const auto file = scratch.write("file", "A");
  EXPECT_EQ(error_with(file, scratch.path() / "missing"), "");
  EXPECT_EQ(error_with(scratch.path() / "missing", file), "");
  EXPECT_EQ(error_with(scratch.path(), file), "");
  EXPECT_EQ(error_with("/dev/zero", file), "");
  EXPECT_EQ(error_with("", ""), "");
}

}  // namespace
}  // namespace weft::program
