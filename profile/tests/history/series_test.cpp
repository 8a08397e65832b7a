// SPDX-License-Identifier: BSD-3-Clause
#include "history/series.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

#include "profile/tests/history/made_runs.hpp"
#include "weft/error.hpp"

namespace weft::history {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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

TEST(Changes, AreConfirmedByTheNextRuns) {
  EXPECT_THAT(Trended({0.6, 0.61, 0.59, 0.6, 0.2, 0.21, 0.2, 0.2, 0.61, 0.6, 0.6}).places(), ElementsAre(4, 8));
  EXPECT_THAT(Trended({0.6, 0.61, 0.6, 0.6, 0.2}).places(), ElementsAre(4));
  EXPECT_TRUE(Trended({0.6, 0.61, 0.6, 0.6, 0.2}).perhaps());
  EXPECT_TRUE(Trended({0.6, 0.61, 0.6, 0.6, 0.2, 0.21}, 5).perhaps());
  EXPECT_FALSE(Trended({0.6, 0.61, 0.6, 0.6, 0.2, 0.21, 0.2}).perhaps());
}

TEST(Changes, AreNoSingleRunsAndNoneWithinTheIntervals) {
  EXPECT_THAT(Trended({0.6, 0.61, 0.6, 0.6, 0.2, 0.6, 0.61}).places(), IsEmpty());
  EXPECT_THAT(Trended({0.6, 0.61, 0.6, 0.6, 0.2, 0.2, 0.6, 0.61}).places(), IsEmpty());
  EXPECT_THAT(Trended({0.6, 0.63, 0.6, 0.57, 0.61, 0.63}).places(), IsEmpty());
  EXPECT_THAT(Trended({0.6, 0.6, 0.6, 0.6, 0.2, 0.9, 0.6}).places(), IsEmpty());
  EXPECT_THAT(Trended({0.6, 0.6, 0.2, 0.2, 0.2, 0.2}).places(), IsEmpty());  // two runs are no level
  EXPECT_THAT(Trended({0.6}).places(), IsEmpty());
  EXPECT_THAT(Trended({}).places(), IsEmpty());
}

TEST(Changes, OfASlowDriftAreFound) {
  std::vector<double> overlaps(6, 0.8);
  for (int i = 1; i <= 20; ++i) overlaps.push_back(0.8 - 0.004 * i);
  overlaps.resize(60, 0.72);
  const Trended drifting(overlaps);
  const auto changes = changes_of(drifting.points_);
  ASSERT_THAT(changes, Not(IsEmpty()));
  for (const auto& change : changes) EXPECT_TRUE(change.drift) << change.at;
  EXPECT_LT(changes.front().before, 10u);
  EXPECT_LT(changes.front().at, 22u);
  EXPECT_NEAR(changes.front().from, 0.8, 0.01);
  EXPECT_FALSE(changes_of(Trended({0.6, 0.6, 0.6, 0.6, 0.2, 0.2, 0.2}).points_).front().drift);
}

TEST(Changes, AreFoundBesideRunsWithWideIntervals) {
  const auto widened = [](std::vector<double> overlaps, const std::vector<std::size_t>& wide) {
    Trended trended(std::move(overlaps));
    for (const auto i : wide)
      const_cast<Region*>(trended.points_[i].region)->interval = {
          std::max(0.0, *trended.points_[i].region->overlap - 0.4), *trended.points_[i].region->overlap + 0.4};
    return trended;
  };
  std::vector<double> lost{0.8, 0.8, 0.8, 0.8, 0.5};
  lost.resize(25, 0.2);
  EXPECT_THAT(widened(lost, {4}).places(), ElementsAre(5));
  for (const double first : {0.8, 0.5}) {
    std::vector<double> later(11, 0.8);
    later[2] = later[10] = first;
    later.resize(31, 0.2);
    const auto two = widened(later, {2, 10}), one = widened(later, {10});
    EXPECT_THAT(two.places(), ElementsAre(11));
    EXPECT_THAT(one.places(), ElementsAre(11));
    EXPECT_FALSE(changes_of(one.points_).front().drift);
  }
  std::vector<double> drifting;
  for (int i = 0; i < 40; ++i) drifting.push_back(0.8 - 0.01 * i);
  const auto drifts = widened(drifting, {1});
  EXPECT_GE(drifts.places().size(), 2u);
  for (const auto& change : changes_of(drifts.points_)) EXPECT_TRUE(change.drift) << change.at;
  // A loss that widens the intervals of all later runs.
  std::vector<double> unsure(20, 0.8);
  unsure.resize(30, 0.2);
  Trended wider(unsure);
  for (std::size_t i = 20; i < 30; ++i) const_cast<Region*>(wider.points_[i].region)->interval = {0.05, 0.35};
  EXPECT_THAT(wider.places(), ElementsAre(20));
}

TEST(Changes, LookPastRunsWithoutAResult) {
  EXPECT_THAT(Trended({0.6, -1, 0.6, 0.6, 0.6, 0.2, -1, 0.2, 0.2}).places(), ElementsAre(5));
  EXPECT_THAT(Trended({-1, -1}).places(), IsEmpty());
}

TEST(Changes, AllowFivePointsWhereThereAreNoIntervals) {
  Trended trended({0.6, 0.6, 0.6, 0.6, 0.55, 0.55, 0.55, 0.3, 0.3, 0.3});
  for (auto& point : trended.points_) const_cast<Region*>(point.region)->interval.reset();
  EXPECT_THAT(trended.places(), ElementsAre(7));
}

// Runs of one level or more, with a spread between runs and intervals of one width.
class Simulated {
 public:
  explicit Simulated(unsigned seed) : random_(seed) {}
  Trended runs(const std::vector<double>& levels, double spread, double half_width, double odd = 0) {
    std::normal_distribution<double> chance;
    std::uniform_real_distribution<double> share;
    std::vector<double> overlaps;
    for (const double level : levels)
      overlaps.push_back(std::clamp(level + spread * chance(random_) - (share(random_) < odd ? 0.2 : 0), 0.0, 1.0));
    Trended trended(overlaps, 5);
    for (auto& point : trended.points_)
      const_cast<Region*>(point.region)->interval = {*point.region->overlap - half_width,
                                                     *point.region->overlap + half_width};
    return trended;
  }

