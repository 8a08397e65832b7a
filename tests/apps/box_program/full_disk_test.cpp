// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/resource.h>

#include <csignal>
#include <optional>
#include <string>

#include "box_program/run.hpp"
#include "tests/apps/box_program/box_run.hpp"
#include "tests/support/shared_scratch.hpp"
#include "weft/error.hpp"

namespace weft {
namespace {

using namespace weft::testing;

// Files of this process can't grow beyond so many bytes while it is there: as good as a full disk.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

// What this rank is told by a run whose first rank can't write more than so many bytes.
std::string said_on_a_full_disk(mpi::Communicator& world, rlim_t bytes) {
  const test::SharedScratch scratch(world);
  auto c = make_case({12, 12});
  c.monitor.every = 1;
  c.steps = 2000;
  c.output = {.directory = scratch.path};
  box_program::RunOptions options;
  options.settings.quiet = true;
  std::optional<FileLimit> limit;
  if (world.rank() == 0) limit.emplace(bytes);
  try {
    box_program::run(world, c, options);
  } catch (const InputError& e) {
    EXPECT_TRUE(e.everywhere());
    return e.what();
  }
  return "";
}

// Rank 0 writes its rows inside of steps, which the others are in, too. Often, since a rank that left a step in its
// middle would take the others' messages with it only where they are late.
TEST(BoxFullDisk, ends_all_ranks_in_order) {
  mpi::Communicator world(MPI_COMM_WORLD);
  for (rlim_t bytes = 1000; bytes <= 20000; bytes += 1000)
    ASSERT_THAT(said_on_a_full_disk(world, bytes),
                ::testing::HasSubstr(world.rank() == 0 ? "monitors.csv (File too large)" : "could not write"));
}

}  // namespace
}  // namespace weft
