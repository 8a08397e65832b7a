// SPDX-License-Identifier: BSD-3-Clause
#include "bench/coalesce_images.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/rotation.hpp"
#include "bench/small_client.hpp"
#include "flow/lattice_client.hpp"
#include "flow/monitor.hpp"
#include "flow/picture_source.hpp"
#include "insitu/pictures.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/timeline/timeline.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

enum Mode : std::size_t { separate, coalesced };
constexpr std::array<Mode, 2> modes{separate, coalesced};
constexpr std::array<const char*, 2> mode_names{"not coalesced", "coalesced"};

// A picture in the making takes steps besides those that its segments need.
constexpr std::int64_t least_interval = 4;
// So that a picture's segments need few steps: with many pictures the next one is soon due.
constexpr std::size_t chunk_bytes = 512 << 10;
// Rays are cast within one step, whatever it takes. A share of the step's time would make pictures wait for each other.
constexpr double whole_share = 1e9;

// What one run took and did. Seconds are those of the whole run.
struct Outcome {
  double total = 0;          // of the slowest rank
  double communication = 0;  // the rest are means over the ranks
  double difference = 0;     // total less computation, as coalesce_images says
  double visualisation = 0;
  double messages = 0, waits = 0, alone = 0;  // a step; a run: steps of nothing but pictures
  std::int64_t pictures = 0;
  std::uint64_t checksum = 0;
};

// A flow with pictures, from a lattice at rest on.
class Run {
 public:
  Run(Transport& transport, const CoalesceOptions& options, const flow::Case& c, const flow::Vessel& vessel, Mode mode)
      : transport_(transport),
        vessel_(vessel),
        mode_(mode),
        progress_(options.progress),
        scene_(c.pictures.scene),
        lattice_(flow::make_lattice(vessel, c, transport.rank())),
        client_(lattice_, c, vessel.scaling,
                [this](std::int64_t) { return pictures_->wants_fields() ? lattice::Look::fields : lattice::Look::totals; }),
        monitors_(transport, client_, vessel.domain, vessel.scaling, {}, [](const flow::MonitorRow&) {}),
        source_(vessel.domain, vessel.scaling, client_),
        manager_(transport, step_options()),
        rest_(transport, step_options()) {
    scene_.width = scene_.height = options.picture_size;
    const insitu::Pictures::Options making{.chunk_bytes = chunk_bytes, .share = whole_share};
    pictures_.emplace(transport, vessel.domain, making,
                      insitu::Pictures::Program{
                          .values = [this](auto quantity, auto out) { return source_.values(quantity, out); },
                          .velocity = [this](auto out) { source_.velocity(out); },
                          .can_leave_fields = [](std::int64_t) { return true; },
                          .wanted = [this](std::int64_t step) { return wanted(step); },
                          .done = [this](const insitu::Rendered& picture) { take(picture); }});
    monitors_.start(manager_);
    pictures_->add_to(manager_);
    manager_.add("lattice", client_);
    pictures_->add_to(rest_);
    warm_up();
  }

  Outcome run(std::int64_t steps, std::int64_t images);
  // Of a step of the lattice and its monitors without any message. The lattice is of no use afterwards.
  double silent_step_seconds(std::int64_t steps);

 private:
  StepOptions step_options() {
    return {.coalesce = mode_ == coalesced, .watchdog_seconds = 60, .progress = {.kind = progress_}, .timeline = &timeline_};
  }
  void warm_up();
  void rest();
  std::optional<insitu::Pictures::Wanted> wanted(std::int64_t step) {
    if (!std::exchange(asks_, false)) return {};
    return insitu::Pictures::Wanted{scene_, step + 1, 0};
  }
  void take(const insitu::Rendered& picture);
  void mix(std::uint64_t value) { checksum_ = (checksum_ ^ value) * 0x100000001b3U; }
  double communication_seconds() const;

  Transport& transport_;
  const flow::Vessel& vessel_;
  Mode mode_;
  ProgressOptions::Kind progress_;
  insitu::Scene scene_;
  lattice::SparseLattice lattice_;
  flow::LatticeClient client_;
  flow::FlowMonitors monitors_;
  flow::PictureSource source_;
  Timeline timeline_;
  StepManager manager_;
  StepManager rest_;  // steps of nothing but pictures
  std::optional<insitu::Pictures> pictures_;
  bool asks_ = false;  // for a picture, in the next step
  std::int64_t rest_steps_ = 0;
  std::uint64_t checksum_ = 0;
};

