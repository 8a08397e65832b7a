// SPDX-License-Identifier: BSD-3-Clause
#include "weft/file/whole_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/support/core_ranks.hpp"
#include "tests/support/scratch.hpp"
#include "weft/error.hpp"
#include "weft/file/beside.hpp"
#include "weft/file/read_whole.hpp"

namespace weft {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::StartsWith;

void write(const fs::path& path, const std::string& text) {
  WholeFile file(path);
  file.stream() << text;
  file.finish();
}

void make_old(const fs::path& file) {
  fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(25));
}

int files_in(const fs::path& folder) { return static_cast<int>(std::distance(fs::directory_iterator(folder), {})); }

TEST(WholeFile, is_there_whole_or_not_at_all) {
  const test::Scratch scratch;
  const auto path = scratch.path() / "a.json";
  { WholeFile left(path); }
  EXPECT_FALSE(fs::exists(path));
  WholeFile file(path);
  file.stream() << "{}";
  EXPECT_FALSE(fs::exists(path));
  file.finish();
  EXPECT_EQ(test::content(path), "{}");
  EXPECT_EQ(files_in(scratch.path()), 1);
}

TEST(WholeFile, is_written_through_its_buffer_in_pieces_and_at_places) {
  const test::Scratch scratch;
  const auto path = scratch.path() / "a";
  const std::string large(200000, 'x');
  WholeFile file(path);
  file.stream() << "head" << large << 17;
  file.stream().seekp(1) << 'E';
  file.stream().seekp(0, std::ios::end) << "tail";
  file.finish();
  EXPECT_EQ(test::content(path), "hEad" + large + "17tail");
}

// Files with names like temporary files belong to others.
TEST(WholeFile, touches_no_other_file) {
  const test::Scratch scratch;
  for (const auto* name : {"a.part", "a.tmp", "a.weft-", "a.weft-0000000", "b.weft-000000"})
    std::ofstream(scratch.path() / name) << "mine";
  fs::create_symlink("a.part", scratch.path() / "a.weft-000000");
  write(scratch.path() / "a", "new");
  for (const auto* name : {"a.part", "a.tmp", "a.weft-", "a.weft-0000000", "b.weft-000000", "a.weft-000000"})
    EXPECT_EQ(test::content(scratch.path() / name), "mine") << name;
  EXPECT_EQ(files_in(scratch.path()), 7);
}

TEST(WholeFile, two_writers_of_one_name_leave_one_whole_file) {
  const test::Scratch scratch;
  const auto path = scratch.path() / "a";
  WholeFile one(path), other(path);
  one.stream() << "one";
  other.stream() << "other";
  one.finish();
  EXPECT_EQ(test::content(path), "one");
  other.finish();
  EXPECT_EQ(test::content(path), "other");
  EXPECT_EQ(files_in(scratch.path()), 1);
}

TEST(WholeFile, removes_what_was_left_a_day_ago) {
  const test::Scratch scratch;
  const auto old = scratch.path() / "a.weft-abcdefghrxih", young = scratch.path() / "a.weft-abc12345ceb6";
  const auto of_mpi = scratch.path() / "a.weft-abc12345ceb6.locktest.0";  // made by an MPI library beside it
  for (const auto& left : {old, young, of_mpi}) std::ofstream(left) << "left";
  make_old(old);
  write(scratch.path() / "a", "new");
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));
  Beside::remove_leftovers(scratch.path(), "b");
  EXPECT_TRUE(fs::exists(young));
  Beside::remove_leftovers(scratch.path(), "a");
  EXPECT_FALSE(fs::exists(young));
  EXPECT_FALSE(fs::exists(of_mpi));
}

TEST(WholeFile, a_name_that_a_person_chose_is_no_leftover) {
  const test::Scratch scratch;
  const auto names = {"a.weft-backup", "a.weft-abc123", "a.weft-abcdefghrxix", "a.weft-backup_of_me", "a.weft-"};
  for (const auto* name : names) {
    std::ofstream(scratch.path() / name) << "mine";
    make_old(scratch.path() / name);
  }
  write(scratch.path() / "a", "new");
  Beside::remove_leftovers(scratch.path(), "a");
  for (const auto* name : names) EXPECT_TRUE(fs::exists(scratch.path() / name)) << name;
}

TEST(WholeFile, what_is_being_written_stays_however_old_it_is) {
  const test::Scratch scratch;
  const auto path = scratch.path() / "a";
  WholeFile slow(path);
  slow.stream() << "slow";
  make_old(slow.beside());
  write(path, "new");
  EXPECT_TRUE(fs::exists(slow.beside()));
  Beside::remove_leftovers(scratch.path(), "a");
  EXPECT_TRUE(fs::exists(slow.beside()));
  slow.finish();
  EXPECT_EQ(test::content(path), "slow");
}

