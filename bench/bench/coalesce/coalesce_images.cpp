// SPDX-License-Identifier: BSD-3-Clause
#include "bench/coalesce/coalesce_images.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "bench/coalesce/images_run.hpp"
#include "weft/error.hpp"

namespace weft::bench {
namespace {

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
  report.setting("picture_size", static_cast<std::int64_t>(options.picture_size));
  report.setting("repeats", static_cast<std::int64_t>(repeats));

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
