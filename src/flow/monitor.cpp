// SPDX-License-Identifier: BSD-3-Clause
#include "flow/monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {
namespace {

enum Quantity : std::size_t { density, speed_squared, populations, change_squared, first_opening };
enum OfOpening : std::size_t { inflow, opening_density, opening_sites, per_opening };

constexpr auto merging = [](const Tally& a, const Tally& b) { return merge(a, b); };

double lower(double a, double b) { return std::isnan(a) || a < b ? a : b; }
double higher(double a, double b) { return std::isnan(a) || a > b ? a : b; }

}  // namespace

Tally merge(const Tally& a, const Tally& b) {
  return {lower(a.lowest, b.lowest), higher(a.highest, b.highest), a.total + b.total, std::min(a.site, b.site)};
}

std::vector<double> MonitorRow::columns(const Scaling& scaling) const {
  std::vector<double> values{scaling.time(step), lowest_density, highest_density, highest_mach, mass, relative_change};
  for (std::size_t k = 0; k < flow.size(); ++k) values.insert(values.end(), {flow[k], pressure[k]});
  return values;
}

MonitorClient::MonitorClient(const LatticeClient& lattice, const geometry::Domain& domain, const Scaling& scaling,
                             double tolerance, std::function<void(const MonitorRow&)> on_row)
    : lattice_(lattice),
      domain_(domain),
      scaling_(scaling),
      tolerance_(tolerance),
      on_row_(std::move(on_row)),
      opening_sites_(domain.openings.size()),
      local_(first_opening + per_opening * domain.openings.size()),
      global_(local_.size()) {
  for (const auto& cut : domain.cuts) {  // ascending by site
    if (cut.opening == geometry::Cut::wall) continue;
    auto& sites = opening_sites_[static_cast<std::size_t>(cut.opening)];
    if (sites.empty() || sites.back() != cut.site) sites.push_back(cut.site);
  }
}

void MonitorClient::request(Requests& requests) {
  requests.all_reduce(std::span<const Tally>(local_), std::span<Tally>(global_), reduction<Tally>(merging));
}

void MonitorClient::fill() {
  step_ = lattice_.observed_step();
  if (step_ < 0) return;
  interval_ = step_ - std::max<std::int64_t>(lattice_.observed_before(), 0);
  const auto& seen = lattice_.lattice().observation();
  local_[density] = {.lowest = seen.lowest_density, .highest = seen.highest_density, .total = seen.mass};
  local_[speed_squared] = {.highest = seen.highest_speed_squared, .total = seen.speed_squared};
  local_[populations] = {.lowest = seen.lowest_population};
  if (seen.bad_site >= 0) local_[populations].site = seen.bad_site;
  local_[change_squared] = {.total = seen.change_squared};
  const auto entered = lattice_.lattice().inflow();
  for (std::size_t k = 0; k < opening_sites_.size(); ++k) {
    auto* of_opening = &local_[first_opening + per_opening * k];
    double total = 0;
    for (const auto site : opening_sites_[k]) total += lattice_.lattice().density_at(site);
    of_opening[inflow] = {.total = entered[k]};
    of_opening[opening_density] = {.total = total};
    of_opening[opening_sites] = {.total = static_cast<double>(opening_sites_[k].size())};
  }
}

void MonitorClient::use() {
  if (step_ < 0) return;
  const auto& bad = global_[populations];
  if (bad.site != Tally{}.site || !std::isfinite(bad.lowest) || !std::isfinite(global_[density].total))
    throw_unstable(bad);
  row_.step = step_;
  row_.lowest_density = global_[density].lowest;
  row_.highest_density = global_[density].highest;
  row_.highest_mach = mach(std::sqrt(global_[speed_squared].highest));
  row_.mass = scaling_.mass(global_[density].total);
  const double change = global_[change_squared].total, speed = global_[speed_squared].total;
  row_.relative_change = speed > 0 && interval_ > 0 ? std::sqrt(change / speed) / static_cast<double>(interval_) : 1;
  row_.flow.resize(opening_sites_.size());
  row_.pressure.resize(opening_sites_.size());
  for (std::size_t k = 0; k < row_.flow.size(); ++k) {
    const auto* of_opening = &global_[first_opening + per_opening * k];
    row_.flow[k] = scaling_.flow(of_opening[inflow].total);
    row_.pressure[k] = scaling_.pressure(of_opening[opening_density].total / of_opening[opening_sites].total);
  }
  converged_ = converged_ || (tolerance_ > 0 && row_.relative_change < tolerance_);
  on_row_(row_);
}

void MonitorClient::before(Step&) { fill(); }
void MonitorClient::after(Step&) { use(); }

void MonitorClient::finish(Transport& transport) {
  if (lattice_.observed_step() == row_.step) return;
  fill();
  const auto what = Collective{.kind = Collective::Kind::all_reduce,
                               .in = std::as_bytes(std::span(local_)),
                               .out = std::as_writable_bytes(std::span(global_)),
                               .reduction = reduction<Tally>(merging)};
  complete(*transport.collective(what));
  use();
}

void MonitorClient::throw_unstable(const Tally& bad) const {
  const auto& grid = domain_.grid;
  std::string where = "somewhere";
  if (bad.site != Tally{}.site) {
    const auto x = static_cast<std::int32_t>(bad.site % grid.extent[0]);
    const auto y = static_cast<std::int32_t>(bad.site / grid.extent[0] % grid.extent[1]);
    const auto z = static_cast<std::int32_t>(bad.site / grid.extent[0] / grid.extent[1]);
    const auto p = grid.centre({x, y, z});
    where = fmt::format("at site ({}, {}, {}), that is at ({:.6g}, {:.6g}, {:.6g}) m", x, y, z, p[0], p[1], p[2]);
  }
  throw Error(
      fmt::format(
          "the flow became unstable in step {} {} (a population is {}). a finer surface.voxel or a slower rise "
          "of the flow mends it; `weft flow --check` tells what is out of its range.",
          step_, where,
          std::isfinite(bad.lowest) ? fmt::format("negative: {:.3g}", bad.lowest) : std::string("not a number")),
      true);
}

}  // namespace weft::flow
