// SPDX-License-Identifier: BSD-3-Clause
#include "flow/pictures/flow_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "flow/pictures/picture_source.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/file/beside.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

using insitu::Rendered;

namespace {

constexpr std::uint64_t for_file = 1;  // tag

// Rank 0's drawing thread: makes images of rendered pictures, and writes them to files or passes them to the onlooker.
class Drawer {
 public:
  static constexpr std::size_t capacity = 2;

  explicit Drawer(std::function<void(const Rendered&)> draw) : draw_(std::move(draw)), thread_([this] { work(); }) {}
  ~Drawer() {
    end();
    thread_.join();
  }

  bool has_room() const {
    const std::scoped_lock lock(mutex_);
    return waiting_.size() < capacity;
  }
  void put(Rendered picture) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.size() < capacity; });
    waiting_.push_back(std::move(picture));
    changed_.notify_all();
  }
  /// Returns when all pictures are drawn; rethrows an error of the drawing thread.
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.empty() && !busy_; });
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }
  bool failed() const {
    const std::scoped_lock lock(mutex_);
    return failure_ != nullptr;
  }

 private:
  void end() {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return ended_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const auto picture = std::move(waiting_.front());
      waiting_.pop_front();
      busy_ = true;
      lock.unlock();
      std::exception_ptr failure;
      try {
        draw_(picture);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      busy_ = false;
      if (failure && !failure_) failure_ = failure;
      changed_.notify_all();
    }
  }

  std::function<void(const Rendered&)> draw_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Rendered> waiting_;
  bool busy_ = false, ended_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace

struct FlowPictures::All {
  All(Transport& transport, const Case& c, const Vessel& vessel, const LatticeClient& client, const Calendar& calendar_,
      WallStress& wall_stress_, const Onlooker& onlooker_)
      : world(transport), case_(c), scaling(vessel.scaling), calendar(calendar_), onlooker(onlooker_),
        wall_stress(wall_stress_), source(vessel.domain, vessel.scaling, client, &wall_stress_),
        every(calendar_.picture_every),
        pictures(transport, vessel.domain, c.pictures.making,
                 {.values = [this](auto quantity, auto out) { return values(quantity, out); },
                  .velocity = [this](auto out) { source.velocity(out); },
                  // An additional step with stored fields would also be compared by the convergence monitor.
                  .can_leave_fields =
                      [this](auto step) {
                        return paused || !calendar.convergence ||
                               calendar.diagnostics(step) >= lattice::Diagnostics::change;
                      },
                  .wanted = [this](auto step) { return wanted(step); },
                  .done = [this](auto picture) { drawer->put(std::move(picture)); }}),
        rest(transport) {
    on_root(transport, [&] {
      if (every > 0) {
        std::error_code error;
        std::filesystem::create_directories(directory(), error);
        if (error) throw cannot_write(directory(), error.message());
      }
      drawer.emplace([this](const Rendered& picture) { draw(picture); });
    });
    pictures.add_to(rest);
    if (shows_stress()) wall_stress.prepare();
  }

  /// Whether picture files show the wall shear stress.
  bool shows_stress() const {
    return every > 0 && case_.pictures.scene.quantity == insitu::Quantity::wall_shear_stress;
  }
  // While the run is paused, no step stores its stress: the last known stress is shown, unless a picture of a later
  // step was shown.
  std::int64_t values(insitu::Quantity quantity, std::span<float> out) {
    const auto step = source.values(quantity, out, shown_step);
    if (!paused) shown_step = step;
    return step;
  }
  void find_wall_stress() {
    const double from = now_seconds();
    wall_stress.update();
    stress_seconds += now_seconds() - from;
  }

  // A file is requested some steps ahead: all ranks know of it one step later.
  static constexpr std::int64_t ahead = PictureCase::least_steps - 1;
  /// The first step, from this one on, that ends with a file.
  std::int64_t due_from(std::int64_t step) const { return (step + every) / every * every - 1; }
  std::filesystem::path directory() const { return case_.output.directory / "pictures"; }

  std::optional<insitu::Pictures::Wanted> wanted(std::int64_t step) {
    if (paused) {
      if (last_file_wanted) {
        last_file_wanted = false;
        return insitu::Pictures::Wanted{case_.pictures.scene, 0, for_file};
      }
    } else if (every > 0) {
      const auto due = std::max(next_due, due_from(step));
      if (due - step <= ahead && due < calendar.steps) {
        next_due = due + every;
        return insitu::Pictures::Wanted{case_.pictures.scene, due, for_file};
      }
    }
    if (!onlooker.live || !drawer->has_room()) return {};
    const auto scene = onlooker.wanted();
    if (!scene) return {};
    return insitu::Pictures::Wanted{*scene, 0, 0};
  }

