// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/pictures.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "insitu/bricks.hpp"
#include "insitu/streamlines.hpp"
#include "weft/clock.hpp"
#include "weft/collective/monitors.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::insitu {
namespace {

// A sum of doubles without rounding, so that it doesn't depend on the order: in digits of 32 bits. The magnitude is
// limited to 2^190.
class ExactSum {
 public:
  void add(double x) {
    x = std::clamp(x, -0x1p190, 0x1p190);
    double unit = highest;
    for (auto& digit : digits_) {
      const auto n = static_cast<std::int64_t>(x / unit);
      digit += n;
      x -= static_cast<double>(n) * unit;
      unit *= 0x1p-32;
    }
  }
  void add(const ExactSum& other) {
    for (std::size_t i = 0; i < digits_.size(); ++i) digits_[i] += other.digits_[i];
  }
  double value() const {
    double sum = 0, unit = highest;
    for (const auto digit : digits_) {
      sum += static_cast<double>(digit) * unit;
      unit *= 0x1p-32;
    }
    return sum;
  }

 private:
  static constexpr double highest = 0x1p160;
  std::array<std::int64_t, 12> digits_{};
};

// The bounds of an automatic range: extremes, but no further from the mean than most values. The same bits on any
// ranks.
struct Statistics {
  float low = std::numeric_limits<float>::infinity(), high = -low;
  std::int64_t count = 0;
  ExactSum sum{}, squares{};

  // The values of a brick, by site; NaN: none.
  void add(std::span<const float> values) {
    double of_brick = 0, squares_of_brick = 0;
    for (const float v : values) {
      if (!std::isfinite(v)) continue;
      low = std::min(low, v);
      high = std::max(high, v);
      count += 1;
      of_brick += static_cast<double>(v);
      squares_of_brick += static_cast<double>(v) * static_cast<double>(v);
    }
    sum.add(of_brick);
    squares.add(squares_of_brick);
  }
  void add(const Statistics& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
    count += other.count;
    sum.add(other.sum);
    squares.add(other.squares);
  }
  Range range(const Scene& scene) const {
    if (count == 0) return {0, 1};
    const auto n = static_cast<double>(count);
    const double mean = sum.value() / n, deviation = std::sqrt(std::max(0.0, squares.value() / n - mean * mean));
    Range range{std::max(low, static_cast<float>(mean - 3 * deviation)),
                std::min(high, static_cast<float>(mean + 3 * deviation))};
    if (scene.quantity != Quantity::pressure) range.low = 0;
    if (!std::isnan(scene.low)) range.low = scene.low;
    if (!std::isnan(scene.high)) range.high = scene.high;
    if (!(range.high > range.low)) range.high = range.low + std::max(1e-6F, 1e-6F * std::abs(range.low));
    return range;
  }
};

// The status that ranks exchange in every step.
struct Status {
  std::uint8_t wanted = 0;  // set by rank 0
  std::uint8_t done = 0;    // whether this rank has finished the present state
  Pictures::Wanted what{};  // valid if wanted
  Statistics statistics{};
  std::int64_t steps = 0;  // required by the next stage
};

// The vessel's typical width in voxels: 4 V / S, as for a tube. A staircase of voxels has 4 / pi times the surface of a
// tube.
float width_of(Transport& transport, const geometry::Domain& domain) {
  double faces = 0;
  for (const auto& cut : domain.cuts) {
    const auto d = geometry::link_offset(cut.link);
    if (cut.opening == geometry::Cut::wall && std::abs(d[0]) + std::abs(d[1]) + std::abs(d[2]) == 1) faces += 1;
  }
  faces = all_reduce(transport, faces, sum<double>());
  return faces > 0 ? static_cast<float>(4 * static_cast<double>(domain.global_sites) * 1.27 / faces) : 8;
}

}  // namespace

struct Pictures::All final : Client {
  enum class State : std::uint8_t { idle, fields, values, lines, points, casting, stage };

  All(Transport& transport_, const geometry::Domain& domain, const Options& options_, Program program_)
      : transport(transport_), options(options_), program(std::move(program_)), rank(transport.rank()),
        width(width_of(transport, domain)), bricks(transport, domain), field(bricks, 1), velocity(bricks, 3),
        lines(bricks, velocity, seeds(domain, options.lines)), share(options.share) {
    std::vector<int> others;
    for (int r = 0; r < transport.size(); ++r)
      if (r != rank) others.push_back(r);
    points = std::make_unique<Stream>(others, others, options.chunk_bytes);
    for (const auto& stage : composite_stages(options.way, rank, transport.size(), 0)) {
      std::vector<int> to;
      for (const auto& send : stage.sends) to.push_back(send.peer);
      streams.push_back(std::make_unique<Stream>(std::move(to), stage.receives, options.chunk_bytes));
    }
  }

