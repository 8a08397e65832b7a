// SPDX-License-Identifier: BSD-3-Clause
#include "flow/viewer.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "flow/picture_source.hpp"
#include "flow/steering/command_json.hpp"
#include "flow/steering/scene_json.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"

namespace weft::flow {

using Json = nlohmann::ordered_json;
using CommandKind = Command::Kind;

namespace {

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Site updates and steps a second, over about the last second in which the run was not paused.
class Pace {
 public:
  void reset(std::int64_t step) { from_ = now_seconds(), at_ = step; }
  void see(std::int64_t step) {
    const double now = now_seconds();
    if (now - from_ < 0.5) return;
    steps_per_second_ = static_cast<double>(step - at_) / (now - from_);
    from_ = now, at_ = step;
  }
  double steps_per_second() const { return steps_per_second_; }

 private:
  double from_ = 0, steps_per_second_ = 0;
  std::int64_t at_ = 0;
};

}  // namespace

struct Viewer::All {
  All(const view::ServerOptions& options, const Case& case_of_run, const Vessel& vessel_of_run, int ranks_of_run)
      : c(case_of_run), vessel(vessel_of_run), ranks(ranks_of_run), limits(make_limits(c, vessel.scaling, vessel.domain.grid.extent)),
        scene(c.pictures.scene), steps(steps_of(c, vessel.scaling)), server(options, [this](auto text) { return accept(text); }) {
    scene.width = scene.height = 512;
    server.hello(text_of(hello()));
    say_state();
  }

  // In the server's thread. A view is rank 0's affair alone: it need not travel, and is there at once.
  std::string accept(std::string_view text) {
    try {
      const auto command = parse_command(text, limits);
      if (command.kind == CommandKind::scene) {
        const std::scoped_lock lock(mutex);
        scene = command.scene;
        ++scene_number;
        return "";
      }
      return inbox.push(command) ? "" : "too many commands wait to be carried out. try again in a moment.";
    } catch (const InputError& error) {
      return error.what();
    }
  }

  Json hello() const;
  void say_state();
  void after_step(std::int64_t step);
  void carried_out(const Command& command, std::int64_t step);
  std::optional<insitu::Scene> wanted();
  void show(insitu::Image image, std::int64_t step, const insitu::Range& range);
  double hidden() const;

  const Case& c;
  const Vessel& vessel;
  int ranks;
  Limits limits;
  Inbox inbox;

  mutable std::mutex mutex;  // of what follows
  insitu::Scene scene;
  std::uint64_t scene_number = 1;
  insitu::Range range{};
  bool has_range = false;

  // The run's thread.
  std::uint64_t shown_scene = 0;
  std::int64_t shown_step = -1, step = 0, steps;
  int watchers = 0;
  bool paused = false, ended = false;
  double said = 0;
  Pace pace;
  const Timeline* timeline = nullptr;
  const LatticeClient* client = nullptr;
  view::Server server;  // last: its threads use the rest
};

Json Viewer::All::hello() const {
  Json openings = Json::array();
  for (std::size_t k = 0; k < c.openings.size(); ++k) {
    const auto& opening = c.openings[k];
    const auto& limit = limits.openings[k];
    const bool is_pressure = opening.kind == lattice::OpeningState::Kind::pressure;
    const double value = client != nullptr ? client->controls().opening(k, step) : opening.value.at(0);
    openings.push_back({{"name", opening.disc.name},
                        {"kind", opening.disc.kind == geometry::Opening::Kind::inlet ? "inlet" : "outlet"},
                        {"prescribes", is_pressure ? "pressure" : "velocity"},
                        {"unit", limit.unit()},
                        {"value", value},
                        {"low", limit.low},
                        {"high", limit.high}});
  }
  const double viscosity = client != nullptr ? client->controls().viscosity(step) : c.fluid.viscosity;
  Json quantities = Json::array();
  for (const auto& [quantity, name] : {std::pair{insitu::Quantity::speed, "speed"},
                                       std::pair{insitu::Quantity::pressure, "pressure"},
                                       std::pair{insitu::Quantity::wall_shear_stress, "wall_shear_stress"}})
    quantities.push_back({{"name", name}, {"unit", unit_of(quantity)}});
  std::vector<std::string> names;
  for (const auto& opening : c.openings) names.push_back(opening.disc.name);
  return {{"type", "hello"},
          {"title", c.title},
          {"sites", vessel.setup.sites},
          {"ranks", ranks},
          {"steps", steps},
          {"openings", openings},
          {"viscosity", {{"value", viscosity}, {"low", limits.lowest_viscosity}, {"high", limits.highest_viscosity}, {"unit", "Pa s"}}},
          {"ramp", {{"value", limits.default_ramp}, {"low", limits.shortest_ramp}, {"high", limits.longest_ramp}}},
          {"quantities", quantities},
          {"columns", monitor_columns(names)}};
}

// Of rank 0, so far: how much of the time that messages travelled it did not wait.
double Viewer::All::hidden() const {
  if (timeline == nullptr) return 0;
  const auto& tracks = timeline->tracks();
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    if (tracks[t] != "exchange") continue;
    const double flight = timeline->total_seconds(t, Activity::in_flight);
    return flight > 0 ? 1 - timeline->total_seconds(t, Activity::wait) / flight : 1;
  }
  return 1;
}

