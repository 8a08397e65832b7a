// SPDX-License-Identifier: BSD-3-Clause
//
// Pictures of a known flow in a vessel whose blocks are distributed without order, so that every ray leaves and
// re-enters a rank's part many times.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "insitu/pictures.hpp"
#include "tests/support/shape_domain.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::insitu {

/// A helix with an inlet at its lower end.
inline test::Shape helix() {
  test::Shape shape;
  shape.extent = {52, 52, 60};
  shape.inside = [](const geometry::Vector& v) {
    if (v[2] < 3 || v[2] > 56) return false;
    const double angle = 0.12 * (v[2] - 3);
    return std::hypot(v[0] - 25.5 - 14 * std::cos(angle), v[1] - 25.5 - 14 * std::sin(angle)) < 7.5;
  };
  geometry::Opening inlet;
  inlet.name = "inlet";
  inlet.centre = {25.5 + 14, 25.5, 3};
  inlet.normal = {0, 0, 1};
  inlet.radius = 6;
  shape.openings = {inlet};
  return shape;
}

/// The flow along the helix, faster on its axis, and the value that a picture shows.
inline std::array<float, 3> known_velocity(const geometry::Position& p) {
  const double angle = 0.12 * (p[2] - 3);
  return {static_cast<float>(-14 * 0.12 * std::sin(angle)), static_cast<float>(14 * 0.12 * std::cos(angle)), 1.0F};
}
inline float known_value(const geometry::Position& p) {
  return static_cast<float>(std::abs(std::sin(0.2 * p[0]) * std::cos(0.1 * p[2])) + 0.01 * p[1]);
}

struct PictureRun {
  Scene scene{};
  CompositeWay way = CompositeWay::binary_swap;
  bool coalesce = true;
  std::size_t chunk_bytes = 4096;
  double share = 1e9;
};

/// One picture, on rank 0; the steps of all ranks are counted.
inline Rendered picture_of(Transport& transport, const geometry::Domain& domain, const PictureRun& run) {
  std::optional<Scene> wanted = run.scene;
  std::optional<Rendered> result;
  Pictures pictures(transport, domain,
                    {.way = run.way, .chunk_bytes = run.chunk_bytes, .lines = 12, .share = run.share},
                    {.values =
                         [&](Quantity, std::span<float> out) {
                           for (std::size_t k = 0; k < out.size(); ++k) out[k] = known_value(domain.sites[k]);
                           return std::int64_t{7};
                         },
                     .velocity =
                         [&](std::span<float> out) {
                           for (std::size_t k = 0; k < domain.sites.size(); ++k) {
                             const auto v = known_velocity(domain.sites[k]);
                             std::copy(v.begin(), v.end(), out.begin() + static_cast<std::ptrdiff_t>(3 * k));
                           }
                         },
                     .can_leave_fields = [](std::int64_t) { return true; },
                     .wanted = [&](std::int64_t) -> std::optional<Pictures::Wanted> {
                       if (!wanted) return {};
                       return Pictures::Wanted{*std::exchange(wanted, std::nullopt), 0, 3};
                     },
                     .done = [&](Rendered picture) { result = std::move(picture); }});
  StepManager manager(transport, {.coalesce = run.coalesce});
  pictures.add_to(manager);
  do manager.run_step();
  while (pictures.busy());
  return result.value_or(Rendered{});
}

inline Rendered picture_on(int ranks, const PictureRun& run, const test::Shape& shape = helix()) {
  const test::ShapeDomains domains(shape, ranks, test::deal_scattered);
  Rendered result;
  run_in_process(ranks, [&](Transport& transport) {
    auto picture = picture_of(transport, domains.all()[static_cast<std::size_t>(transport.rank())], run);
    if (transport.rank() == 0) result = std::move(picture);
  });
  return result;
}

}  // namespace weft::insitu