 private:
  std::mt19937 random_;
};

constexpr double half_widths[] = {0.005, 0.01, 0.02, 0.03, 0.05};

TEST(SimulatedRuns, ThatDoNotDifferHaveHardlyAnyChange) {
  for (const double odd : {0.0, 0.05}) {
    std::size_t all = 0, histories = 0;
    for (const double spread : {0.0, 0.01, 0.02, 0.03, 0.05})
      for (const double half_width : half_widths)
        for (unsigned seed = 1; seed <= 20; ++seed, ++histories) {
          const auto found =
              Simulated(seed).runs(std::vector<double>(300, 0.6), spread, half_width, odd).places().size();
          all += found;
          EXPECT_LE(found, odd > 0 ? 2u : 1u) << spread << ' ' << half_width << ' ' << seed;
        }
    EXPECT_LE((odd > 0 ? 5 : 50) * all, histories);
  }
}

// What a history shows in its first weeks.
TEST(SimulatedRuns, OfShortHistoriesHaveHardlyAnyChange) {
  for (const double spread : {0.0, 0.01, 0.02, 0.03, 0.05}) {
    std::size_t sure = 0, perhaps = 0;
    for (unsigned seed = 1; seed <= 600; ++seed)
      for (const auto& change :
           changes_of(Simulated(seed).runs(std::vector<double>(4 + seed % 20, 0.6), spread, 0.005).points_))
        ++(change.perhaps ? perhaps : sure);
    EXPECT_LE(sure, 6u);
    EXPECT_LE(perhaps, 12u);
  }
}

TEST(SimulatedRuns, OnMachinesOfTwoSpeedsHaveNoChange) {
  for (const std::size_t stay : {1, 2}) {
    std::vector<double> levels;
    for (std::size_t i = 0; i < 300; ++i) levels.push_back(i / stay % 2 == 0 ? 0.8 : 0.5);
    EXPECT_THAT(Simulated(1).runs(levels, 0.01, 0.02).places(), IsEmpty());
  }
}

TEST(SimulatedRuns, NameTheFirstRunOfALoss) {
  for (const double spread : {0.0, 0.01, 0.02, 0.03, 0.05})
    for (const double half_width : half_widths) {
      int right = 0, found = 0;
      for (unsigned seed = 1; seed <= 100; ++seed) {
        const std::size_t at = 12 + 7 * (seed % 20);
        std::vector<double> levels(at, 0.7);
        levels.resize(at + 3, 0.7 - std::max(0.1, 5 * std::max(spread, half_width / 2)));
        const auto changes = changes_of(Simulated(seed).runs(levels, spread, half_width).points_);
        found += changes.empty() ? 0 : 1;
        right += !changes.empty() && changes.back().at == at && !changes.back().perhaps ? 1 : 0;
      }
      EXPECT_GE(found, 97) << spread << ' ' << half_width;
      EXPECT_GE(right, 95) << spread << ' ' << half_width;
    }
}

TEST(SimulatedRuns, FindASlowDrift) {
  for (const double spread : {0.0, 0.01, 0.03})
    for (const double half_width : half_widths)
      for (unsigned seed = 1; seed <= 10; ++seed) {
        std::vector<double> levels(30, 0.8);
        for (int i = 1; i <= 100; ++i) levels.push_back(0.8 - 0.002 * i);
        levels.resize(160, 0.6);
        const auto changes = changes_of(Simulated(seed).runs(levels, spread, half_width).points_);
        ASSERT_THAT(changes, Not(IsEmpty())) << spread << ' ' << half_width;
        EXPECT_LT(changes.front().to, changes.front().from);
      }
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
  try {
    main_branch(runs, "mian");
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("branch mian (there are main and slow)"));
  }
}

TEST(SeriesOfRuns, ShowTheSameCommandWhicheverRanLast) {
  for (const bool other_last : {false, true}) {
    std::vector<PastRun> runs;
    for (int i = 0; i < 7; ++i) {
      runs.push_back(made_run(i, 0.5));
      if (i % 2 == (other_last ? 0 : 1)) runs.back().command = {"mpirun", "-n", "2", "other"};
      if (i > 0) runs.back().commit.hash = made_run(i - i % 2, 0.5).commit.hash;
    }
    runs.push_back(made_run(7, 0.5));
    runs.back().commit.hash = runs[6].commit.hash;
    if (!other_last) runs.back().command = {"mpirun", "-n", "2", "other"};
    runs.insert(runs.begin(), made_run(0, 0.5));  // one more of this command
    EXPECT_EQ(command_of(newest(runs, "main")), "mpirun -n 2 jacobi") << other_last;
    EXPECT_EQ(newest(runs, "main").commit.hash, runs.back().commit.hash);
  }
}

}  // namespace
}  // namespace weft::history