void Viewer::All::say_state() {
  const double rate = paused || ended ? 0 : pace.steps_per_second();
  Json state{{"type", "state"},
             {"step", step},
             {"steps", steps},
             {"time_s", vessel.scaling.time(step)},
             {"mlups", 1e-6 * rate * static_cast<double>(vessel.setup.sites)},
             {"seconds_left", rate > 0 ? Json(static_cast<double>(steps - step) / rate) : Json()},
             {"hidden", hidden()},
             {"paused", paused},
             {"ended", ended}};
  {
    const std::scoped_lock lock(mutex);
    state["scene"] = json_of(scene);
    if (has_range) state["range"] = {static_cast<double>(range.low), static_cast<double>(range.high)};
  }
  server.state(text_of(state));
  said = now_seconds();
}

void Viewer::All::after_step(std::int64_t finished) {
  step = finished + 1;
  pace.see(step);
  if (now_seconds() - said > 0.05) say_state();
}

void Viewer::All::carried_out(const Command& command, std::int64_t next) {
  step = next;
  if (command.kind == CommandKind::pause || command.kind == CommandKind::step) paused = true;
  if (command.kind == CommandKind::resume || command.kind == CommandKind::stop) paused = false;
  if (command.kind == CommandKind::stop) steps = next + 1;
  pace.reset(step);
  if (command.kind == CommandKind::opening || command.kind == CommandKind::viscosity) {
    server.hello(text_of(hello()));
    server.notice(fmt::format("from step {} on: {}", next, to_json(command, limits)));
  }
  if (command.kind == CommandKind::output) server.notice(fmt::format("the fields of step {} are written", next));
  say_state();
}

// Somebody watches, and there is something that he has not seen.
std::optional<insitu::Scene> Viewer::All::wanted() {
  const int now = server.watchers();
  const bool is_new = now > watchers;
  watchers = now;
  if (now == 0 || !server.wants_picture()) return {};
  const std::scoped_lock lock(mutex);
  if (paused && !is_new && shown_scene == scene_number && shown_step == step) return {};
  shown_scene = scene_number;
  shown_step = step;
  return scene;
}

// In the drawer's thread.
void Viewer::All::show(insitu::Image image, std::int64_t of_step, const insitu::Range& shown) {
  {
    const std::scoped_lock lock(mutex);
    range = shown;
    has_range = true;
  }
  server.picture({of_step, image.width, image.height, std::move(image.pixels)});
}

Viewer::Viewer(const view::ServerOptions& options, const Case& c, const Vessel& vessel, int ranks)
    : all_(std::make_unique<All>(options, c, vessel, ranks)) {}
Viewer::~Viewer() = default;

const std::string& Viewer::url() const { return all_->server.url(); }

void Viewer::join(RunOptions& options) {
  auto& a = *all_;
  options.steering.inbox = &a.inbox;
  options.onlooker.wanted = [&a] { return a.wanted(); };
  options.onlooker.show = [&a](insitu::Image image, std::int64_t step, const insitu::Range& range) { a.show(std::move(image), step, range); };
  options.hooks.on_start = [&a](const Running& running) {
    a.client = &running.client;
    a.timeline = &running.timeline;
    a.step = running.first_step;
    a.steps = running.steps;
    a.pace.reset(a.step);
    a.server.hello(text_of(a.hello()));
  };
  options.hooks.on_row = [&a](const MonitorRow& row, std::span<const double> columns) {
    std::vector<double> values{static_cast<double>(row.step)};
    values.insert(values.end(), columns.begin(), columns.end());
    a.server.row(values);
  };
  options.hooks.on_command = [&a](const Command& command, std::int64_t step) { a.carried_out(command, step); };
  options.hooks.after_step = [&a](std::int64_t step) { a.after_step(step); };
  options.hooks.idle = [&a] {
    if (now_seconds() - a.said > 0.05) a.say_state();
  };
  options.hooks.on_checkpoint = [&a](const std::filesystem::path& file) {
    a.server.notice(fmt::format("checkpoint: {}", file.filename().string()));
  };
}

void Viewer::end() {
  auto& a = *all_;
  a.ended = true;
  a.client = nullptr;
  a.timeline = nullptr;
  a.say_state();
}

}  // namespace weft::flow
