// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/collectives.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "bench/collectives/delay_pattern.hpp"
#include "bench/collectives/suite.hpp"
#include "bench/tests/bench/report_of.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

using namespace collectives;

class Collectives : public testing::Test {
 protected:
  mpi::Communicator world_{MPI_COMM_WORLD};
  Group group_{world_.handle(), world_.rank(), world_.size()};

  CollectivesOptions options(std::vector<std::string> operations) {
    CollectivesOptions o;
    o.quick = true;
    o.operations = std::move(operations);
    o.sizes = {64};
    o.seconds = 0.1;
    return o;
  }
  // Runs the suite and returns its report, on rank 0.
  nlohmann::json run(const CollectivesOptions& o, int status, const std::vector<Entry>& entries = operations()) {
    testing::internal::CaptureStdout();
    auto document = report_of(
        o, [&](const CollectivesOptions& given) { EXPECT_EQ(collectives_suite(world_, given, entries), status); });
    table_ = testing::internal::GetCapturedStdout();
    return document;
  }
  std::string table_;
};

TEST_F(Collectives, every_operation_and_kind_gives_right_results) {
  std::set<std::string> names;
  for (const auto& entry : operations()) {
    EXPECT_TRUE(names.insert(entry.name).second);
    for (const auto kind : all_kinds) {
      if (!can(entry, kind)) continue;
      for (const std::size_t bytes : {8, 24, 4096, 65536 + 8}) {
        Subject subject(group_, entry, kind, bytes, true);
        for (int again = 0; again < 3; ++again) {
          subject.fill();
          subject.run();
          EXPECT_TRUE(subject.right()) << subject.name();
        }
        subject.run();  // results of the run before do no harm
        EXPECT_TRUE(subject.right()) << subject.name();
      }
    }
  }
  EXPECT_EQ(names.size(), 15U);
}

TEST_F(Collectives, what_did_not_happen_is_not_right) {
  for (const auto& entry : operations()) {
    if (!entry.sized) continue;
    Subject subject(group_, entry, Kind::nonblocking, 64, true);
    subject.fill();
    // In some operations some ranks receive nothing, but then others do.
    const int wrong = subject.right() ? 0 : 1;
    const bool only_root = entry.name == "bcast" && world_.size() == 1;
    EXPECT_EQ(all_reduce(world_, wrong, maximum<int>()), only_root ? 0 : 1) << entry.name;
  }
}

TEST_F(Collectives, any_progress_gives_right_results) {
  using Who = ProgressOptions::Kind;
  for (const auto progress : {Who::passive, Who::polling, Who::thread}) {
    if (progress == Who::thread && !world_.thread_multiple()) continue;
    Progress driver(world_, {.kind = progress, .interval_seconds = 0});
    for (const auto& entry : operations())
      for (const auto kind : all_kinds) {
        if (!can(entry, kind)) continue;
        Subject subject(group_, entry, kind, 512, true);
        DrivenSubject driven(subject, driver);
        for (int again = 0; again < 3; ++again) {
          subject.fill();
          driven.start();
          for (int i = 0; i < 10; ++i) driven.poll();
          driven.wait();
          EXPECT_TRUE(subject.right()) << subject.name();
        }
      }
  }
}

TEST_F(Collectives, suite_reports_every_experiment) {
  auto o = options({"barrier", "allreduce", "alltoall"});
  o.deltas_us = {20};
  o.sync = Sync::barrier;  // no rank is late, also on a busy machine
  const auto document = run(o, 0);
  if (world_.rank() != 0) return;
  EXPECT_EQ(document["benchmark"], "collectives");
  EXPECT_EQ(document["figures"]["failed_checks"], 0.0);
  std::set<std::string> seen;
  for (const auto& r : document["results"]) {
    const auto& key = r["key"];
    seen.insert(key.value("experiment", "") + " " + key.value("operation", "") + " " + key.value("kind", "") + " " +
                key.value("what", ""));
    if (!r.contains("samples")) continue;
    EXPECT_TRUE(key["right"]) << r["what"];
    EXPECT_EQ(key["late"], 0) << r["what"];
    EXPECT_LE(r["minimum"], r["low"]);
    EXPECT_LE(r["interval"][0], r["median"]);
    EXPECT_GE(r["interval"][1], r["median"]);
  }
  for (const auto* what :
       {"time allreduce blocking ", "time barrier nonblocking ", "overlap alltoall nonblocking overlap_fraction",
        "overlap alltoall nonblocking beta", "overlap alltoall nonblocking overlap"}) {
    EXPECT_TRUE(seen.contains(what)) << what;
  }
  EXPECT_EQ(seen.contains("time alltoall persistent "), have_persistent());
  EXPECT_EQ(seen.contains("delay barrier blocking benefit"), world_.size() > 1);
}

