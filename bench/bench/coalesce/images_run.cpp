// SPDX-License-Identifier: BSD-3-Clause
#include "bench/coalesce/images_run.hpp"

#include <bit>
#include <utility>
#include <vector>

#include "bench/workload/small_client.hpp"
#include "weft/clock.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

// Large, so that a picture's segments need few steps: with many pictures the next one is soon due.
constexpr std::size_t chunk_bytes = 512 << 10;
// All rays are cast within one step. If they were limited to a share of the step's time, pictures would wait for each
// other.
constexpr double whole_share = 1e9;

}  // namespace

ImagesRun::ImagesRun(Transport& transport, const CoalesceOptions& options, const flow::Case& c,
                     const flow::Vessel& vessel, bool coalesced)
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

StepOptions ImagesRun::step_options() {
  return {.coalesce = coalesced_,
          .messages = {.watchdog_seconds = 60},
          .progress = {.kind = progress_},
          .timeline = &timeline_};
}

std::optional<insitu::Pictures::Wanted> ImagesRun::wanted(std::int64_t step) {
  if (!std::exchange(asks_, false)) return {};
  return insitu::Pictures::Wanted{scene_, step + 1, 0};
}

// Exchanges are committed at their first use, in run() and in rest(); two pictures use all of them.
void ImagesRun::warm_up() {
  asks_ = true;
  for (int i = 0; i < 32; ++i) manager_.run_step();  // the same number in both modes, so that both reach the same step
  rest();
  asks_ = true;
  for (int i = 0; i < 2; ++i) manager_.run_step();
  rest();
}

void ImagesRun::rest() {
  for (; pictures_->busy(); ++rest_steps_) rest_.run_step();
}

// FNV-1a by words instead of bytes, since it is part of the timed work.
void ImagesRun::take(const insitu::Rendered& picture) {
  mix(static_cast<std::uint64_t>(picture.step));
  for (const auto& s : picture.segments) {
    const auto& c = s.colour;
    mix(s.pixel);
    mix(std::uint64_t{std::bit_cast<std::uint32_t>(s.begin)} << 32U | std::bit_cast<std::uint32_t>(s.end));
    mix(std::uint64_t{c[0]} << 48U | std::uint64_t{c[1]} << 32U | std::uint64_t{c[2]} << 16U | c[3]);
  }
}

// Packing, waiting and unpacking of all exchanges. The wait of an exchange is counted once, on its own track, since the
// clients' waits overlap.
double ImagesRun::communication_seconds() const {
  double seconds = 0;
  for (std::size_t t = 0; t < timeline_.tracks().size(); ++t) {
    seconds += timeline_.total_seconds(t, Activity::pack) + timeline_.total_seconds(t, Activity::unpack);
    if (timeline_.tracks()[t] == Timeline::exchange_track) seconds += timeline_.total_seconds(t, Activity::wait);
  }
  return seconds;
}

Outcome ImagesRun::run(std::int64_t steps, std::int64_t images) {
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
    waits += manager->counts().synchronisation_points - (!coalesced_ ? manager->counts().steps : 0);
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

double ImagesRun::silent_step_seconds(std::int64_t steps) {
  flow::FlowMonitors monitors(transport_, client_, vessel_, {}, [](const flow::MonitorRow&) {});
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

}  // namespace weft::bench
