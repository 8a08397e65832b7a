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
/// Views from both sides along each axis, with z upwards if possible.
constexpr std::array<std::array<View, 2>, 3> views{
    {{{{90, 0, "-x"}, {-90, 0, "+x"}}}, {{{180, 0, "-y"}, {0, 0, "+y"}}}, {{{180, 90, "+z"}, {180, -90, "-z"}}}}};

/// The axis with the smallest variance of the sites' positions. Sums of integers: the same on any number of ranks.
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

/// Sets the picture's aspect ratio (height / width 0.5 to 1.6) and zoom, so that the vessel's bounding box fits.
void fit(insitu::Scene& scene, const std::array<std::int32_t, 3>& extent, std::size_t axis) {
  const double across = extent[axis == 0 ? 1 : 0], up = extent[axis == 2 ? 1 : 2];
  const double squared = std::inner_product(extent.begin(), extent.end(), extent.begin(), 0.0);
  constexpr double pixels = 560, room = 1.08;
  const double shape = std::clamp(up / across, 0.5, 1.6);
  scene.width = static_cast<std::int32_t>(pixels);
  scene.height = static_cast<std::int32_t>(pixels * shape);
  // With zoom 1 the shorter side shows nine tenths of the box's diagonal.
  const double shown = 0.9 * std::sqrt(squared), shorter = std::min(pixels, pixels * shape);
  const double wanted = std::max(across * shorter / scene.width, up * shorter / scene.height) * room;
  scene.camera.zoom = shown / wanted;
}

/// The averaged quantity of a map.
FieldQuantity averaged(WallMap::What what) {
  switch (what) {
    case WallMap::What::oscillatory_shear_index: return FieldQuantity::oscillatory_shear_index;
    case WallMap::What::relative_residence_time: return FieldQuantity::relative_residence_time;
    default: return FieldQuantity::mean_wall_shear_stress;
  }
}

struct Shown {
  const PictureSource& source;
  const Extracts* extracts = nullptr;  // its averages are preferred, if there are any
  std::optional<std::array<float, 3>> mark{};
};

WallMap draw_one(Transport& transport, const Vessel& vessel, const Shown& shown, WallMap::What what, std::size_t axis) {
  WallMap result{.what = what};
  if (shown.extracts != nullptr) result.samples = shown.extracts->averages().samples();
  const bool is_pressure = what == WallMap::What::pressure;
  result.is_mean = result.samples > 0 && !is_pressure;
  std::vector<double> means;
  if (result.is_mean) {
    std::vector<std::uint32_t> all(vessel.domain.sites.size());
    std::iota(all.begin(), all.end(), 0U);
    means = shown.extracts->values().of(averaged(what), all);
    std::array<double, 3> sums{};  // of values, of sites, of sites with a low stress
    for (const double value : means)
      if (std::isfinite(value)) sums[0] += value, sums[1] += 1, sums[2] += value < WallMap::low_stress ? 1 : 0;
    sums = all_reduce(transport, sums, sum<double>());
    result.wall_mean = sums[0] / sums[1];
    result.low_share = sums[2] / sums[1];
  }
  std::vector<insitu::Rendered> rendered;
  std::size_t asked = 0;  // on rank 0
  insitu::Scene scene{.quantity = is_pressure ? insitu::Quantity::pressure : insitu::Quantity::wall_shear_stress,
                      .wall = insitu::Wall::solid};
  if (what == WallMap::What::oscillatory_shear_index) scene.low = 0, scene.high = 0.5F;  // its range
  fit(scene, vessel.domain.grid.extent, axis);
  insitu::Pictures pictures(transport, vessel.domain, {.share = 1e9},
                            {.values =
                                 [&](insitu::Quantity quantity, std::span<float> out) {
                                   const auto step = shown.source.values(quantity, out);
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
  StepManager rest(transport);  // runs steps with pictures only
  pictures.add_to(rest);
  for (int k = 0; k < 2; ++k) {
    rest.run_step();  // the request is known at its end
    while (pictures.busy()) rest.run_step();
  }
  on_root(transport, [&] {
    insitu::Caption caption;
    caption.metres_per_voxel = vessel.scaling.dx;
    caption.mark = shown.mark;
    for (std::size_t k = 0; k < 2; ++k)
      result.sides[k] = {insitu::draw(rendered.at(k), caption, insitu::Frame::paper), views[axis][k].from};
    result.low = static_cast<double>(rendered[0].range.low);
    result.high = static_cast<double>(rendered[0].range.high);
    result.map = rendered[0].scene.map;
    result.time_s = vessel.scaling.time(rendered[0].step);
  });
  return result;
}

std::vector<WallMap> draw_all(Transport& transport, const Vessel& vessel, const Shown& shown,
                              const std::vector<WallMap::What>& wanted) {
  const auto axis = thinnest_axis(transport, vessel.domain);
  std::vector<WallMap> maps;
  for (const auto what : wanted) {
    auto map = draw_one(transport, vessel, shown, what, axis);
    if (map.exists()) maps.push_back(std::move(map));
  }
  return maps;
}

}  // namespace

std::vector<WallMap> draw_sound_maps(Transport& transport, const Vessel& vessel, const LatticeClient& client,
                                     const SoundState& state) {
  const PictureSource source(vessel.domain, vessel.scaling, client, nullptr, &state.snapshot);
  const auto& grid = vessel.domain.grid;
  std::array<float, 3> mark{};
  for (std::size_t d = 0; d < 3; ++d) mark[d] = static_cast<float>((state.place[d] - grid.origin[d]) / grid.voxel);
  return draw_all(transport, vessel, {.source = source, .mark = mark},
                  {WallMap::What::shear_stress, WallMap::What::pressure});
}

std::vector<WallMap> draw_wall_maps(Transport& transport, const Vessel& vessel, const LatticeClient& client,
                                    Extracts& extracts) {
  using What = WallMap::What;
  std::vector<What> wanted = {What::shear_stress, What::pressure};
  if (extracts.averages().samples() > 0)
    wanted.insert(wanted.end(), {What::oscillatory_shear_index, What::relative_residence_time});
  else
    extracts.wall_stress().update_once();
  const PictureSource source(vessel.domain, vessel.scaling, client, &extracts.wall_stress());
  return draw_all(transport, vessel, {.source = source, .extracts = &extracts}, wanted);
}

}  // namespace weft::flow
