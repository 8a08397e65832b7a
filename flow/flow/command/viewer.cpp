// SPDX-License-Identifier: BSD-3-Clause
#include "flow/command/viewer.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "flow/pictures/picture_source.hpp"
#include "flow/steering/command_json.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"

namespace weft::flow {

using Json = nlohmann::ordered_json;
using CommandKind = Command::Kind;

namespace {

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Steps per second, over at least the last half second in which the run was not paused.
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
  All(std::shared_ptr<view::Server> server_to_use, const Case& case_of_run, const Vessel& vessel_of_run,
      int ranks_of_run)
      : c(case_of_run), vessel(vessel_of_run), ranks(ranks_of_run),
        limits(make_limits(c, vessel.scaling, vessel.domain.grid.extent)), scene(c.pictures.scene),
        steps(steps_of(c, vessel.scaling)), shared(std::move(server_to_use)), server(*shared) {
    scene.width = scene.height = 512;
    server.accept([this](auto text) { return accept(text); });
    server.front("/index.html");
    server.forget_rows();
    say_hello();
    say_state();
  }
  ~All() {
    server.accept([](auto) { return std::string("The run has ended."); });
  }
  All(const All&) = delete;
  All& operator=(const All&) = delete;

  // Runs in the server's thread. A scene concerns rank 0 only: it is not sent to other ranks, and applies at once.
  std::string accept(std::string_view text) {
    try {
      const auto command = parse_command(text, limits);
      if (command.kind == CommandKind::scene) {
        const std::scoped_lock lock(mutex);
        scene = command.scene;
        ++scene_number;
        return "";
      }
      return inbox.push(command) ? "" : "Too many commands are waiting. Try again in a moment.";
    } catch (const InputError& error) {
      return error.what();
    }
  }

  Json hello() const;
  void say_hello();
  std::vector<double> values() const;
  void say_state();
  void after_step(std::int64_t step);
  void carried_out(const Command& command, std::int64_t step);
  std::optional<insitu::Scene> wanted();
  void show(insitu::Image image, const insitu::Rendered& of);
  double waited() const;

  const Case& c;
  const Vessel& vessel;
  int ranks;
  Limits limits;
  Inbox inbox;

  mutable std::mutex mutex;  // guards the following members
  insitu::Scene scene;
  std::uint64_t scene_number = 1;
  std::optional<std::pair<insitu::Quantity, insitu::Range>> shown;  // of the newest picture's colours

  // Used in the run's thread:
  std::uint64_t shown_scene = 0;
  std::int64_t shown_step = -1, step = 0, steps;
  int watchers = 0;
  bool paused = false, ended = false;
  double said = 0, said_hello = 0, waited_share = 0;
  std::vector<double> said_values;
  Pace pace;
  const Timeline* timeline = nullptr;
  const LatticeClient* client = nullptr;
  std::shared_ptr<view::Server> shared;
  view::Server& server;
};

// The openings' current values, then the viscosity.
std::vector<double> Viewer::All::values() const {
  std::vector<double> values;
  for (std::size_t k = 0; k < c.openings.size(); ++k)
    values.push_back(client != nullptr ? client->controls().opening(k, step) : c.openings[k].value.at(0));
  values.push_back(client != nullptr ? client->controls().viscosity(step) : c.fluid.viscosity);
  return values;
}

void Viewer::All::say_hello() {
  server.hello(text_of(hello()));
  said_values = values();
  said_hello = now_seconds();
}

Json Viewer::All::hello() const {
  const auto now = values();
  // The target of the last command; the value may still be changing.
  const auto target = [&](std::size_t k) {
    const auto ramp = client != nullptr ? client->controls().ramps()[k] : Ramp{};
    return ramp.is_there() ? Json(ramp.to) : Json();
  };
  Json openings = Json::array();
  for (std::size_t k = 0; k < c.openings.size(); ++k) {
    const auto& opening = c.openings[k];
    const auto& limit = limits.openings[k];
    openings.push_back({{"name", opening.disc.name},
                        {"kind", opening.disc.kind == geometry::Opening::Kind::inlet ? "inlet" : "outlet"},
                        {"prescribes", limit.prescribes()},
                        {"unit", limit.unit()},
                        {"value", now[k]},
                        {"target", target(k)},
                        {"low", limit.low},
                        {"high", limit.high}});
  }
  Json fields = Json::array();
  for (const auto& quantity : insitu::quantity_names)
    fields.push_back({{"name", quantity.name}, {"unit", unit_of(quantity.value)}});
  return {{"type", "hello"},
          {"title", c.title},
          {"sites", vessel.setup.sites},
          {"ranks", ranks},
          {"steps", steps},
          {"openings", openings},
          {"viscosity",
           {{"value", now.back()},
            {"target", target(c.openings.size())},
            {"low", limits.lowest_viscosity},
            {"high", limits.highest_viscosity},
            {"unit", "Pa s"}}},
          {"ramp", {{"value", limits.default_ramp}, {"low", limits.shortest_ramp}, {"high", limits.longest_ramp}}},
          {"quantities", fields},
          {"columns", monitor_columns(monitored_names(c))}};
}

// wait / in flight of rank 0 so far, as in the overlap table.
double Viewer::All::waited() const {
  if (timeline == nullptr) return 0;
  const auto& tracks = timeline->tracks();
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    if (tracks[t] != Timeline::exchange_track) continue;
    const double flight = timeline->total_seconds(t, Activity::in_flight);
    return flight > 0 ? timeline->total_seconds(t, Activity::wait) / flight : 0;
  }
  return 0;
}