// Exchanges are committed when they are first needed, in a run as in its rest: two pictures need all of them.
void Run::warm_up() {
  asks_ = true;
  for (int i = 0; i < 32; ++i) manager_.run_step();  // the same number in both modes, so that both are at the same step
  rest();
  asks_ = true;
  for (int i = 0; i < 2; ++i) manager_.run_step();
  rest();
}

void Run::rest() {
  for (; pictures_->busy(); ++rest_steps_) rest_.run_step();
}

// FNV-1a by numbers. Some 1 % of what the picture takes.
void Run::take(const insitu::Rendered& picture) {
  mix(static_cast<std::uint64_t>(picture.step));
  for (const auto& s : picture.segments) {
    const auto& c = s.colour;
    mix(std::uint64_t{s.pixel} << 32U ^ std::bit_cast<std::uint32_t>(s.begin) ^ std::bit_cast<std::uint32_t>(s.end) << 1U);
    mix(std::uint64_t{c[0]} << 48U | std::uint64_t{c[1]} << 32U | std::uint64_t{c[2]} << 16U | c[3]);
  }
}

// Packing, waiting and unpacking of all exchanges. Clients' own waits overlap; each exchange's wait is on one track.
double Run::communication_seconds() const {
  double seconds = 0;
  for (std::size_t t = 0; t < timeline_.tracks().size(); ++t) {
    seconds += timeline_.total_seconds(t, Activity::pack) + timeline_.total_seconds(t, Activity::unpack);
    if (timeline_.tracks()[t] == "exchange") seconds += timeline_.total_seconds(t, Activity::wait);
  }
  return seconds;
}

Outcome Run::run(std::int64_t steps, std::int64_t images) {
  timeline_.reset();
  pictures_->reset_costs();
  for (auto* manager : {&manager_, &rest_}) manager->reset_counts();
  rest_steps_ = 0;
  checksum_ = 0;
  barrier(transport_);
  const double from = now_seconds();
  for (std::int64_t step = 0, asked = 0; step < steps; ++step) {
    if (asked < images && asked * steps / images == step) {
      rest();  // the one before it is late
      asks_ = true;
      ++asked;
    }
    manager_.run_step();
  }
  rest();
  const double seconds = now_seconds() - from;

  std::int64_t messages = 0, waits = 0;
  for (const auto* manager : {&manager_, &rest_}) {
    for (const auto& [peer, n] : manager->counts().messages) messages += n;
    // The client that casts moves nothing: by itself it has nothing to wait for.
    waits += manager->counts().synchronisation_points - (mode_ == separate ? manager->counts().steps : 0);
  }
  const auto costs = pictures_->costs();
  const auto mean = [&](double mine) { return all_reduce(transport_, mine, sum<double>()) / transport_.size(); };
  Outcome o;
  o.total = all_reduce(transport_, seconds, maximum<double>());
  o.communication = mean(communication_seconds());
  o.visualisation = mean(costs.seconds);
  o.difference = o.total - all_reduce(transport_, costs.seconds, maximum<double>());
  o.messages = mean(static_cast<double>(messages)) / static_cast<double>(steps);
  o.waits = mean(static_cast<double>(waits)) / static_cast<double>(steps);
  o.alone = mean(static_cast<double>(rest_steps_));
  o.pictures = costs.pictures;
  o.checksum = broadcast(transport_, std::vector<std::uint64_t>{checksum_}).front();
  return o;
}

double Run::silent_step_seconds(std::int64_t steps) {
  flow::FlowMonitors monitors(transport_, client_, vessel_.domain, vessel_.scaling, {}, [](const flow::MonitorRow&) {});
  Silent silent_monitors(monitors.client()), silent_lattice(client_);
  StepManager manager(transport_, {.progress = {.kind = progress_}});
  manager.start_at(manager_.step());
  manager.add("monitors", silent_monitors);
  manager.add("lattice", silent_lattice);
  manager.run_step();
  barrier(transport_);
  const double from = now_seconds();
  for (std::int64_t step = 0; step < steps; ++step) manager.run_step();
  return all_reduce(transport_, (now_seconds() - from) / static_cast<double>(steps), maximum<double>());
}

using Turn = std::array<Outcome, 2>;  // by mode

void check(const Turn& turn, std::int64_t images) {
  for (const auto mode : modes)
    if (turn[mode].pictures != images)
      throw Error(fmt::format("{} pictures were asked for and {} made ({}).", images, turn[mode].pictures, mode_names[mode]), true);
  if (turn[separate].checksum != turn[coalesced].checksum)
    throw Error(fmt::format("{} pictures differ: coalesced and not coalesced have to be the same bits.", images), true);
}

