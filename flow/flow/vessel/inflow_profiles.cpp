// SPDX-License-Identifier: BSD-3-Clause
#include "flow/vessel/inflow_profiles.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>

#include "flow/scaling/validity.hpp"
#include "flow/vessel/section_flow.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

namespace {

using Complex = std::complex<long double>;

// J0 and J1 by their power series. Terms grow to e^|z|, so ten digits remain of a long double at |z| = 60.
struct Bessel {
  Complex j0{1, 0}, j1{};
  explicit Bessel(Complex z) {
    const Complex square = -z * z / 4.0L;
    Complex term0{1, 0}, term1 = z / 2.0L;
    j1 = term1;
    for (int k = 1; k < 400; ++k) {
      term0 *= square / static_cast<long double>(k * k);
      term1 *= square / static_cast<long double>(k * (k + 1));
      j0 += term0;
      j1 += term1;
      if (std::abs(term0) < 1e-25L * std::abs(j0) && std::abs(term1) < 1e-25L * std::abs(j1)) break;
    }
  }
};

}  // namespace

std::complex<double> womersley_profile(double alpha, double radius) {
  constexpr double least = 1e-3;  // below it the parabola, to six digits or more
  if (alpha < least) return 2 * (1 - radius * radius);
  const Complex i(0, 1), b = i * std::sqrt(i) * static_cast<long double>(std::min(alpha, 60.0));
  const Bessel at_wall(b), here(b * static_cast<long double>(radius));
  const Complex one(1, 0), result = (one - here.j0 / at_wall.j0) / (one - 2.0L * at_wall.j1 / (b * at_wall.j0));
  return {static_cast<double>(result.real()), static_cast<double>(result.imag())};
}

Womersley::Womersley(const Table& mean_velocity) : waveform_(mean_velocity) {
  constexpr int samples = 4096;
  constexpr double turn = 2 * std::numbers::pi;
  const double period = mean_velocity.repeats_after();
  for (std::size_t n = 1; n <= harmonics; ++n) {
    std::complex<double> sum = 0;
    for (int k = 0; k < samples; ++k) {
      const double part = (k + 0.5) / samples;
      sum += mean_velocity.at(part * period) * std::polar(1.0, -turn * static_cast<double>(n) * part);
    }
    sum *= 2.0 / samples;
    if (std::abs(sum) <= 1e-9 * mean_velocity.largest_magnitude()) continue;
    coefficient_.push_back(sum);
    angular_frequencies_.push_back(turn * static_cast<double>(n) / period);
  }
}

void Womersley::amplitudes(double time_s, std::span<double> out) const {
  for (std::size_t k = 0; k < coefficient_.size(); ++k) {
    const auto now = coefficient_[k] * std::polar(1.0, angular_frequencies_[k] * time_s);
    out[2 * k] = now.real();
    out[2 * k + 1] = -now.imag();
  }
}

double Womersley::rest(double time_s) const {
  double rest = waveform_.at(time_s);
  for (std::size_t k = 0; k < coefficient_.size(); ++k)
    rest -= (coefficient_[k] * std::polar(1.0, angular_frequencies_[k] * time_s)).real();
  return rest;
}

double Womersley::velocity(double distance, double time_s, double radius, double viscosity) const {
  std::vector<double> now(2 * coefficient_.size());
  amplitudes(time_s, now);
  double sum = rest(time_s) * 2 * (1 - distance * distance);
  for (std::size_t k = 0; k < coefficient_.size(); ++k) {
    const auto profile = womersley_profile(radius * std::sqrt(angular_frequencies_[k] / viscosity), distance);
    sum += now[2 * k] * profile.real() + now[2 * k + 1] * profile.imag();
  }
  return sum;
}