void Viewer::All::say_state() {
  if (timeline != nullptr) waited_share = waited();  // keeps its value after the run
  const double rate = paused || ended ? 0 : pace.steps_per_second();
  Json state{{"type", "state"},
             {"step", step},
             {"steps", steps},
             {"time_s", vessel.scaling.time(step)},
             {"mlups", 1e-6 * rate * static_cast<double>(vessel.setup.sites)},
             {"seconds_left", rate > 0 ? Json(static_cast<double>(steps - step) / rate) : Json()},
             {"waited", waited_share},
             {"paused", paused},
             {"ended", ended}};
  {
    const std::scoped_lock lock(mutex);
    state["scene"] = json_of(scene);
    if (shown) state["shown"] = insitu::quantity_names.of(shown->first);
    if (shown) state["range"] = {static_cast<double>(shown->second.low), static_cast<double>(shown->second.high)};
  }
  server.state(text_of(state));
  said = now_seconds();
}

void Viewer::All::after_step(std::int64_t finished) {
  step = finished + 1;
  pace.see(step);
  const double now = now_seconds();
  if (now - said > 0.05) say_state();
  if (now - said_hello > 0.25 && values() != said_values) say_hello();
}

void Viewer::All::carried_out(const Command& command, std::int64_t next) {
  step = next;
  if (command.kind == CommandKind::pause || command.kind == CommandKind::step) paused = true;
  if (command.kind == CommandKind::resume || command.kind == CommandKind::stop) paused = false;
  if (command.kind == CommandKind::stop) steps = next + 1;
  pace.reset(step);
  if (command.kind == CommandKind::opening || command.kind == CommandKind::viscosity) {
    say_hello();
    const bool opening = command.kind == CommandKind::opening;
    const auto k = static_cast<std::size_t>(opening ? command.opening : 0);
    server.notice(fmt::format("{} changes to {} {} within {} s, from step {} on",
                              opening ? limits.openings[k].name : "viscosity", command.value,
                              opening ? limits.openings[k].unit() : "Pa s", command.ramp_seconds, next));
  }
  if (command.kind == CommandKind::output) server.notice(fmt::format("The fields of step {} are written", next));
  say_state();
}

// The scene to render, if there are watchers and a picture that they have not seen.
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

// Runs in the drawing thread.
void Viewer::All::show(insitu::Image image, const insitu::Rendered& of) {
  {
    const std::scoped_lock lock(mutex);
    shown = {of.scene.quantity, of.range};
  }
  server.picture({of.step, image.width, image.height, std::move(image.pixels)});
}

Viewer::Viewer(std::shared_ptr<view::Server> server, const Case& c, const Vessel& vessel, int ranks)
    : all_(std::make_unique<All>(std::move(server), c, vessel, ranks)) {}
Viewer::~Viewer() = default;

const std::string& Viewer::url() const { return all_->server.url(); }

void Viewer::join(RunOptions& options) {
  auto& a = *all_;
  options.steering.inbox = &a.inbox;
  options.onlooker.wanted = [&a] { return a.wanted(); };
  options.onlooker.show = [&a](insitu::Image image, const insitu::Rendered& of) { a.show(std::move(image), of); };
  options.hooks.on_start = [&a](const Running& running) {
    a.client = &running.client;
    a.timeline = &running.timeline;
    a.step = running.first_step;
    a.steps = running.steps;
    a.pace.reset(a.step);
    a.say_hello();
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