  void draw(const Rendered& picture) {
    const insitu::Caption caption{case_.title, std::string(name_of(picture.scene.quantity)),
                                  std::string(unit_of(picture.scene.quantity)), scaling.time(picture.step), scaling.dx};
    if (picture.tag != for_file) {
      onlooker.show(insitu::draw(picture, caption, insitu::Frame::page), picture);
      return;
    }
    const auto file = directory() / fmt::format("{:08}.png", picture.step);
    insitu::write_png(insitu::draw(picture, caption), file);
    if (files.empty() || files.back() != file) files.push_back(file);
  }

  Transport& world;
  const Case& case_;
  const Scaling& scaling;
  const Calendar& calendar;
  Onlooker onlooker;
  WallStress& wall_stress;
  PictureSource source;
  std::int64_t every;  // 0: no files
  insitu::Pictures pictures;
  StepManager rest;  // runs steps with pictures only
  std::int64_t next_due = 0;
  std::int64_t shown_step = 0;  // of the last picture outside a pause
  bool paused = false, last_file_wanted = false;
  double stress_seconds = 0;
  std::vector<std::filesystem::path> files;  // owned by the drawer while it is busy
  std::optional<Drawer> drawer;              // on rank 0; destroyed first
};

std::unique_ptr<FlowPictures> FlowPictures::make(Transport& transport, const Case& c, const Vessel& vessel,
                                                 const LatticeClient& client, const Calendar& calendar,
                                                 WallStress& wall_stress, const Onlooker& onlooker) {
  if (calendar.picture_every == 0 && !onlooker.live) return nullptr;
  return std::unique_ptr<FlowPictures>(
      new FlowPictures(std::make_unique<All>(transport, c, vessel, client, calendar, wall_stress, onlooker)));
}

FlowPictures::FlowPictures(std::unique_ptr<All> all) : all_(std::move(all)) {}
FlowPictures::~FlowPictures() = default;

void FlowPictures::add_to(StepManager& manager) { all_->pictures.add_to(manager); }
bool FlowPictures::ends_with_stress() const { return all_->shows_stress(); }

lattice::Diagnostics FlowPictures::diagnostics() const {
  const auto& pictures = all_->pictures;
  if (!pictures.wants_fields()) return lattice::Diagnostics::nothing;
  return pictures.quantity() == insitu::Quantity::wall_shear_stress ? lattice::Diagnostics::stress
                                                                    : lattice::Diagnostics::fields;
}

void FlowPictures::after_step() {
  if (diagnostics() == lattice::Diagnostics::stress) all_->find_wall_stress();
}

insitu::PictureCosts FlowPictures::costs() const {
  auto costs = all_->pictures.costs();
  costs.seconds += all_->stress_seconds;
  return costs;
}

void FlowPictures::check() {
  if (all_->drawer && all_->drawer->failed()) all_->drawer->wait();  // throws
}

void FlowPictures::before_step(std::int64_t step) {
  auto& a = *all_;
  if (a.every > 0 && a.pictures.busy() && a.due_from(step) - step == All::ahead) idle();
}

void FlowPictures::idle() {
  auto& a = *all_;
  a.paused = true;
  a.pictures.set_share(1e9);  // no other work while paused
  do a.rest.run_step();
  while (a.pictures.busy());
  a.pictures.set_share(a.case_.pictures.making.share);
  a.paused = false;
}

std::vector<std::filesystem::path> FlowPictures::finish(std::int64_t steps) {
  auto& a = *all_;
  a.onlooker.live = a.onlooker.live && steps > 0;
  if (a.pictures.busy()) idle();
  if (ends_with_stress()) a.find_wall_stress();
  a.last_file_wanted =
      a.every > 0 && steps % a.every != 0 && (!ends_with_stress() || a.wall_stress.step() == steps - 1);
  idle();  // a request is known at the end of its first step
  if (a.pictures.busy()) idle();
  std::vector<std::filesystem::path> files;
  on_root(a.world, [&] {
    a.drawer->wait();
    files = a.files;
  });
  return files;
}

}  // namespace weft::flow