TEST_F(Collectives, windows_start_runs_as_well) {
  auto o = options({"bcast"});
  o.overlap = false;
  if (world_.size() > 1) o.delayed = "random:1";
  const auto document = run(o, 0);
  if (world_.rank() != 0) return;
  EXPECT_EQ(document["settings"]["sync"], "window");
}

// This operation completes, but nothing arrives on the last rank.
TEST_F(Collectives, wrong_result_is_told_and_fails) {
  class Broken final : public Operation {
   public:
    explicit Broken(const Group& group) : group_(group) {}
    void fill() override {}
    bool right() const override { return group_.rank != group_.size - 1; }
    int call() override { return MPI_SUCCESS; }
    int start(MPI_Request* request) override { return MPI_Ibarrier(group_.comm, request); }
    int init(MPI_Request*) override { return MPI_ERR_OTHER; }

   private:
    Group group_;
  };
  auto entries = operations();
  const auto make = [](const Group& group, std::size_t) { return std::make_unique<Broken>(group); };
  entries.push_back({.name = "broken", .make = make});
  auto o = options({"broken", "reduce"});
  o.kinds = {Kind::blocking, Kind::nonblocking};
  o.delay = o.overlap = false;
  const auto document = run(o, 1, entries);
  if (world_.rank() != 0) return;
  EXPECT_EQ(document["figures"]["failed_checks"], 2.0);
  EXPECT_THAT(table_, testing::HasSubstr("FAILED: time: broken blocking"));
  for (const auto& r : document["results"]) {
    if (r["key"].contains("right")) {
      EXPECT_EQ(r["key"]["right"], r["key"]["operation"] == "reduce");
    }
  }
}

// A rank that leaves a barrier alone has not waited.
TEST_F(Collectives, barrier_that_does_not_wait_is_found) {
  if (world_.size() == 1) return;
  class Open final : public Operation {
   public:
    void fill() override {}
    bool right() const override { return true; }
    int call() override { return MPI_SUCCESS; }
    int start(MPI_Request*) override { return MPI_ERR_OTHER; }
    int init(MPI_Request*) override { return MPI_ERR_OTHER; }
  };
  auto o = options({"open"});
  o.kinds = {Kind::blocking};
  o.deltas_us = {1000};
  o.time = o.overlap = false;
  const auto make = [](const Group&, std::size_t) { return std::make_unique<Open>(); };
  run(o, 1, {{.name = "open", .sized = false, .synchronises = true, .make = make}});
}

TEST_F(Collectives, input_is_checked_before_anything_is_measured) {
  auto o = options({"allreduce", "alltoal"});
  EXPECT_THROW(collectives_suite(world_, o), InputError);
  o = options({"allreduce"});
  o.sizes = {12};
  EXPECT_THROW(collectives_suite(world_, o), InputError);
  EXPECT_THROW(kind_names.named("eager"), InputError);
  for (const auto* delayed : {"4", "random:0", "random:4", "random:", "nowhere"})
    EXPECT_THROW(delay_pattern(world_, delayed, 1), InputError) << delayed;
}

TEST_F(Collectives, random_ranks_come_late_the_same_on_all_ranks) {
  if (world_.size() < 3) return;
  const auto pattern = delay_pattern(world_, "random:2", 9);
  double sum = 0;
  std::set<std::vector<double>> rows(pattern.begin(), pattern.end());
  for (const auto& row : pattern) {
    EXPECT_EQ(std::count(row.begin(), row.end(), 1.0), 2);
    for (std::size_t r = 0; r < row.size(); ++r) sum = sum * 0.999 + row[r] * static_cast<double>(r);
  }
  EXPECT_GT(rows.size(), 2U);
  EXPECT_EQ(all_reduce(world_, sum, maximum<double>()), sum);
}

}  // namespace
}  // namespace weft::bench
