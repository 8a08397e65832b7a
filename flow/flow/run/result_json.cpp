// SPDX-License-Identifier: BSD-3-Clause
#include "flow/run/simulation.hpp"

#include <nlohmann/json.hpp>

#include "flow/scaling/resolution.hpp"
#include "weft/file/whole_file.hpp"

namespace weft::flow {

namespace {

nlohmann::json unstable_json(const UnstableEnd& end, const Case& c, const Scaling& scaling) {
  const auto& b = end.breakdown;
  const auto nearest = nearest_opening(c, b.place);
  nlohmann::json object = {{"step", b.step},     {"time_s", scaling.time(b.step)},         {"cause", cause_text(b)},
                           {"place_m", b.place}, {"place", c.surface.place_text(b.place)}, {"message", end.line}};
  if (nearest.opening != nullptr)
    object["nearest_opening"] = nearest.opening->disc.name, object["opening_distance_m"] = nearest.distance;
  if (b.wall_distance >= 0) object["wall_distance_m"] = b.wall_distance;
  if (end.sound_step >= 0) object["last_sound_step"] = end.sound_step;
  return object;
}

}  // namespace

void write_result_json(const std::filesystem::path& file, const Case& c, const Vessel& vessel, const RunResult& result,
                       const Transport& transport) {
  using nlohmann::json;
  json flow = json::object(), pressure = json::object();
  for (std::size_t k = 0; k < c.openings.size() && k < result.last.flow.size(); ++k) {
    flow[c.openings[k].disc.name] = result.last.flow[k];
    pressure[c.openings[k].disc.name] = result.last.pressure[k];
  }
  for (std::size_t k = 0; k < c.sections.size() && k < result.last.section_flow.size(); ++k) {
    flow[c.sections[k].name] = result.last.section_flow[k];
    pressure[c.sections[k].name] = result.last.section_pressure[k];
  }
  json document = {
      {"case", c.file.string()},
      {"title", c.title},
      {"mpi", transport.library()},
      {"ranks", transport.size()},
      {"sites", result.sites},
      {"voxel_m", vessel.scaling.dx},
      {"time_step_s", vessel.scaling.dt},
      {"tau", vessel.scaling.tau()},
      {"steps", result.steps},
      {"seconds", result.seconds},
      {"mlups", result.mlups()},
      {"converged", result.converged},
      {"setup",
       {{"seconds", vessel.setup_seconds},
        {"voxelise_seconds", vessel.setup.voxelise_seconds},
        {"decompose_seconds", vessel.setup.decompose_seconds},
        {"peak_bytes", vessel.setup_bytes},
        {"peak_bytes_per_site", vessel.setup_bytes_per_site()}}},
      {"decomposition", {{"balance", vessel.setup.balance}, {"edge_cut", vessel.setup.edge_cut}}},
      {"monitors",
       {{"step", result.last.step},
        {"density_min", result.last.lowest_density},
        {"density_max", result.last.highest_density},
        {"mach_max", result.last.highest_mach},
        {"mass_kg", result.last.mass},
        {"relative_change", result.last.relative_change},
        {"entropy", result.last.entropy},
        {"flow_m3_per_s", flow},
        {"pressure_pa", pressure}}},
      {"overlap", json::parse(result.overlap.json())},
  };
  document["resolution"] = resolution_json(c, vessel.scaling.dx);
  if (result.unstable) document["unstable"] = unstable_json(*result.unstable, c, vessel.scaling);
  if (!result.outlets.json.empty()) document["outlets"] = json::parse(result.outlets.json);
  for (const auto& path : result.files) document["files"].push_back(path.string());
  WholeFile out(file);
  out.stream() << document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  out.finish();
}

}  // namespace weft::flow
