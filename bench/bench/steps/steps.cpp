// SPDX-License-Identifier: BSD-3-Clause
#include "bench/steps/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include "bench/shared/spend.hpp"
#include "weft/clock.hpp"
#include "weft/collective/monitors.hpp"
#include "weft/error.hpp"
#include "weft/halo/cartesian_grid.hpp"
#include "weft/step/run_profile.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

// A number from 0 to 1 that depends on the pair, the same in each run.
double share_of(std::uint64_t rank, std::uint64_t what) {
  auto h = (rank + 1) * 0x9e3779b97f4a7c15U ^ (what + 1) * 0xbf58476d1ce4e5b9U;
  h = (h ^ (h >> 31U)) * 0x94d049bb133111ebU;
  return static_cast<double>(h >> 11U) * 0x1p-53;
}

// Computes edge sites first, then the rest while the faces are in flight.
class Faces final : public Client {
 public:
  Faces(Transport& transport, const StepsOptions& options)
      : rank_(static_cast<std::uint64_t>(transport.rank())), imbalance_(options.imbalance),
        spend_(options.sleep ? spend_asleep : spend) {
    const CartesianGrid grid(transport, {.extent = {4096, 4096, 4096}, .periodic = {true, true, true}});
    const double own = options.sites / transport.size(), face = std::min(std::pow(own, 2.0 / 3.0), own);
    seconds_ = own * options.seconds_per_site * (1 + options.steady_imbalance * share_of(rank_, ~std::uint64_t{0}));
    edge_ = std::min(1.0, 6 * face / own);
    constexpr double values_of_a_link = 5;  // populations of D3Q19 through a face
    bytes_ = 8 * static_cast<std::size_t>(std::max(1.0, values_of_a_link * face));
    for (int a = 0; a < 3; ++a)
      for (const int side : {-1, 1}) {
        Direction d{};
        d[static_cast<std::size_t>(a)] = side;
        sides_.push_back({*grid.neighbour(d), static_cast<std::uint64_t>(2 * a + (side > 0 ? 1 : 0)),
                          std::vector<std::byte>(bytes_), std::vector<std::byte>(bytes_)});
      }
  }
  void request(Requests& requests) override {
    for (auto& side : sides_) {
      if (side.peer == static_cast<int>(rank_)) continue;
      requests.send(side.peer, side.key, contiguous(std::span<const std::byte>(side.out)));
      requests.receive(side.peer, side.key ^ 1U, contiguous(std::span<std::byte>(side.in)));
    }
  }
  void before(Step& step) override { work(step, edge_); }
  void during(Step& step) override {
    constexpr int pieces = 8;  // between which messages may be tested
    for (int i = 0; i < pieces; ++i) {
      work(step, (1 - edge_) / pieces);
      step.progress();
    }
  }
  std::size_t bytes() const { return bytes_; }
  double spent = 0;

 private:
  struct Side {
    int peer;
    std::uint64_t key;
    std::vector<std::byte> out, in;
  };
  void work(const Step& step, double share) {
    const double seconds =
        share * seconds_ * (1 + imbalance_ * share_of(rank_, static_cast<std::uint64_t>(step.number())));
    const double from = now_seconds();
    spend_(seconds);
    spent += now_seconds() - from;
  }

  std::uint64_t rank_;
  double imbalance_;
  void (*spend_)(double);
  double seconds_ = 0, edge_ = 0;
  std::size_t bytes_ = 0;
  std::vector<Side> sides_;
};

// The values of HemeLB's monitors: extremes.
struct Extremes {
  struct Value {
    double least, most, fastest;
  };
  Value local() const { return {1, 2, 0.1}; }
  static Value combine(const Value& a, const Value& b) {
    return {std::min(a.least, b.least), std::max(a.most, b.most), std::max(a.fastest, b.fastest)};
  }
  void use(const Value&, std::int64_t) { ++told; }
  std::int64_t told = 0;
};

struct Figures {
  double step, waiting, told;
  RunProfile profile;
};

