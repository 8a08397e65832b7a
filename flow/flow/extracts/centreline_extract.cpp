// SPDX-License-Identifier: BSD-3-Clause
#include "flow/extracts/centreline_extract.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "flow/case/case.hpp"
#include "weft/error.hpp"
#include "weft/file/whole_file.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

void CutSum::add(const CutSum& other) {
  flow = flow + other.flow;
  density = density + other.density;
  lowest = std::min(lowest, other.lowest);
}

CutSum sum_over(const LumenCut& cut, std::span<const CutSite> sites, const lattice::SparseLattice& lattice,
                bool momentum) {
  std::int64_t flow = 0, density = 0;
  CutSum sum;
  for (const auto& s : sites) {
    const auto m = lattice.moments(s.site);
    const double flux = geometry::dot(m.velocity, cut.plane.normal) * (momentum ? 1 : m.density);
    flow += ticks_of(static_cast<double>(s.of_velocity) * flux);
    density += ticks_of(static_cast<double>(s.of_pressure) * (m.density - 1));
    sum.lowest = std::min(sum.lowest, m.density);
  }
  sum.flow = TickSum::of(flow);
  sum.density = TickSum::of(density);
  return sum;
}

std::vector<CutSum> all_ranks(Transport& transport, std::span<const CutSum> mine) {
  std::vector<CutSum> all(mine.begin(), mine.end());
  if (all.empty()) return all;
  const auto add = reduction<CutSum>([](const CutSum& a, const CutSum& b) {
    auto sum = a;
    sum.add(b);
    return sum;
  });
  detail::run_collective(transport, Collective::all_reduce(mine, std::span<CutSum>(all), add));
  return all;
}

CutAverages::CutAverages(std::size_t cuts, double period, double start_s, std::int64_t every, double step_seconds)
    : period_(period), start_s_(start_s), every_(every), step_seconds_(step_seconds), cuts_(cuts) {}

bool CutAverages::takes(std::int64_t step) const {
  return step % every_ == 0 && static_cast<double>(step) * step_seconds_ >= start_s_ - 1e-6 * step_seconds_;
}

void CutAverages::add(std::int64_t step, std::span<const CutSum> sums) {
  const double time = static_cast<double>(step) * step_seconds_, slack = 1e-6 * step_seconds_;
  const auto beat = period_ > 0 ? static_cast<std::int64_t>(std::floor((time + slack) / period_)) : 0;
  auto& now = state_.now;
  if (beat != state_.beat || now.samples == 0) {
    if (now.samples > 0 && now.is_whole) state_.last = std::move(now);
    const double due = std::max(static_cast<double>(beat) * period_, start_s_);  // without a period: one window
    now = {.from_s = time,
           .is_whole = time - due < static_cast<double>(every_) * step_seconds_ - slack &&
                       (period_ <= 0 || start_s_ <= static_cast<double>(beat) * period_ + slack),
           .sums = std::vector<CutSum>(cuts_)};
    state_.beat = beat;
  }
  ++now.samples;
  now.to_s = time;
  for (std::size_t k = 0; k < cuts_; ++k) now.sums[k].add(sums[k]);
}

const CutWindow& CutAverages::window(std::int64_t step) const {
  const auto& [beat, now, last] = state_;
  if (last.samples == 0 || period_ <= 0) return now;
  // The beat is complete if the next sample belongs to another beat.
  const double next = static_cast<double>((step / every_ + 1) * every_) * step_seconds_;
  return now.is_whole && next >= static_cast<double>(beat + 1) * period_ - 1e-6 * step_seconds_ ? now : last;
}

using nlohmann::json;

namespace {

constexpr double of_a_tick = 0x1p-40;

std::vector<std::string> centreline_columns(std::vector<std::string> times, const char* ratio) {
  for (const auto* name : {"branch", "along_m", "x_m", "y_m", "z_m", "area_m2", "radius_m", "flow_m3_per_s",
                           "pressure_pa", "pressure_lowest_pa"})
    times.emplace_back(name);
  times.emplace_back(ratio);
  return times;
}

// If the inlet's pressure is not positive, pressures are relative to some level, and their ratio is meaningless.
double ratio_to(double pressure, double inlet) {
  return inlet > 0 ? pressure / inlet : std::numeric_limits<double>::quiet_NaN();
}

json json_of_window(const CutWindow& w, const std::vector<CutSum>& sums) {
  auto list = json::array();
  for (const auto& s : sums)  // without samples `lowest` is infinite
    list.push_back(
        {s.flow.high, s.flow.low, s.density.high, s.density.low, std::isfinite(s.lowest) ? json(s.lowest) : json()});
  return {{"samples", w.samples}, {"from", w.from_s}, {"to", w.to_s}, {"whole", w.is_whole}, {"sums", list}};
}

CutWindow window_of(const json& value, bool is_root) {
  CutWindow w{.samples = value.at("samples"),
              .from_s = value.at("from"),
              .to_s = value.at("to"),
              .is_whole = value.at("whole")};
  for (const auto& s : value.at("sums")) {
    auto& sum = w.sums.emplace_back();
    if (!is_root) continue;  // rank 0 gets the sums of all ranks
    sum.flow = {s.at(0), s.at(1)};
    sum.density = {s.at(2), s.at(3)};
    if (!s.at(4).is_null()) sum.lowest = s.at(4);
  }
  return w;
}

}  // namespace