namespace {

using geometry::operator*;
using geometry::operator+;
using geometry::operator-;
using Links = std::vector<lattice::SparseLattice::OpeningLink>;

/// Points of the grid for solving a profile, along the square root of the lumen's area: eight per voxel, so that its
/// error is about a hundredth of the lattice's, up to `most`.
int points_along(const geometry::Lumen& lumen, double voxel, int most) {
  constexpr double to_a_voxel = 8;
  constexpr int least = 48;
  const double points = to_a_voxel * std::sqrt(lumen.area) / voxel;
  return static_cast<int>(std::clamp(points, double{least}, static_cast<double>(most)));
}
constexpr int most_steady_points = 160, most_oscillating_points = 96;

/// For each link its values in sequence: steady profile, then real and imaginary part of each harmonic's profile.
std::vector<double> values_at(const Links& links, const geometry::Lumen& lumen, double voxel,
                              std::span<const double> rates) {
  const std::size_t each = 1 + 2 * rates.size();
  std::vector<double> values(each * links.size());
  if (links.empty()) return values;
  const auto put = [&](const SectionGrid& grid, const std::vector<double>& field, std::size_t which) {
    for (std::size_t k = 0; k < links.size(); ++k)
      values[each * k + which] = grid.interpolate(field, lumen.plane.flat(links[k].point));
  };
  const SectionGrid fine(lumen.rings, lumen.area, points_along(lumen, voxel, most_steady_points));
  put(fine, steady_flow(fine), 0);
  if (rates.empty()) return values;
  const SectionGrid grid(lumen.rings, lumen.area, points_along(lumen, voxel, most_oscillating_points));
  for (std::size_t n = 0; n < rates.size(); ++n) {
    const auto flow = oscillating_flow(grid, rates[n]);
    put(grid, flow.real, 1 + 2 * n);
    put(grid, flow.imaginary, 2 + 2 * n);
  }
  return values;
}

/// For each link the relative change of steady flow from its site to half-way along it.
std::vector<double> shear_at(const Links& links, const geometry::Domain& domain, const geometry::Lumen& lumen) {
  constexpr double most = 1;  // the velocity is never reversed, and at most doubled
  std::vector<double> shear(links.size());
  if (links.empty()) return shear;
  const double voxel = domain.grid.voxel;
  const SectionGrid grid(lumen.rings, lumen.area, points_along(lumen, voxel, most_steady_points));
  const auto field = steady_flow(grid);
  const auto flow = [&](const geometry::Vector& p) { return grid.interpolate(field, lumen.plane.flat(p)); };
  for (std::size_t k = 0; k < links.size(); ++k) {
    const auto site = domain.grid.centre(domain.sites[links[k].site]), half = 0.5 * (links[k].point - site);
    const double here = flow(site), ahead = flow(site + half), behind = flow(site - half);
    if (!(here > 0)) continue;  // not in the lumen
    // The slope at the site, over a quarter of a link to each side; beside the wall only to the other side.
    const double change = ahead > 0 && behind > 0 ? ahead - behind
                          : ahead > 0             ? 2 * (ahead - here)
                                                  : 2 * (here - behind);
    shear[k] = std::clamp(change / here, -most, most);
  }
  return shear;
}

/// The inflow of each profile over all ranks: sums of integers, independent of the distribution of links over ranks.
std::vector<double> flux_of(Transport& transport, const Links& links, const std::vector<double>& values,
                            std::size_t each) {
  constexpr double unit = 0x1p-40;
  std::vector<std::int64_t> mine(each);
  for (std::size_t k = 0; k < links.size(); ++k)
    for (std::size_t n = 0; n < each; ++n) mine[n] += std::llround(links[k].flux * values[each * k + n] / unit);
  const auto all = all_gather(transport, mine);
  std::vector<std::int64_t> sums(each);
  for (std::size_t k = 0; k < all.size(); ++k) sums[k % each] += all[k];
  std::vector<double> result;
  for (const auto sum : sums) result.push_back(static_cast<double>(sum) * unit);
  return result;
}

void scale(Table& table, double factor) {
  for (auto& [time, value] : table.points) value *= factor;
  if (!table.cosine) return;
  table.cosine->mean *= factor;
  table.cosine->amplitude *= factor;
}

}  // namespace

void use_lumens(Case& c, std::span<const geometry::Lumen> lumens) {
  for (std::size_t k = 0; k < lumens.size(); ++k) {
    auto& opening = c.openings[k];
    if (!lumens[k].exists()) continue;
    opening.lumen_area = lumens[k].area;
    if (opening.flow_area <= 0) continue;
    scale(opening.value, opening.flow_area / opening.lumen_area);
    opening.flow_area = opening.lumen_area;
  }
}

void prescribe_profiles(Transport& transport, lattice::SparseLattice& lattice, const Case& c, const Scaling& scaling,
                        const geometry::Domain& domain, std::span<const geometry::Lumen> lumens) {
  for (std::size_t o = 0; o < c.openings.size(); ++o) {
    const auto& opening = c.openings[o];
    const bool has_lumen = o < lumens.size() && lumens[o].exists();
    const auto lumen = has_lumen ? lumens[o] : geometry::round_lumen(opening.disc);
    const bool has_velocity = opening.kind == lattice::OpeningState::Kind::velocity;
    if (!has_velocity || may_be_held(c, opening))
      lattice.set_opening_shear(o, shear_at(lattice.opening_links(o), domain, lumen));
    if (!has_velocity && !may_be_fed(c, opening)) continue;
    std::vector<double> rates;
    if (opening.womersley) {
      rates = Womersley(opening.value).angular_frequencies();
      for (auto& rate : rates) rate /= c.fluid.kinematic_viscosity();
    }
    const std::size_t each = 1 + 2 * rates.size();
    const auto links = lattice.opening_links(o);
    auto values = values_at(links, lumen, scaling.dx, rates);
    auto flux = flux_of(transport, links, values, each);
    if (!(flux[0] > 0)) {  // no link lies in the lumen (too narrow, or the disc too far off): equal values at all links
      for (std::size_t k = 0; k < links.size(); ++k)
        for (std::size_t n = 0; n < each; ++n) values[each * k + n] = n == 0 || n % 2 == 1 ? 1 : 0;
      flux = flux_of(transport, links, values, each);
    }
    const double wanted = opening.area() / (scaling.dx * scaling.dx);
    for (std::size_t k = 0; k < links.size(); ++k) {
      auto* const of_link = &values[each * k];
      of_link[0] *= wanted / flux[0];
      for (std::size_t n = 1; n < each; n += 2) {
        const auto factor = wanted / std::complex(flux[n], flux[n + 1]);
        const auto value = std::complex(of_link[n], of_link[n + 1]) * factor;
        of_link[n] = value.real();
        of_link[n + 1] = value.imag();
      }
    }
    lattice.set_opening_profiles(o, values);
  }
}

}  // namespace weft::flow
