// SPDX-License-Identifier: BSD-3-Clause
#include "flow/extracts/triangle_values.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "weft/transport/collectives.hpp"

namespace weft::flow {

using geometry::dot;
using geometry::operator+;
using geometry::operator-;
using geometry::operator*;
using geometry::Vector;

namespace {

/// Rotates a vector from the plane with normal `from` into that with normal `to`, by the smallest rotation.
Vector turned(const Vector& v, const Vector& from, const Vector& to) {
  return v - (dot(v, to) / (1 + dot(from, to))) * (from + to);
}

std::array<Vector, 3> corners_of(const geometry::Surface& surface, std::size_t triangle) {
  const auto& t = surface.triangles[triangle];
  return {surface.vertices[t[0]], surface.vertices[t[1]], surface.vertices[t[2]]};
}

std::vector<WallPoint> wall_points(const geometry::Domain& domain, std::span<const WallSite> walls) {
  std::vector<WallPoint> points;
  for (const auto& wall : walls) {
    const auto& site = domain.sites[wall.site];
    const auto at = domain.grid.centre(site) + (wall.to_surface * domain.grid.voxel) * wall.normal;
    points.push_back({domain.grid.site_id(site), at, wall.normal});
  }
  return points;
}

/// The indices of points, ascending by id.
std::vector<std::uint32_t> by_id(std::span<const WallPoint> points) {
  std::vector<std::uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](auto k) { return points[k].id; });
  return order;
}

std::vector<WallPoint> in_order(std::span<const WallPoint> points, std::span<const std::uint32_t> order) {
  std::vector<WallPoint> result;
  for (const auto k : order) result.push_back(points[k]);
  return result;
}

/// The rank that computes each triangle; -1: no sites near it. `touched`: triangles near sites of this rank.
std::vector<std::int32_t> deal_triangles(Transport& world, std::size_t triangles,
                                         const std::vector<std::uint32_t>& touched) {
  const auto counts = all_gather(world, touched.size());
  const auto all = all_gather(world, touched);
  std::vector<std::int32_t> owner(triangles, -1);
  auto next = all.begin();
  for (std::size_t rank = 0; rank < counts.size(); ++rank)
    for (std::size_t k = 0; k < counts[rank]; ++k, ++next)
      if (owner[*next] < 0) owner[*next] = static_cast<std::int32_t>(rank);
  return owner;
}

}  // namespace

TriangleValues::TriangleValues(Transport& world, const geometry::Surface& triangles, const geometry::Domain& domain,
                               std::span<const WallSite> walls)
    : world_(world), triangles_(triangles.triangles.size()), sent_(static_cast<std::size_t>(world.size())) {
  for (const auto& wall : walls) sites_.push_back(wall.site);
  auto points = wall_points(domain, walls);
  std::vector<std::uint32_t> touched;
  {
    const auto order = by_id(points);
    const auto own = in_order(points, order);
    const WallStencils stencils(own, domain.grid.voxel);
    for (std::size_t t = 0; t < triangles_; ++t)
      if (!stencils.of(corners_of(triangles, t)).empty()) touched.push_back(static_cast<std::uint32_t>(t));
    const auto owner = deal_triangles(world, triangles_, touched);
    for (const auto t : touched)
      if (const auto rank = owner[t]; rank != world.rank())
        for (const auto& entry : stencils.of(corners_of(triangles, t)))
          sent_[static_cast<std::size_t>(rank)].push_back(order[entry.point]);
    std::erase_if(touched, [&](auto t) { return owner[t] != world.rank(); });
  }
  std::vector<std::vector<WallPoint>> out(sent_.size());
  for (std::size_t rank = 0; rank < sent_.size(); ++rank) {
    auto& list = sent_[rank];
    std::ranges::sort(list);
    list.erase(std::ranges::unique(list).begin(), list.end());
    for (const auto k : list) out[rank].push_back(points[k]);
  }
  for (const auto& came : all_to_all(world, out)) points.insert(points.end(), came.begin(), came.end());

  order_ = by_id(points);
  points = in_order(points, order_);
  for (const auto& point : points) normals_.push_back(point.normal);
  const WallStencils stencils(points, domain.grid.voxel);
  for (const auto t : touched) {
    const auto corners = corners_of(triangles, t);
    const auto entries = stencils.of(corners);
    mine_.push_back(
        {geometry::normalised(geometry::cross(corners[1] - corners[0], corners[2] - corners[0])), entries_.size()});
    entries_.insert(entries_.end(), entries.begin(), entries.end());
  }
  mine_.push_back({{}, entries_.size()});
  entries_.shrink_to_fit();
  count_ = all_reduce(world, static_cast<std::int64_t>(touched.size()), sum<std::int64_t>());
  places_ = gather(world, touched);
}

