// SPDX-License-Identifier: BSD-3-Clause
#include "core/tests/weft/exchange/misuse_clients.hpp"

#include <gtest/gtest.h>

#include "tests/support/halo_fields.hpp"
#include "weft/collective/monitors.hpp"
#include "weft/collective/rounds.hpp"

namespace weft::testing {

thread_local bool combine_may_throw = false;

namespace {

void clash(Rank& rank, StepManager& steps, const std::string& name, const std::function<void()>& start) {
  struct Nothing final : Client {
    void request(Requests&) override {}
  } nothing;
  steps.add(name, nothing);
  rank.refused("start", start, "Two clients are called");
  steps.remove(nothing);
}

// A monitor that fails in each of its functions.
class Gauge {
 public:
  struct Value {
    std::int64_t sum = 0, largest = 0;
  };
  explicit Gauge(Rank& rank) : rank_(rank) {}
  Value local() {
    rank_.point();
    return {*step + rank_.rank, *step - rank_.rank};
  }
  static Value combine(const Value& a, const Value& b) {
    if (combine_may_throw && Rank::here != nullptr) Rank::here->point();
    return {a.sum + b.sum, std::max(a.largest, b.largest)};
  }
  void use(const Value& all, std::int64_t of_step) {
    EXPECT_EQ(all.sum, rank_.size * of_step + rank_.size * (rank_.size - 1) / 2);
    EXPECT_EQ(all.largest, of_step);
    rank_.point();
  }
  const std::int64_t* step = nullptr;

 private:
  Rank& rank_;
};
Algorithm random_algorithm(Random& random) {
  const auto all = algorithms_of(Collective::Kind::all_reduce);
  return all[random.size_below(all.size())];
}

class Gauges final : public Extra {
 public:
  Gauges(Rank& rank, std::uint64_t number) : rank_(rank), random_(rank.common({number, 21})), monitors_(rank.world) {
    const int gauges = 1 + random_.below(3);
    for (int i = 0; i < gauges; ++i) {
      gauges_.push_back(std::make_unique<Gauge>(rank));
      gauges_.back()->step = &step_;
      monitors_.add(*gauges_.back());
    }
    name_ = "monitors " + std::to_string(number);
    if (random_.chance(3)) monitors_.read_now(0);
  }
  void add(StepManager& steps) override {
    using W = Monitors::Way;
    constexpr std::array ways{W::nonblocking, W::rounds, W::phased, W::blocking};
    const Monitors::Options options{
        .way = ways[random_.size_below(4)],
        .every = 1 + random_.below(3),
        .offset = random_.below(3)};  // the reduction of monitors keeps the order of the ranks
    combines_in_weft_ = options.way == W::phased || options.way == W::rounds;
    if (random_.chance(3))
      clash(rank_, steps, options.way == W::phased ? name_ + " phase 0" : name_,
            [&] { monitors_.start(steps, name_, options); });
    monitors_.start(steps, name_, options);
  }
  void remove(StepManager& steps) override { monitors_.stop(steps); }
  void prepare(std::int64_t step) override {
    step_ = step;
    combine_may_throw = combine_may_throw && combines_in_weft_;
  }

 private:
  Rank& rank_;
  Random random_;
  std::vector<std::unique_ptr<Gauge>> gauges_;
  Monitors monitors_;
  std::string name_;
  std::int64_t step_ = 0;
  bool combines_in_weft_ = false;
};

// A collective in rounds.
class Sums final : public Extra {
 public:
  Sums(Rank& rank, std::uint64_t number)
      : rank_(rank), random_(rank.common({number, 22})), in_(1 + random_.size_below(500)), out_(in_.size()),
        sum_(rank.world,
             Collective::all_reduce(std::span<const std::int64_t>(in_), std::span(out_), weft::sum<std::int64_t>()),
             random_algorithm(random_)),
        name_("sum " + std::to_string(number)) {}
  void add(StepManager& steps) override {
    const Rounds::Options options{.pace = random_.chance(2) ? Pace::phased : Pace::in_step,
                                  .every = 1 + random_.below(3),
                                  .offset = random_.below(3),
                                  .load =
                                      [this] {
                                        rank_.point();
                                        loaded_ = step_;
                                        std::ranges::fill(in_, step_ + rank_.rank);
                                      },
                                  .use =
                                      [this] {
                                        const auto right = rank_.size * loaded_ + rank_.size * (rank_.size - 1) / 2;
                                        for (const auto number : out_) EXPECT_EQ(number, right);
                                        rank_.point();
                                      }};
    if (random_.chance(3))
      clash(rank_, steps, options.pace == Pace::phased ? name_ + " phase 0" : name_,
            [&] { sum_.add_to(steps, name_, options); });
    sum_.add_to(steps, name_, options);
  }
  void remove(StepManager& steps) override { sum_.remove_from(steps); }
  void prepare(std::int64_t step) override { step_ = step; }

 private:
  Rank& rank_;
  Random random_;
  std::vector<std::int64_t> in_, out_;
  Rounds sum_;
  std::string name_;
  std::int64_t step_ = 0, loaded_ = -1;
};

Halo random_halo(Random& random, const CartesianGrid& grid, TestField& field) {
  using S = HaloOptions::Scheme;
  Halo halo(grid, {.scheme = random.chance(2) ? S::direct : S::by_dimension});
  halo.add(field.field());
  return halo;
}

class Ghosts final : public Extra {
 public:
  Ghosts(Rank& rank, std::uint64_t number)
      : random_(rank.common({number, 23})),
        grid_(rank.world, {.extent = {8, 6}, .periodic = {random_.chance(2), true}}),
        field_(grid_, 1, {.layout = FieldCase::Layout::arrays, .components = 2}),
        client_(rank, random_halo(random_, grid_, field_), field_), name_("halo " + std::to_string(number)) {}
  void add(StepManager& steps) override { steps.add(name_, client_, {.every = 1 + random_.below(2)}); }
  void remove(StepManager& steps) override { steps.remove(client_); }
  void prepare(std::int64_t step) override { field_.fill(static_cast<int>(step)); }

 private:
  struct Player final : HaloClient {
    Player(Rank& of_rank, const Halo& halo, TestField& of) : HaloClient(halo), rank(of_rank), field(of) {}
    void request(Requests& requests) override {
      rank.point();
      HaloClient::request(requests);
    }
    void before(Step&) override { rank.point(); }
    void during(Step& step) override {
      step.progress();
      rank.point();
    }
    void after(Step& step) override {
      rank.point();
      if (is_last(step)) field.expect(halo(), 0, static_cast<int>(step.number()));
    }
    Rank& rank;
    TestField& field;
  };
  Random random_;
  CartesianGrid grid_;
  TypedField<std::uint64_t> field_;
  Player client_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Extra> make_extra(Rank& rank, std::uint64_t number) {
  switch (rank.common({number, 20}).below(4)) {
    case 0: return std::make_unique<Sums>(rank, number);
    case 1: return std::make_unique<Ghosts>(rank, number);
    default: return std::make_unique<Gauges>(rank, number);
  }
}

}  // namespace weft::testing
