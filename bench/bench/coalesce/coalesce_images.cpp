// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/coalesce/coalesce_images.hpp"
#include "bench/shared/rotation.hpp"
#include "bench/workload/silent.hpp"
#include "flow/case/case.hpp"
#include "flow/pictures/picture_source.hpp"
#include "flow/steering/monitor.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/vessel/vessel.hpp"
#include "insitu/pictures.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/timeline/timeline.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

// Large, so that a picture's segments need few steps: with many pictures the next one is soon due.
constexpr std::size_t chunk_bytes = 512 << 10;
// All rays are cast within one step. If they were limited to a share of the step's time, pictures would wait for each
// other.
constexpr double whole_share = 1e9;

/// The result of one run. Times are of the whole run.
struct Outcome {
  double total = 0;          ///< of the slowest rank
  double communication = 0;  ///< packing, waiting and unpacking of all exchanges, mean over the ranks
  double difference =
      0;  ///< total less pictures, of the slowest rank; less the silent steps it is another measure of communication
  double visualisation = 0;  ///< work of the pictures, mean over the ranks
  double messages = 0;       ///< per rank and step
  double waits = 0;          ///< per step
  double alone = 0;          ///< steps only for pictures
  std::int64_t pictures = 0;
  std::uint64_t checksum = 0;  ///< of all pictures' segments and steps
};