Spread spread_of(const std::vector<Turn>& turns, Mode mode, double Outcome::*what) {
  std::vector<double> samples;
  for (const auto& turn : turns) samples.push_back(turn[mode].*what);
  return bench::spread_of(std::move(samples));
}

// Coalesced over not, of the same turns.
double ratio(const std::vector<Turn>& turns, double Outcome::*what) {
  std::vector<double> ratios;
  for (const auto& turn : turns) ratios.push_back(turn[coalesced].*what / turn[separate].*what);
  return bench::spread_of(std::move(ratios)).median;
}

struct Line {
  const char* name;
  double Outcome::*what;
  const char* unit;
};
constexpr Line lines[] = {{"total", &Outcome::total, "s"},
                          {"communication", &Outcome::communication, "s"},
                          {"communication by difference", &Outcome::difference, "s"},
                          {"visualisation", &Outcome::visualisation, "s"},
                          {"messages a rank and step", &Outcome::messages, ""},
                          {"synchronisation points a step", &Outcome::waits, ""},
                          {"steps for pictures alone", &Outcome::alone, ""}};

}  // namespace

void coalesce_images(Transport& transport, const CoalesceOptions& given, const flow::Case& c, const flow::Vessel& vessel,
                     Report& report) {
  auto options = given;
  if (options.picture_size == 0) options.picture_size = options.quick ? 256 : 512;
  const auto turns = options.turns > 0 ? options.turns : options.quick ? 1 : 3;
  const auto most = options.images.empty() ? 0 : *std::max_element(options.images.begin(), options.images.end());
  if (most * least_interval > options.steps)
    throw InputError(fmt::format("{} images in {} steps are more than one in {} steps. give fewer --images or more --steps.", most,
                                 options.steps, least_interval), true);
  report.setting("steps", options.steps);
  report.setting("picture_size", static_cast<std::int64_t>(options.picture_size));
  report.setting("turns", static_cast<std::int64_t>(turns));

  std::vector<std::vector<Turn>> all(options.images.size());
  for (int turn = 0; turn < turns; ++turn)
    for (std::size_t k = 0; k < options.images.size(); ++k) {
      Turn outcome;
      double silent = 0;
      for (std::size_t i = 0; i < modes.size(); ++i) {
        const auto mode = modes[(i + static_cast<std::size_t>(turn) + k) % modes.size()];
        Run run(transport, options, c, vessel, mode);
        outcome[mode] = run.run(options.steps, options.images[k]);
        silent += run.silent_step_seconds(std::max<std::int64_t>(options.steps / 8, 1)) / static_cast<double>(modes.size());
      }
      for (const auto mode : modes) outcome[mode].difference -= silent * static_cast<double>(options.steps);
      check(outcome, options.images[k]);
      all[k].push_back(outcome);
    }

  report.note("images  coalesced  total [s]  communication [s]  visualisation [s]");
  double worst = 0, worst_difference = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto images = options.images[k];
    for (const auto mode : {coalesced, separate}) {
      for (const auto& line : lines)
        report.result(fmt::format("{} images, {}: {}", images, mode_names[mode], line.name), spread_of(all[k], mode, line.what), line.unit);
      const auto median = [&](double Outcome::*what) { return spread_of(all[k], mode, what).median; };
      report.note(fmt::format("{:6}  {:>9}  {:9.2f}  {:17.3f}  {:17.3f}", images, mode == coalesced ? "yes" : "no", median(&Outcome::total),
                              median(&Outcome::communication), median(&Outcome::visualisation)));
    }
    const double communication = ratio(all[k], &Outcome::communication), difference = ratio(all[k], &Outcome::difference);
    report.figure(fmt::format("images_communication_ratio_{}", images), communication);
    report.figure(fmt::format("images_difference_ratio_{}", images), difference);
    report.figure(fmt::format("images_total_ratio_{}", images), ratio(all[k], &Outcome::total));
    worst = std::max(worst, communication);
    worst_difference = std::max(worst_difference, difference);
  }
  report.figure("worst_images_communication_ratio", worst);
  report.figure("worst_images_difference_ratio", worst_difference);
  if (all.empty()) return;
  const auto most_at = std::max_element(options.images.begin(), options.images.end()) - options.images.begin();
  const double picture = spread_of(all[static_cast<std::size_t>(most_at)], coalesced, &Outcome::visualisation).median / static_cast<double>(most);
  report.figure("picture_ms", 1e3 * picture);
  report.figure("picture_share_at_10_per_s", 10 * picture);
}

}  // namespace weft::bench
