// SPDX-License-Identifier: BSD-3-Clause
#include "weft/tune/tuning.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <utility>

#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/tune/machine.hpp"
#include "weft/tune/store.hpp"

namespace weft {
namespace {

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts);
  return text.data();
}

std::string outcome(const Setting& setting, double speedup) {
  std::array<char, 64> times{};
  std::snprintf(times.data(), times.size(), "%.2f times as fast as the baseline", speedup);
  return text_of(setting) +
         (speedup > 1 ? std::string("; ") + times.data() : "; nothing is clearly faster than the baseline");
}

}  // namespace

Tuning::Tuning(Transport& transport, const std::string& problem, std::vector<Setting> candidates,
               const Options& options)
    : transport_(transport), candidates_(std::move(candidates)), options_(options) {
  if (candidates_.empty()) throw Error("There is no candidate to choose from. Give at least the baseline.", true);
  options_.period = std::max<std::size_t>(1, options_.period);
  const auto ranks = transport.size();
  key_ = machine_of(transport).text() + " / " + transport.library() + " / " + std::to_string(ranks) +
         (ranks == 1 ? " rank / " : " ranks / ") + problem;
  if (ranks == 1 && !options_.also_alone) {
    state_ = State::left_alone;
    text_ = "not tuned: one rank has no communication";
    return;
  }
  look_up();
  const auto needed = least_iterations();
  if (settled() || options_.iterations == 0 || options_.iterations >= needed) return;
  state_ = State::left_alone;
  text_ += "not tuned: " + std::to_string(options_.iterations) + " iterations are too few (at least " +
           std::to_string(needed) + " are needed)";
}

void Tuning::look_up() {
  std::vector<double> found;  // candidate, speedup
  std::string date, file, set_aside;
  on_root(transport_, [&] {
    const TuneStore store(options_.file.empty() ? TuneStore::default_file() : options_.file);
    file = store.file().string();
    const auto* entry = options_.again ? nullptr : store.find(key_);
    if (entry == nullptr) return;
    date = entry->date;
    const auto known = std::find(candidates_.begin(), candidates_.end(), entry->setting);
    if (known == candidates_.end())
      set_aside = text_of(entry->setting);
    else
      found = {static_cast<double>(known - candidates_.begin()), entry->speedup};
  });
  file_ = broadcast(transport_, file);
  found = broadcast(transport_, found);
  date = broadcast(transport_, date);
  set_aside = broadcast(transport_, set_aside);
  if (!set_aside.empty())
    text_ = "the stored setting (" + set_aside + ") is no candidate here, so it was measured again; ";
  if (found.empty()) return;
  state_ = State::stored;
  chosen_ = candidates_[static_cast<std::size_t>(found[0])];
  speedup_ = found[1];
  text_ = "stored" + (date.empty() ? "" : " " + date) + ": " + outcome(*chosen_, speedup_);
}

// Twice the smallest number of iterations that measuring needs.
std::size_t Tuning::least_iterations() const {
  auto h = options_.halving;
  h.repetitions = 1;
  return 2 * (Halving::measurements(candidates_.size(), h) + 1) * (options_.period + options_.warm_up);
}

// Chooses the number of iterations per measurement, and of repetitions, so that measuring ends within half of the
// available iterations.
void Tuning::plan(double seconds) {
  const auto period = options_.period;
  const auto longest = std::ceil(std::min(1000.0, options_.sample_seconds / std::max(1e-7, seconds)));
  sample_ = (static_cast<std::size_t>(longest) + period - 1) / period * period;
  auto& h = options_.halving;
  const auto fits = [&] {
    const auto all = (Halving::measurements(candidates_.size(), h) + 1) * (sample_ + options_.warm_up);
    const bool in_time = h.limit_seconds <= 0 || static_cast<double>(all) * seconds <= h.limit_seconds;
    return in_time && (options_.iterations == 0 || 2 * all <= options_.iterations);
  };
  while (!fits() && sample_ > 2 * period) sample_ = (sample_ / 2 + period - 1) / period * period;
  while (!fits() && h.repetitions > 1) --h.repetitions;
  while (!fits() && sample_ > period) sample_ -= period;
}

void Tuning::iterate(const std::function<void(const Setting&)>& use, const std::function<void()>& iteration) {
  if (settled()) {
    if (!handed_over_ && chosen_) use(*chosen_);
    handed_over_ = true;
    return iteration();
  }
  const double began = now_seconds();
  const auto candidate = halving_ ? halving_->next() : 0;
  if (using_ != candidate) {
    use(candidates_[candidate]);
    using_ = candidate;
    warm_ = options_.warm_up;
  }
  ++iterations_;
  const bool is_measured = warm_ == 0;
  if (is_measured && in_sample_ == 0) barrier(transport_);
  const double from = now_seconds();
  iteration();
  const double to = now_seconds();
  took_ += to - began;
  if (!is_measured) {
    --warm_;
    return;
  }
  seconds_ += to - from;
  if (++in_sample_ < (halving_ ? sample_ : options_.period)) return;
  const auto [sum, took] = all_reduce(transport_, std::array{seconds_, took_}, maximum<double>());
  const double slowest = sum / static_cast<double>(in_sample_);
  in_sample_ = 0;
  seconds_ = took_ = 0;
  if (!halving_) {
    plan(slowest);
    constexpr double least = 1e-9;  // 0 would be no limit
    auto& limit = options_.halving.limit_seconds;
    if (limit > 0) limit = std::max(least, limit - took);
    halving_ = std::make_unique<Halving>(candidates_.size(), options_.halving);
  } else {
    halving_->record(slowest, took);
  }
  if (halving_->done()) settle();
}

void Tuning::dry_run(const std::function<void(const Setting&)>& use, const std::function<void()>& iteration) {
  while (!settled()) iterate(use, iteration);
  if (!handed_over_ && chosen_) use(*chosen_);
  handed_over_ = true;
}

void Tuning::settle() {
  state_ = State::found;
  chosen_ = candidates_[halving_->best()];
  speedup_ = halving_->speedup();
  text_ += "chosen in " + std::to_string(iterations_) + " iterations" +
           (halving_->is_cut_short() ? " (not all that were planned: time was up)" : "") + ": " +
           outcome(*chosen_, speedup_);
  store();
}

// A program that can't store the result continues with it nevertheless.
void Tuning::store() {
  std::string failure;
  if (transport_.rank() == 0) {
    try {
      TuneStore(file_).put({.key = key_, .setting = *chosen_, .speedup = speedup_, .date = today(), .rest = {}});
    } catch (const std::exception& e) {
      failure = e.what();
    }
  }
  failure = broadcast(transport_, failure);
  text_ += failure.empty() ? "; stored in " + file_.string() : "; not stored: " + failure;
}

}  // namespace weft