/// A flow with pictures, starting from a lattice at rest. After construction all of its exchanges have been used once.
class ImagesRun {
 public:
  /// Keeps references to all arguments. All functions are collective.
  ImagesRun(Transport& transport, const CoalesceOptions& options, const flow::Case& c, const flow::Vessel& vessel,
            bool coalesced)
      : transport_(transport), vessel_(vessel), coalesced_(coalesced), progress_(options.progress),
        lattice_(flow::make_lattice(transport, vessel, c)),
        client_(lattice_, c, vessel.scaling,
                [this](std::int64_t) {
                  return pictures_->wants_fields() ? lattice::Diagnostics::fields : lattice::Diagnostics::totals;
                }),
        monitors_(transport, client_, vessel, {}, [](const flow::MonitorRow&) {}),
        source_(vessel.domain, vessel.scaling, client_), manager_(transport, step_options()),
        rest_(transport, step_options()) {
    scene_.width = scene_.height = options.picture_size;
    const insitu::Pictures::Options making{.chunk_bytes = chunk_bytes, .share = whole_share};
    pictures_.emplace(
        transport, vessel.domain, making,
        insitu::Pictures::Program{.values = [this](auto quantity, auto out) { return source_.values(quantity, out); },
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

  /// Runs so many steps with so many evenly spread pictures.
  Outcome run(std::int64_t steps, std::int64_t images) {
    timeline_.reset();
    pictures_->reset_costs();
    for (auto* manager : {&manager_, &rest_}) manager->reset_counts();
    rest_steps_ = 0;
    checksum_ = 0;
    barrier(transport_);
    const double from = now_seconds();
    for (std::int64_t step = 0, asked = 0; step < steps; ++step) {
      if (asked < images && asked * steps / images == step) {
        rest();  // the previous picture is late; complete it
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
      // The client that casts rays sends nothing, so on its own it has no wait.
      waits += manager->counts().waits - (!coalesced_ ? manager->counts().steps : 0);
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
  /// Duration of a step of the lattice and its monitors without messages. The lattice is invalid afterwards.
  double silent_step_seconds(std::int64_t steps) {
    flow::FlowMonitors monitors(transport_, client_, vessel_, {}, [](const flow::MonitorRow&) {});
    Silent silent_monitors(monitors.client()), silent_lattice(client_);
    StepManager manager(transport_, {.progress = {.kind = progress_}});
    manager.start_at(manager_.step());
    manager.add("monitors", silent_monitors);
    manager.add("lattice", silent_lattice);
    manager.run_step();
    const auto run_steps = [&] {
      for (std::int64_t step = 0; step < steps; ++step) manager.run_step();
    };
    return slowest(transport_, run_steps) / static_cast<double>(steps);
  }

 private:
  StepOptions step_options() {
    return {.coalesce = coalesced_,
            .messages = {.watchdog_seconds = 60},
            .progress = {.kind = progress_},
            .timeline = &timeline_};
  }
  // Exchanges are committed at their first use, in run() and in rest(); two pictures use all of them.
  void warm_up() {
    asks_ = true;
    for (int i = 0; i < 32; ++i)
      manager_.run_step();  // the same number in both modes, so that both reach the same step
    rest();
    asks_ = true;
    for (int i = 0; i < 2; ++i) manager_.run_step();
    rest();
  }
  void rest() {
    for (; pictures_->busy(); ++rest_steps_) rest_.run_step();
  }
  std::optional<insitu::Pictures::Wanted> wanted(std::int64_t step) {
    if (!std::exchange(asks_, false)) return {};
    return insitu::Pictures::Wanted{scene_, step + 1, 0};
  }
  // FNV-1a by words instead of bytes, since it is part of the timed work.
  void take(const insitu::Rendered& picture) {
    mix(static_cast<std::uint64_t>(picture.step));
    for (const auto& s : picture.segments) {
      const auto& c = s.colour;
      mix(s.pixel);
      mix(std::uint64_t{c[0]} << 48U | std::uint64_t{c[1]} << 32U | std::uint64_t{c[2]} << 16U | c[3]);
    }
  }
  void mix(std::uint64_t value) { checksum_ = (checksum_ ^ value) * 0x100000001b3U; }
  // Packing, waiting and unpacking of all exchanges. The wait of an exchange is counted once, on its own track, since
  // the clients' waits overlap.
  double communication_seconds() const {
    double seconds = 0;
    for (std::size_t t = 0; t < timeline_.tracks().size(); ++t) {
      seconds += timeline_.total_seconds(t, Activity::pack) + timeline_.total_seconds(t, Activity::unpack);
      if (timeline_.tracks()[t] == Timeline::exchange_track) seconds += timeline_.total_seconds(t, Activity::wait);
    }
    return seconds;
  }

  Transport& transport_;
  const flow::Vessel& vessel_;
  bool coalesced_;
  ProgressOptions::Kind progress_;
  insitu::Scene scene_{};  // speed in the volume and a transparent wall, independent of the case's pictures
  lattice::SparseLattice lattice_;
  flow::LatticeClient client_;
  flow::FlowMonitors monitors_;
  flow::PictureSource source_;
  Timeline timeline_;
  StepManager manager_;
  StepManager rest_;  // for steps only for pictures
  std::optional<insitu::Pictures> pictures_;
  bool asks_ = false;  // whether to request a picture in the next step
  std::int64_t rest_steps_ = 0;
  std::uint64_t checksum_ = 0;
};

enum ImagesMode : std::size_t { images_apart, images_together };
constexpr std::array<ImagesMode, 2> images_modes{images_apart, images_together};
constexpr std::array<const char*, 2> images_mode_names{"not coalesced", "coalesced"};

using ImagesTurn = std::array<Outcome, 2>;  // by mode

void check_images(const ImagesTurn& turn, std::int64_t images) {
  for (const auto mode : images_modes)
    if (turn[mode].pictures != images)
      throw Error(fmt::format("{} pictures were requested, but {} were made ({}).", images, turn[mode].pictures,
                              images_mode_names[mode]),
                  true);
  if (turn[images_apart].checksum != turn[images_together].checksum)
    throw Error(
        fmt::format("{} pictures differ between coalesced and not coalesced (they must be bitwise identical).", images),
        true);
}

Spread spread_of_mode(const std::vector<ImagesTurn>& turns, ImagesMode mode, double Outcome::*what) {
  std::vector<double> samples;
  for (const auto& turn : turns) samples.push_back(turn[mode].*what);
  return bench::spread_of(std::move(samples));
}

// Coalesced / not coalesced, of the same turns.
double images_ratio(const std::vector<ImagesTurn>& turns, double Outcome::*what) {
  std::vector<double> ratios;
  for (const auto& turn : turns) ratios.push_back(turn[images_together].*what / turn[images_apart].*what);
  return bench::spread_of(std::move(ratios)).median;
}

struct ImagesLine {
  const char* name;
  double Outcome::*what;
  const char* unit;
};
constexpr ImagesLine images_lines[] = {{"total", &Outcome::total, "s"},
                                       {"communication", &Outcome::communication, "s"},
                                       {"communication by difference", &Outcome::difference, "s"},
                                       {"visualisation", &Outcome::visualisation, "s"},
                                       {"messages per rank and step", &Outcome::messages, ""},
                                       {"waits per step", &Outcome::waits, ""},
                                       {"steps for pictures alone", &Outcome::alone, ""}};

}  // namespace

void coalesce_images(Transport& transport, const CoalesceOptions& given, const flow::Case& c,
                     const flow::Vessel& vessel, Report& report) {
  auto options = given;
  if (options.steps == 0) options.steps = options.quick ? 1000 : 2000;
  if (options.picture_size == 0) options.picture_size = options.quick ? 256 : 512;
  const auto repeats = options.repeats > 0 ? options.repeats : options.quick ? 1 : 3;
  const auto most = options.images.empty() ? 0 : *std::max_element(options.images.begin(), options.images.end());
  if (most * flow::PictureCase::least_steps > options.steps)
    throw InputError(
        fmt::format("{} images in {} steps are more than one image per {} steps. Give fewer --images or more --steps.",
                    most, options.steps, flow::PictureCase::least_steps),
        true);
  report.setting("steps", options.steps);
  report.setting("picture_size", options.picture_size);
  report.setting("repeats", repeats);

  std::vector<std::vector<ImagesTurn>> all(options.images.size());
  for (int turn = 0; turn < repeats; ++turn)
    for (std::size_t k = 0; k < options.images.size(); ++k) {
      ImagesTurn outcome;
      double silent = 0;
      for (std::size_t i = 0; i < images_modes.size(); ++i) {
        const auto mode = images_modes[(i + static_cast<std::size_t>(turn) + k) % images_modes.size()];
        ImagesRun run(transport, options, c, vessel, mode == images_together);
        outcome[mode] = run.run(options.steps, options.images[k]);
        silent += run.silent_step_seconds(std::max<std::int64_t>(options.steps / 8, 1)) /
                  static_cast<double>(images_modes.size());
      }
      for (const auto mode : images_modes) outcome[mode].difference -= silent * static_cast<double>(options.steps);
      check_images(outcome, options.images[k]);
      all[k].push_back(outcome);
    }

  report.note("images  coalesced  total [s]  communication [s]  visualisation [s]");
  double worst = 0, worst_difference = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto images = options.images[k];
    for (const auto mode : {images_together, images_apart}) {
      for (const auto& line : images_lines)
        report.result(fmt::format("{} images, {}: {}", images, images_mode_names[mode], line.name),
                      spread_of_mode(all[k], mode, line.what), line.unit);
      const auto median = [&](double Outcome::*what) { return spread_of_mode(all[k], mode, what).median; };
      report.note(fmt::format("{:6}  {:>9}  {:9.2f}  {:17.3f}  {:17.3f}", images,
                              mode == images_together ? "yes" : "no", median(&Outcome::total),
                              median(&Outcome::communication), median(&Outcome::visualisation)));
    }
    const double communication = images_ratio(all[k], &Outcome::communication),
                 difference = images_ratio(all[k], &Outcome::difference);
    report.figure(fmt::format("images_communication_ratio_{}", images), communication);
    report.figure(fmt::format("images_difference_ratio_{}", images), difference);
    report.figure(fmt::format("images_total_ratio_{}", images), images_ratio(all[k], &Outcome::total));
    worst = std::max(worst, communication);
    worst_difference = std::max(worst_difference, difference);
  }
  report.figure("worst_images_communication_ratio", worst);
  report.figure("worst_images_difference_ratio", worst_difference);
  if (all.empty()) return;
  const auto at = std::find(options.images.begin(), options.images.end(), most) - options.images.begin();
  const auto seconds =
      spread_of_mode(all[static_cast<std::size_t>(at)], images_together, &Outcome::visualisation).median;
  const double picture = seconds / static_cast<double>(most);
  report.figure("picture_ms", 1e3 * picture);
  report.figure("picture_share_at_10_per_s", 10 * picture);
}

}  // namespace weft::bench