struct StepsWay {
  std::string monitors;
  std::int64_t images;
  bool coalesced;
  ProgressOptions::Kind progress;
};

Figures run(mpi::Communicator& world, const StepsOptions& o, const StepsWay& how) {
  const auto& way = how.monitors;
  const auto images = how.images;
  Faces faces(world, o);
  Extremes extremes;
  Monitors monitors(world);
  monitors.add(extremes);
  std::vector<double> part(std::max<std::size_t>(1, o.image_bytes / sizeof(double))), whole(part.size());
  std::optional<Rounds> image;
  Timeline timeline;
  StepManager manager(world, {.coalesce = how.coalesced, .progress = {.kind = how.progress}, .timeline = &timeline});
  if (way != "none") monitors.start(manager, "monitors", {.way = monitors_way(way)});
  manager.add("lattice", faces);
  if (images > 0) {
    image.emplace(world,
                  Collective::reduce(0, std::span<const double>(part), std::span<double>(whole), maximum<double>()),
                  Algorithm::binomial);
    const double mean = o.image_seconds, differs = o.image_imbalance;
    image->add_to(
        manager, "image",
        {.pace = Pace::phased, .every = std::max<std::int64_t>(1, o.steps / images), .load = [&, mean, differs] {
           const auto share =
               share_of(static_cast<std::uint64_t>(world.rank()), ~static_cast<std::uint64_t>(manager.step()));
           const double seconds = mean * (1 + differs * (2 * share - 1));
           (o.sleep ? spend_asleep : spend)(seconds);
           faces.spent += seconds;
         }});
  }
  for (std::int64_t s = 0; s < (o.warm_up > 0 ? o.warm_up : o.steps); ++s)
    manager.run_step();  // exchanges are committed at their first use
  barrier(world);
  const double from = now_seconds();
  faces.spent = 0;
  extremes.told = 0;
  manager.reset_counts();
  for (std::int64_t s = 0; s < o.steps; ++s) manager.run_step();
  const double mine = now_seconds() - from, steps = static_cast<double>(o.steps);
  Figures f{all_reduce(world, mine, maximum<double>()) / steps,
            all_reduce(world, mine - faces.spent, sum<double>()) / world.size() / steps,
            static_cast<double>(extremes.told), run_profile(world, manager)};
  f.profile.problem = o.sites;
  barrier(world);
  if (image) image->remove_from(manager);
  if (way != "none") monitors.stop(manager);
  return f;
}

}  // namespace

void steps(mpi::Communicator& world, const StepsOptions& o) {
  Report report("steps", world, o);
  report.setting("sites", o.sites);
  report.setting("seconds_per_site", o.seconds_per_site);
  report.setting("imbalance", o.imbalance);
  report.setting("steady_imbalance", o.steady_imbalance);
  report.setting("steps", o.steps);
  report.setting("sleep", o.sleep);
  report.setting("warm_up", o.warm_up);
  report.setting("image_seconds", o.image_seconds);
  report.setting("image_imbalance", o.image_imbalance);
  report.setting("image_bytes", o.image_bytes);
  report.setting("face_bytes", Faces(world, o).bytes());
  for (const auto images : o.images)
    for (const auto& way : o.monitors)
      for (const auto& mode : o.modes)
        for (const auto progress : o.progress) {
          const auto f = run(world, o, {way, images, mode == "coalesced", progress});
          const auto with = o.progress.size() > 1 ? fmt::format(", {}", name_of(progress)) : std::string();
          const auto what = fmt::format("monitors {}, {} images, {}{}", way, images, mode, with);
          report.result(what + ": step", 1e6 * f.step, "us");
          report.result(what + ": not computing", 1e6 * f.waiting, "us");
          report.result(what + ": monitor readings", f.told, "times");
          report.run(what, f.profile.json());
        }
  report.note(
      "'not computing' is the time of a step in which a rank does not compute (waiting, packing and calls), the mean "
      "of the ranks.");
  report.finish(world);
}

}  // namespace weft::bench