  // The control monitor.
  using Value = Status;
  Status local() {
    Status s;
    if (rank == 0 && state == State::idle) {
      if (const auto what = program.wanted(step_number)) {
        s.wanted = 1;
        s.what = *what;
      }
    }
    s.done = state == State::lines ? lines_idle : done;
    s.statistics = statistics;
    s.steps = next_steps;
    return s;
  }
  static Status combine(const Status& a, const Status& b) {
    Status s = a;
    s.done = a.done != 0 && b.done != 0 ? 1 : 0;
    s.statistics.add(b.statistics);
    s.steps = std::max(a.steps, b.steps);
    return s;
  }
  void use(const Status& all, std::int64_t);

  // The client that does the work; it sends nothing itself.
  void request(Requests&) override {}
  void before(Step& step) override;
  void during(Step& step) override;

  void take_values();
  void spend(double from);
  void spent(double seconds);
  void begin_casting();
  void share_points();
  void take_points();
  void begin_stage(std::size_t next);
  void take_stage();
  void finish_picture();
  void activate(const Client& client, bool on) {
    for (auto* manager : managers) manager->activate(client, on);
  }

  Transport& transport;
  Options options;
  Program program;
  int rank;
  float width;
  Bricks bricks;
  NodeField field, velocity;
  Streamlines lines;
  std::unique_ptr<Stream> points;
  std::vector<LinePoint> all_points;
  double share;
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<std::unique_ptr<Monitors>> controls;
  std::vector<StepManager*> managers;

  State state = State::idle;
  bool done = false, fields_now = false, lines_idle = false;
  Statistics statistics{};
  std::int64_t next_steps = 0, steps_left = 0;
  Wanted wanted{};
  Scene scene{};
  Range range{};
  std::int64_t step_number = 0;
  std::int64_t shown_step = 0;
  std::optional<Caster> caster;
  std::vector<CompositeStage> stages;
  std::size_t stage = 0;
  Runs runs;

  PictureCosts costs;
  double step_began = 0, allowance = 0;  // seconds that may be spent
};

void Pictures::All::before(Step& step) {
  const double now = now_seconds();
  // Unused time of a step is not saved, so no step is delayed for long; overdrawn time is paid back.
  if (step_began > 0) allowance = std::min(allowance, 0.0) + share * (now - step_began);
  step_began = now;
  step_number = step.number();
  lines_idle = lines.idle();  // before the lines for other ranks are sent
  fields_now = state == State::fields && step_number >= wanted.from_step && program.can_leave_fields(step_number);
  if (state == State::values) take_values();
}

void Pictures::All::take_values() {
  const double from = now_seconds();
  shown_step = program.values(scene.quantity, field.values());
  statistics = {};
  const std::span<const float> values = field.values();
  for (std::size_t i = 0; i < bricks.size(); ++i)
    statistics.add(values.subspan(bricks.first_site(i), bricks.first_site(i + 1) - bricks.first_site(i)));
  if (scene.streamlines) program.velocity(velocity.values());
  spend(from);
}

void Pictures::All::spend(double from) { spent(now_seconds() - from); }

void Pictures::All::spent(double seconds) {
  allowance -= seconds;
  costs.seconds += seconds;
}

void Pictures::All::during(Step& step) {
  const double from = now_seconds();
  if (state == State::lines && allowance > 0) {
    lines.grow(allowance);
    spend(from);
  }
  if (state != State::casting || done) return;
  double now = from;
  bool more = true;
  while (more && now - from < allowance) {
    more = caster->cast_next();
    now = now_seconds();
    step.progress();
  }
  if (!more) {
    runs = caster->take();
    caster.reset();
    stages =
        composite_stages(options.way, rank, transport.size(), static_cast<std::uint32_t>(scene.width * scene.height));
    begin_stage(0);
    done = true;
  }
  spend(from);
}

void Pictures::All::begin_casting() {
  const double from = now_seconds();
  caster.emplace(bricks, field, scene, range, width);
  if (scene.streamlines) caster->add(std::move(all_points));
  all_points.clear();
  state = State::casting;
  done = false;
  spend(from);
}

// Every rank needs all points: a line found by one rank may be visible in an adjacent block of another.
void Pictures::All::share_points() {
  all_points.assign(lines.points().begin(), lines.points().end());
  const auto bytes = std::as_bytes(lines.points());
  for (int i = 0; i + 1 < transport.size(); ++i)
    points->load(static_cast<std::size_t>(i), std::vector<std::byte>(bytes.begin(), bytes.end()));
  next_steps = points->steps();
}