TEST(WholeFile, what_came_meanwhile_is_replaced_only_if_that_is_said) {
  const test::Scratch scratch;
  const auto path = scratch.path() / "a";
  WholeFile one(path), other(path), third(path);
  for (auto* file : {&one, &other, &third}) file->stream() << (file == &one ? "one" : "other");
  one.finish_new();
  EXPECT_THAT(error_of([&] { other.finish_new(); }), HasSubstr("a: This file exists already"));
  EXPECT_EQ(test::content(path), "one");
  third.finish();
  EXPECT_EQ(test::content(path), "other");
  EXPECT_EQ(files_in(scratch.path()), 1);
}

TEST(WholeFile, a_link_stays_one_and_permissions_stay) {
  const test::Scratch scratch;
  const auto folder = scratch.path() / "elsewhere", link = scratch.path() / "link";
  fs::create_directory(folder);
  std::ofstream(folder / "a") << "old";
  ::chmod((folder / "a").c_str(), 0600);
  fs::create_symlink("elsewhere/a", link);
  write(link, "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(test::content(folder / "a"), "new");
  EXPECT_EQ(fs::status(folder / "a").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

fs::perms mode_of(const fs::path& file) { return fs::status(file).permissions(); }

// From the first byte on: between creation and chmod another user could open it.
TEST(WholeFile, nobody_else_can_open_what_replaces_a_secret) {
  const test::Scratch scratch;
  const auto path = scratch.path() / "a";
  std::ofstream(path) << "old";
  for (const mode_t mode : {0600, 0400, 0644, 0640}) {
    ::chmod(path.c_str(), mode);
    WholeFile file(path);
    file.stream() << "new";
    EXPECT_EQ(mode_of(file.beside()), fs::perms(0600)) << mode;
    file.finish();
    EXPECT_EQ(mode_of(path), fs::perms(mode));
  }
  WholeFile copy(scratch.path() / "copy", Access{.mode = 0440, .owner = ::getuid(), .group = ::getgid()});
  EXPECT_EQ(mode_of(copy.beside()), fs::perms(0600));
  copy.finish();
  EXPECT_EQ(mode_of(scratch.path() / "copy"), fs::perms(0440));
}

TEST(WholeFile, what_two_files_allow_is_what_both_allow) {
  const auto both = [](mode_t one, gid_t group, mode_t other, gid_t other_group) {
    return (Access{.mode = one, .group = group} & Access{.mode = other, .group = other_group}).mode;
  };
  EXPECT_EQ(both(0644, 1, 0600, 1), 0600U);
  EXPECT_EQ(both(0640, 1, 0664, 1), 0640U);
  EXPECT_EQ(both(0640, 1, 0640, 2), 0600U);
  EXPECT_EQ(both(0644, 1, 0664, 2), 0644U);
}

// Where the file system has files without a name; the kernel removes them with the process.
TEST(WholeFile, has_no_name_before_it_is_complete) {
  const test::Scratch scratch;
  const int unnamed = ::open(scratch.path().c_str(), O_TMPFILE | O_RDWR, 0600);
  if (unnamed < 0) GTEST_SKIP() << "the file system has no unnamed files";
  ::close(unnamed);
  WholeFile file(scratch.path() / "a");
  file.stream() << "new" << std::flush;
  EXPECT_EQ(files_in(scratch.path()), 0);
  file.finish();
  EXPECT_EQ(files_in(scratch.path()), 1);
}

// Two writers that ended by a signal: one whose file has a name, and one that has just finished its own.
TEST(WholeFile, a_signal_leaves_no_file_with_a_temporary_name) {
  const test::Scratch scratch;
  for (const int number : {SIGINT, SIGTERM, SIGXCPU}) {
    const auto child = ::fork();
    if (child == 0) {
      remove_unfinished_files();
      WholeFile whole(scratch.path() / "whole");
      whole.finish();
      WholeFile part(scratch.path() / "part");
      part.stream() << "half" << std::flush;
      part.share();
      ::raise(number);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == number) << status;
    EXPECT_EQ(files_in(scratch.path()), 1);
    EXPECT_TRUE(fs::exists(scratch.path() / "whole"));
  }
}

TEST(WholeFile, names_may_be_long) {
  const test::Scratch scratch;
  const auto path = scratch.path() / std::string(255, 'n');
  write(path, "new");
  EXPECT_EQ(test::content(path), "new");
}

TEST(WholeFile, what_can_not_be_written_is_told_with_the_systems_reason) {
  const test::Scratch scratch;
  std::ofstream(scratch.path() / "file") << "a file";
  const auto of = [](const fs::path& path) { return error_of([&] { WholeFile::check(path); }); };
  EXPECT_THAT(of(scratch.path()),
              StartsWith(scratch.path().string() + ": This file can't be written (it is a folder)"));
  EXPECT_THAT(of(scratch.path() / "file/a"), HasSubstr("file/a: This file can't be written (Not a directory)"));
  EXPECT_THAT(of("/proc/no/a"), HasSubstr("This file can't be written"));
  EXPECT_THAT(of("/proc/a"), StartsWith("/proc/a: This file can't be written (No such file or directory)"));
}

// Through a link to a device, so that a mistake would only replace the test's own link by a file.
TEST(WholeFile, a_device_is_written_as_it_is_and_a_full_one_is_told) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  const test::Scratch scratch;
  const auto path = scratch.path() / "full.json";
  fs::create_symlink("/dev/full", path);
  WholeFile::check(path);
  EXPECT_THAT(error_of([&] { write(path, "{}"); }),
              HasSubstr("full.json: This file can't be written (No space left on device)"));
  EXPECT_TRUE(fs::is_symlink(path));
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  EXPECT_EQ(files_in(scratch.path()), 1);
}

// The check must not wait for a reader of the pipe, and refuses what only plain files can do.
TEST(WholeFile, a_pipe_is_asked_without_being_opened) {
  const test::Scratch scratch;
  const auto path = scratch.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  WholeFile::check(path);
  EXPECT_THAT(error_of([&] { Beside beside(path); }),
              HasSubstr("pipe: This file can't be written (it is no plain file)"));
  EXPECT_TRUE(fs::is_fifo(path));
}

TEST(WholeFile, is_read_whole_or_refused_with_the_systems_reason) {
  const test::Scratch scratch;
  const auto of = [](const fs::path& file) { return error_of([&] { read_whole(file, "Give a file."); }); };
  for (const std::size_t size : {0, 1, 100000})
    EXPECT_EQ(read_whole(scratch.write("a", std::string(size, 'x')), ""), std::string(size, 'x'));
  EXPECT_GT(read_whole("/proc/self/status", "").size(), 100U);  // its reported size is 0
  EXPECT_EQ(of("/nowhere/a"), "/nowhere/a: This file can't be read (No such file or directory). Give a file.");
  EXPECT_THAT(of(scratch.path()), HasSubstr("can't be read (Is a directory). Give"));
  EXPECT_THAT(of("/dev/zero"), HasSubstr("can't be read (it is a device)"));
}

TEST(WholeFile, what_is_read_is_not_written) {
  const test::Scratch scratch;
  const auto file = scratch.path() / "a", link = scratch.path() / "link", other = scratch.path() / "other";
  std::ofstream(file) << "input";
  fs::create_hard_link(file, link);
  std::ofstream(other) << "input";
  check_apart(other, file);
  check_apart(scratch.path() / "none", file);
  check_apart("", "");
  check_apart("-", "-");
  EXPECT_THAT(error_of([&] { check_apart(file, file); }),
              HasSubstr("a: This file is read, so it can't be written too"));
  EXPECT_THAT(error_of([&] { check_apart(link, file); }), HasSubstr("it is the same file as " + file.string()));
}

TEST(WholeFile, two_outputs_are_two_files) {
  const test::Scratch scratch;
  const auto a = scratch.path() / "a", b = scratch.path() / "b", read = scratch.path() / "read";
  std::ofstream(read) << "input";
  check_apart({a, b, "", "", "-", "-", "/dev/null", "/dev/null"}, {read, ""});
  EXPECT_THAT(error_of([&] { check_apart({a, b, a}, {}); }), HasSubstr("a: This file would be written twice. "));
  const auto other = scratch.path() / "." / "a";
  EXPECT_THAT(error_of([&] { check_apart({a, other}, {}); }), HasSubstr("it is the same file as " + a.string()));
  EXPECT_THAT(error_of([&] { check_apart({a, read}, {read}); }), HasSubstr("read: This file is read"));
}

TEST(WholeFile, a_name_that_is_given_is_asked_without_a_trace) {
  const test::Scratch scratch;
  const auto out = scratch.path() / "out";
  EXPECT_THAT(error_of([&] { WholeFile::check_given(out / "a"); }), HasSubstr("there is no folder"));
  for (const auto& made : {out, out / "", out / ".", out / "x" / ".."}) WholeFile::check_given(out / "a", made);
  WholeFile::check(out / "further" / "a");
  EXPECT_EQ(files_in(scratch.path()), 0);
  EXPECT_THAT(error_of([&] { WholeFile::check_given_plain("/dev/null"); }), HasSubstr("it is no plain file"));
  WholeFile::check_given_plain(scratch.path() / "a");
  EXPECT_EQ(files_in(scratch.path()), 0);
}

}  // namespace
}  // namespace weft