std::vector<TriangleValues::State> TriangleValues::states(std::span<const FieldQuantity> quantities,
                                                          const SiteValues& values,
                                                          const WallAverages& averages) const {
  const auto wants = [&](auto... which) { return ((std::ranges::find(quantities, which) != quantities.end()) || ...); };
  std::vector<State> own(sites_.size());
  if (wants(FieldQuantity::pressure)) {
    const auto pressure = values.of(FieldQuantity::pressure, sites_);
    for (std::size_t k = 0; k < own.size(); ++k) own[k].pressure = pressure[k];
  }
  if (wants(FieldQuantity::wall_shear_stress, FieldQuantity::wall_shear_stress_magnitude)) {
    const auto drag = values.of(FieldQuantity::wall_shear_stress, sites_);
    for (std::size_t k = 0; k < own.size(); ++k) own[k].drag = {drag[3 * k], drag[3 * k + 1], drag[3 * k + 2]};
  }
  if (averages.is_wanted())
    for (std::size_t k = 0; k < own.size(); ++k) {
      const auto& sum = averages.sums()[k];
      own[k].sum_of_vectors = geometry::length(sum.vector), own[k].sum_of_magnitudes = sum.magnitude;
    }

  std::vector<std::vector<State>> out(sent_.size());
  for (std::size_t rank = 0; rank < sent_.size(); ++rank)
    for (const auto k : sent_[rank]) out[rank].push_back(own[k]);
  for (const auto& came : all_to_all(world_, out)) own.insert(own.end(), came.begin(), came.end());
  std::vector<State> result;
  for (const auto k : order_) result.push_back(own[k]);
  return result;
}

std::vector<CellValues> TriangleValues::of(std::span<const FieldQuantity> quantities, const SiteValues& values,
                                           const WallAverages& averages) const {
  const auto points = states(quantities, values, averages);
  std::vector<CellValues> mine;
  for (const auto quantity : quantities) mine.push_back({name_with_unit(quantity), traits(quantity).components, {}});
  for (std::size_t t = 0; t + 1 < mine_.size(); ++t) {
    State at;
    double magnitude = 0;
    const auto& normal = mine_[t].normal;
    for (std::size_t k = mine_[t].first_entry; k < mine_[t + 1].first_entry; ++k) {
      const auto& point = points[entries_[k].point];
      const double weight = double(entries_[k].weight);
      at.pressure += weight * point.pressure;
      at.drag = at.drag + weight * turned(point.drag, normals_[entries_[k].point], normal);
      magnitude += weight * geometry::length(point.drag);
      at.sum_of_vectors += weight * point.sum_of_vectors;
      at.sum_of_magnitudes += weight * point.sum_of_magnitudes;
    }
    magnitude = std::max(magnitude, geometry::length(at.drag));  // weights may be negative
    const double along = std::max(at.sum_of_vectors, 0.0);
    const WallAverages::Sum sum{{along, 0, 0}, std::max(at.sum_of_magnitudes, along)};
    for (std::size_t q = 0; q < quantities.size(); ++q) {
      auto& out = mine[q].values;
      switch (quantities[q]) {
        case FieldQuantity::pressure: out.push_back(at.pressure); break;
        case FieldQuantity::wall_shear_stress: out.insert(out.end(), at.drag.begin(), at.drag.end()); break;
        case FieldQuantity::wall_shear_stress_magnitude: out.push_back(magnitude); break;
        default: out.push_back(averages.of(quantities[q], sum));
      }
    }
  }
  for (auto& v : mine) {
    const auto all = gather(world_, v.values);
    v.values.assign(world_.rank() == 0 ? triangles_ * v.components : 0, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t rank = 0; rank < all.size(); ++rank)
      for (std::size_t k = 0; k < places_[rank].size(); ++k)
        std::copy_n(all[rank].begin() + std::ptrdiff_t(k * v.components), v.components,
                    v.values.begin() + std::ptrdiff_t(places_[rank][k] * v.components));
  }
  return mine;
}

}  // namespace weft::flow