void Pictures::All::take_points() {
  for (int i = 0; i + 1 < transport.size(); ++i) {
    const auto bytes = points->take(static_cast<std::size_t>(i));
    const auto before = all_points.size();
    all_points.resize(before + bytes.size() / sizeof(LinePoint));
    if (!bytes.empty()) std::memcpy(&all_points[before], bytes.data(), bytes.size());
  }
}

// Packs the data of the stage; the ranks then agree on its number of steps.
void Pictures::All::begin_stage(std::size_t next) {
  stage = next;
  next_steps = 0;
  if (stage == stages.size()) return;
  const auto& s = stages[stage];
  if (s.is_last) runs = blend(runs);
  for (std::size_t i = 0; i < s.sends.size(); ++i)
    streams[stage]->load(i, pack(clip(runs, s.sends[i].first, s.sends[i].last)));
  if (!s.sends.empty()) runs = clip(runs, s.first, s.last);
  next_steps = streams[stage]->steps();
}

void Pictures::All::take_stage() {
  const double from = now_seconds();
  for (std::size_t i = 0; i < stages[stage].receives.size(); ++i) runs = merge(runs, unpack(streams[stage]->take(i)));
  begin_stage(stage + 1);
  spend(from);
}

void Pictures::All::finish_picture() {
  ++costs.pictures;
  state = State::idle;
  if (transport.size() == 1) runs = blend(runs);
  if (rank == 0)
    program.done({segments_of(runs), scene, range, make_projection(scene, bricks.extent()), shown_step, wanted.tag});
  runs = {};
}

// At the end of a step, the same on every rank: goes to the next state as soon as all ranks have finished the present
// one.
void Pictures::All::use(const Status& all, std::int64_t) {
  switch (state) {
    case State::idle:
      if (all.wanted == 0) return;
      wanted = all.what;
      scene = wanted.scene;
      state = State::fields;
      return;
    case State::fields:
      if (!fields_now) return;
      state = State::values;
      activate(field, true);
      activate(velocity, scene.streamlines);
      return;
    case State::values:
      activate(field, false);
      activate(velocity, false);
      spent(field.take_seconds() + velocity.take_seconds());
      range = all.statistics.range(scene);
      if (!scene.streamlines) return begin_casting();
      lines.start();
      activate(lines, true);
      state = State::lines;
      return;
    case State::lines:
      if (all.done == 0) return;
      activate(lines, false);
      share_points();
      steps_left = -1;  // known in the next step
      state = State::points;
      return;
    case State::points:
      if (steps_left < 0) {
        steps_left = all.steps;
        if (steps_left == 0) return begin_casting();
        activate(*points, true);
        return;
      }
      if (--steps_left > 0) return;
      activate(*points, false);
      take_points();
      return begin_casting();
    case State::casting:
      if (all.done == 0) return;
      state = State::stage;
      break;
    case State::stage:
      if (steps_left == 0) break;
      if (--steps_left > 0) return;
      activate(*streams[stage], false);
      take_stage();
      if (stage == stages.size()) finish_picture();
      return;
  }
  // The ranks have agreed on the number of steps of the next stage.
  steps_left = all.steps;
  if (stage < stages.size() && steps_left == 0) take_stage();
  if (stage == stages.size())
    finish_picture();
  else if (steps_left > 0)
    activate(*streams[stage], true);
}

Pictures::Pictures(Transport& transport, const geometry::Domain& domain, const Options& options, Program program)
    : all_(std::make_unique<All>(transport, domain, options, std::move(program))) {}
Pictures::~Pictures() = default;

void Pictures::add_to(StepManager& manager) {
  auto& a = *all_;
  const auto add = [&](const std::string& name, Client& client) {
    manager.add(name, client);
    manager.activate(client, false);
  };
  manager.add("pictures", a);
  add("picture values", a.field);
  add("picture velocity", a.velocity);
  add("streamlines", a.lines);
  add("streamline points", *a.points);
  for (std::size_t i = 0; i < a.streams.size(); ++i) add("picture stage " + std::to_string(i), *a.streams[i]);
  a.controls.push_back(std::make_unique<Monitors>(a.transport));
  a.controls.back()->add(a);
  a.controls.back()->start(manager, "picture control", {.way = Monitors::Way::rounds});
  a.managers.push_back(&manager);
}

bool Pictures::wants_fields() const { return all_->fields_now; }
Quantity Pictures::quantity() const { return all_->scene.quantity; }
bool Pictures::busy() const { return all_->state != All::State::idle; }
void Pictures::set_share(double share) { all_->share = share; }
PictureCosts Pictures::costs() const { return all_->costs; }
void Pictures::reset_costs() { all_->costs = {}; }

}  // namespace weft::insitu