CentrelineExtract::CentrelineExtract(Transport& transport, const Case& c, const ExtractCase& extract,
                                     const CutCentreline& line, const geometry::Domain& domain,
                                     const LatticeClient& client, const Scaling& scaling)
    : transport_(transport), case_(c), extract_(extract), client_(client), scaling_(scaling), line_(line),
      sites_(sites_of_cuts(line.cuts, domain, c.lattice.wall)),
      averages_(line.cuts.size(), common_period(c).value_or(0), c.average.start,
                std::max<std::int64_t>(1, steps_between(c.average, scaling)), scaling.dt) {
  std::vector<CutSum> covered(line_.cuts.size());
  for (std::size_t k = 0; k < covered.size(); ++k) {
    std::int64_t ticks = 0;
    for (const auto& s : sites_[k]) ticks += std::llround(static_cast<double>(s.of_pressure) / of_a_tick);
    covered[k].density = TickSum::of(ticks);
  }
  constexpr double enough = 0.75;
  for (const auto& sum : all_ranks(transport, covered)) areas_.push_back(sum.density.value() * of_a_tick);
  for (auto& branch : line_.branches) {
    std::erase_if(branch.places, [&](const auto& place) {
      return areas_[place.cut] * scaling.dx * scaling.dx < enough * line_.cuts[place.cut].area;
    });
    places_ += static_cast<std::int64_t>(branch.places.size());
  }
  if (places_ == 0)
    throw InputError(
        fmt::format(
            "{}: Extract '{}' of shape centreline finds no place between '{}' and another opening where the voxelised "
            "lumen is as large as the surface's cut. Check the surface with --check, or use a smaller voxel.",
            c.file.string(), extract.name, c.openings[line.root].disc.name),
        true);
}

double CentrelineExtract::pressure(std::size_t cut, const CutSum& sum, std::int64_t samples) const {
  return scaling_.pressure(1 + sum.density.value() * of_a_tick / (areas_[cut] * static_cast<double>(samples)));
}

std::vector<std::string> CentrelineExtract::rows(std::span<const CutSum> sums, std::int64_t samples) const {
  std::vector<std::string> rows;
  for (const auto& branch : line_.branches) {
    double inlet = 0;
    for (const auto& place : branch.places) {
      const auto& cut = line_.cuts[place.cut];
      const auto& sum = sums[place.cut];
      const double p = pressure(place.cut, sum, samples);
      if (&place == &branch.places.front()) inlet = p;
      rows.push_back(fmt::format("{},{},{},{},{},{},{},{},{}", case_.openings[branch.to].disc.name, place.along,
                                 fmt::join(cut.plane.origin, ","), cut.area, cut.radius,
                                 scaling_.flow(sum.flow.value() * of_a_tick / static_cast<double>(samples)), p,
                                 scaling_.pressure(sum.lowest), ratio_to(p, inlet)));
    }
  }
  return rows;
}

void CentrelineExtract::begin(std::int64_t keep_below) {
  on_root(transport_, [&] {
    series_.emplace(case_.output.directory / extract_.name, centreline_columns({"step", "time_s"}, "pressure_ratio"),
                    keep_below);
  });
}

void CentrelineExtract::sample(std::int64_t step, bool is_due) {
  const bool is_averaged = averages_.takes(step);
  if (!is_due && !is_averaged) return;
  kept_.clear();
  for (std::size_t k = 0; k < sites_.size(); ++k)
    kept_.push_back(sum_over(line_.cuts[k], sites_[k], client_.lattice(), case_.lattice.incompressible));
  if (is_averaged) averages_.add(step, kept_);
}

std::vector<std::filesystem::path> CentrelineExtract::write(std::int64_t step) {
  const auto& window = averages_.window(step);
  const auto now = all_ranks(transport_, kept_), average = all_ranks(transport_, window.sums);
  std::vector<std::filesystem::path> files{case_.output.directory / (extract_.name + ".csv")};
  if (window.samples > 0) files.push_back(case_.output.directory / (extract_.name + "_average.csv"));
  on_root(transport_, [&] {
    for (const auto& row : rows(now, 1)) series_->append(step, fmt::format("{},{}", scaling_.time(step), row));
    series_->sync();
    if (window.samples == 0) return;
    WholeFile file(files.back());
    file.stream() << fmt::format("{}\n", fmt::join(centreline_columns({"from_s", "to_s"}, "ffr"), ","));
    for (const auto& row : rows(average, window.samples))
      file.stream() << fmt::format("{},{},{}\n", window.from_s, window.to_s, row);
    file.finish();
  });
  return files;
}

std::string CentrelineExtract::state() const {
  const auto& [beat, now, last] = averages_.state();
  const auto all_now = all_ranks(transport_, now.sums), all_last = all_ranks(transport_, last.sums);
  return json{{"cuts", line_.cuts.size()},
              {"beat", beat},
              {"now", json_of_window(now, all_now)},
              {"last", json_of_window(last, all_last)}}
      .dump();
}

void CentrelineExtract::restore(const std::string& state) {
  const auto value = json::parse(state);
  if (value.at("cuts") != line_.cuts.size()) return;  // another spacing: restart the averages
  const bool is_root = transport_.rank() == 0;
  averages_.restore({.beat = value.at("beat"),
                     .now = window_of(value.at("now"), is_root),
                     .last = window_of(value.at("last"), is_root)});
}

}  // namespace weft::flow
