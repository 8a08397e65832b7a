// SPDX-License-Identifier: BSD-3-Clause
#include "history/series.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "history/badge.hpp"
#include "profile/tests/history/made_runs.hpp"

namespace weft::history {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The overlap fractions of runs whose intervals are 0.02 wide to both sides; below 0: unknown.
class Trended {
 public:
  explicit Trended(std::vector<double> overlaps, double repeated = 1) {
    for (const double overlap : overlaps) {
      runs_.push_back(made_run(static_cast<int>(runs_.size()), overlap));
      runs_.back().runs = repeated;
    }
    for (const auto& run : runs_) points_.push_back({&run, &run.regions.front(), true});
  }
  std::vector<Point> points_;

  std::vector<std::size_t> places() const {
    std::vector<std::size_t> at;
    for (const auto& change : changes_of(points_)) at.push_back(change.at);
    return at;
  }
  bool perhaps() const { return changes_of(points_).back().perhaps; }

 private:
  std::deque<PastRun> runs_;
};

TEST(Changes, AreConfirmedByTheNextRun) {
  EXPECT_THAT(Trended({0.6, 0.61, 0.59, 0.2, 0.21, 0.2, 0.61, 0.6}).places(), ElementsAre(3, 6));
  EXPECT_FALSE(Trended({0.6, 0.61, 0.2, 0.21}).perhaps());
}

TEST(Changes, OfTheLastRunArePerhapsOne) {
  EXPECT_THAT(Trended({0.6, 0.6, 0.2}).places(), ElementsAre(2));
  EXPECT_TRUE(Trended({0.6, 0.6, 0.2}).perhaps());
  EXPECT_FALSE(Trended({0.6, 0.6, 0.2}, 5).perhaps());
}

TEST(Changes, AreNoSingleRunsAndNoneWithinTheIntervals) {
  EXPECT_THAT(Trended({0.6, 0.61, 0.2, 0.6, 0.61}).places(), IsEmpty());
  EXPECT_THAT(Trended({0.6, 0.63, 0.6, 0.57, 0.61, 0.63}).places(), IsEmpty());
  EXPECT_THAT(Trended({0.6, 0.6, 0.2, 0.9, 0.6}).places(), IsEmpty());
  EXPECT_THAT(Trended({0.6}).places(), IsEmpty());
  EXPECT_THAT(Trended({}).places(), IsEmpty());
}

TEST(Changes, OfASlowDriftAreFound) {
  std::vector<double> overlaps(6, 0.8);
  for (int i = 1; i <= 20; ++i) overlaps.push_back(0.8 - 0.004 * i);
  overlaps.resize(60, 0.72);
  const Trended drifting(overlaps);
  EXPECT_THAT(drifting.places(), ElementsAre(16));
  const auto change = changes_of(drifting.points_).front();
  EXPECT_TRUE(change.drift);
  EXPECT_EQ(change.before, 4u);
  EXPECT_FALSE(changes_of(Trended({0.6, 0.6, 0.2, 0.2}).points_).front().drift);
}

TEST(Changes, LookPastRunsWithoutAResult) {
  EXPECT_THAT(Trended({0.6, -1, 0.6, 0.2, -1, 0.2}).places(), ElementsAre(3));
  EXPECT_THAT(Trended({-1, -1}).places(), IsEmpty());
}

TEST(Changes, NeedFivePointsWhereThereAreNoIntervals) {
  Trended trended({0.6, 0.6, 0.52, 0.52, 0.3, 0.3});
  for (auto& point : trended.points_) const_cast<Region*>(point.region)->interval.reset();
  EXPECT_THAT(trended.places(), ElementsAre(4));
}

TEST(SeriesOfRuns, AreOfOneCommandAndMachine) {
  std::vector<PastRun> runs;
  for (int i = 0; i < 5; ++i) runs.push_back(made_run(i, 0.5));
  runs[1].ranks = 4;
  runs[0].network = "emulated network (1 ms, 1 Gbit/s)";
  runs[3].command = {"mpirun", "-n", "2", "/elsewhere/jacobi"};
  const auto all = series_of(runs, "main");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_THAT(all[0].runs, ElementsAre(&runs[2], &runs[3], &runs[4]));
  EXPECT_THAT(all[1].runs, ElementsAre(&runs[1]));
  EXPECT_EQ(all[1].machine, "4 ranks on 8 cores, Xeon, Open MPI v4.1.4");
  EXPECT_EQ(all[2].machine, "2 ranks on 8 cores, Xeon, Open MPI v4.1.4, emulated network (1 ms, 1 Gbit/s)");
  EXPECT_EQ(all[0].command, "mpirun -n 2 jacobi");
}

TEST(SeriesOfRuns, CompareRunsOfOneBranch) {
  std::vector<PastRun> runs;
  for (int i = 0; i < 6; ++i) runs.push_back(made_run(i, i % 2 == 1 ? 0.1 : 0.6));
  for (int i = 1; i < 6; i += 2) runs[static_cast<std::size_t>(i)].commit.branch = "slow";
  EXPECT_EQ(main_branch(runs, ""), "main");
  EXPECT_EQ(main_branch(runs, "slow"), "slow");
  const auto all = series_of(runs, "main");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_THAT(all[0].trends[0].changes, IsEmpty());
  EXPECT_FALSE(all[0].trends[0].points[1].on_line);
  EXPECT_EQ(&newest(runs, "main"), &runs[4]);
  EXPECT_EQ(&newest(runs, "nothing"), &runs[5]);
}

}  // namespace
}  // namespace weft::history
