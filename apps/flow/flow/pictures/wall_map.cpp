// SPDX-License-Identifier: BSD-3-Clause
#include "flow/pictures/wall_map.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "flow/pictures/picture_source.hpp"
#include "insitu/pictures.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

namespace {

struct View {
  double azimuth, elevation;
  const char* from;
};
/// From both sides along each axis, z upwards where it can be.
constexpr std::array<std::array<View, 2>, 3> views{
    {{{{90, 0, "-x"}, {-90, 0, "+x"}}}, {{{180, 0, "-y"}, {0, 0, "+y"}}}, {{{180, 90, "+z"}, {180, -90, "-z"}}}}};

/// The axis along which sites spread least. Sums of integers: the same on any number of ranks.
std::size_t thinnest_axis(Transport& transport, const geometry::Domain& domain) {
  std::array<double, 3> spread{};
  for (std::size_t d = 0; d < 3; ++d) {
    std::int64_t sum = 0, squares = 0;
    for (const auto& p : domain.sites) sum += p[d], squares += std::int64_t{p[d]} * p[d];
    const auto n = static_cast<double>(domain.global_sites);
    const double mean = static_cast<double>(all_reduce(transport, sum, weft::sum<std::int64_t>())) / n;
    spread[d] = static_cast<double>(all_reduce(transport, squares, weft::sum<std::int64_t>())) / n - mean * mean;
  }
  return static_cast<std::size_t>(std::ranges::min_element(spread) - spread.begin());
}

/// As wide as high, or up to twice as much, so that the vessel's box fits.
void fit(insitu::Scene& scene, const std::array<std::int32_t, 3>& extent, std::size_t axis) {
  const double across = extent[axis == 0 ? 1 : 0], up = extent[axis == 2 ? 1 : 2];
  const double squared = std::inner_product(extent.begin(), extent.end(), extent.begin(), 0.0);
  constexpr double pixels = 560, room = 1.08;
  const double shape = std::clamp(up / across, 0.5, 1.6);
  scene.width = static_cast<std::int32_t>(pixels);
  scene.height = static_cast<std::int32_t>(pixels * shape);
  // A camera of zoom 1 shows nine tenths of the box's diagonal along the shorter side.
  const double shown = 0.9 * std::sqrt(squared), shorter = std::min(pixels, pixels * shape);
  const double wanted = std::max(across * shorter / scene.width, up * shorter / scene.height) * room;
  scene.camera.zoom = shown / wanted;
}

}  // namespace

WallMap draw_wall_map(Transport& transport, const Vessel& vessel, const LatticeClient& client,
                      const Extracts& extracts) {
  WallMap result;
  const PictureSource source(vessel.domain, vessel.scaling, client);
  result.samples = extracts.averages().samples();
  result.is_mean = result.samples > 0;
  std::vector<double> means;
  if (result.is_mean) {
    std::vector<std::uint32_t> all(vessel.domain.sites.size());
    std::iota(all.begin(), all.end(), 0U);
    means = extracts.values().of(FieldQuantity::mean_wall_shear_stress, all);
  }
  std::vector<insitu::Rendered> rendered;
  std::size_t asked = 0;  // rank 0's
  insitu::Scene scene{.quantity = insitu::Quantity::wall_shear_stress, .wall = insitu::Wall::solid};
  const auto axis = thinnest_axis(transport, vessel.domain);
  fit(scene, vessel.domain.grid.extent, axis);
  insitu::Pictures pictures(transport, vessel.domain, {.share = 1e9},
                            {.values =
                                 [&](insitu::Quantity quantity, std::span<float> out) {
                                   const auto step = source.values(quantity, out);
                                   for (std::size_t k = 0; k < means.size(); ++k) out[k] = static_cast<float>(means[k]);
                                   return step;
                                 },
                             .velocity = [](std::span<float>) {},
                             .can_leave_fields = [](std::int64_t) { return true; },
                             .wanted = [&](std::int64_t) -> std::optional<insitu::Pictures::Wanted> {
                               if (asked == 2 || asked != rendered.size()) return {};
                               const auto& view = views[axis][asked++];
                               scene.camera.azimuth = view.azimuth, scene.camera.elevation = view.elevation;
                               if (!rendered.empty())
                                 scene.low = rendered[0].range.low, scene.high = rendered[0].range.high;
                               return insitu::Pictures::Wanted{scene, 0, 0};
                             },
                             .done = [&](insitu::Rendered picture) { rendered.push_back(std::move(picture)); }});
  StepManager rest(transport);  // steps of nothing but pictures
  pictures.add_to(rest);
  for (int k = 0; k < 2; ++k) {
    rest.run_step();  // what is wanted is known at its end
    while (pictures.busy()) rest.run_step();
  }
  on_root(transport, [&] {
    insitu::Caption caption;
    caption.metres_per_voxel = vessel.scaling.dx;
    for (std::size_t k = 0; k < 2; ++k)
      result.sides[k] = {insitu::draw(rendered.at(k), caption, insitu::Frame::paper), views[axis][k].from};
    result.low = static_cast<double>(rendered[0].range.low);
    result.high = static_cast<double>(rendered[0].range.high);
    result.map = rendered[0].scene.map;
    result.time_s = vessel.scaling.time(rendered[0].step);
  });
  return result;
}

}  // namespace weft::flow
