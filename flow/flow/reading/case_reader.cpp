// SPDX-License-Identifier: BSD-3-Clause
#include "flow/reading/case_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "flow/case/case.hpp"
#include "flow/reading/sections.hpp"
#include "flow/reading/waveform_reader.hpp"
#include "flow/scaling/vessel_compartment.hpp"
#include "geometry/units.hpp"
#include "hemelb/gmy.hpp"
#include "program/overrides.hpp"
#include "program/section_reader.hpp"

namespace weft::flow {

using namespace program;

namespace {

using geometry::operator*, geometry::operator-;

double file_unit(const SectionReader& surface) {
  const auto* value = surface.find("unit");
  if (value != nullptr && !std::holds_alternative<std::string>(value->data))
    return surface.quantity("unit", Dimension::length, Range::positive);
  return surface.choice("unit", geometry::surface_units);
}

/// Takes the voxel and the origin from the .gmy file where it has them (up to version 3); the case may then omit them.
void read_gmy_lattice(const SectionReader& in, SurfaceCase& surface) {
  const auto gmy = hemelb::read_gmy(surface.file);
  constexpr double slack = 1e-6;  // relative: the case may give the file's number with fewer digits
  if (gmy.voxel) {
    if (in.has("voxel") && !(std::abs(surface.voxel - *gmy.voxel) <= slack * *gmy.voxel))
      fail(*in.find("voxel"), fmt::format("{} is {} m, but {} has sites every {} m. Leave it out.", in.title("voxel"),
                                          surface.voxel, surface.file.string(), *gmy.voxel));
    surface.voxel = *gmy.voxel;
    if (in.has("origin") && !(geometry::length(*surface.origin - *gmy.first_site) <= slack * *gmy.voxel))
      fail(*in.find("origin"),
           fmt::format("{} differs from the origin in {}. Leave it out.", in.title("origin"), surface.file.string()));
    surface.origin = gmy.first_site;
  }
  if (!surface.origin) surface.origin = geometry::Vector{};
  if (!gmy.voxel) in.quantity("voxel", Dimension::length, Range::positive);  // throws: it is required
}

SurfaceCase read_surface(const Value& section, const std::filesystem::path& file) {
  const SectionReader in(section, "in [surface]", {"file", "unit", "voxel", "origin"});
  SurfaceCase result;
  result.file = file.parent_path() / in.text("file");
  result.metres_per_unit = file_unit(in);
  if (in.has("origin")) result.origin = in.vector("origin", result.metres_per_unit);
  if (!result.is_gmy() || in.has("voxel")) result.voxel = in.quantity("voxel", Dimension::length, Range::positive);
  if (result.is_gmy()) read_gmy_lattice(in, result);
  return result;
}

LatticeCase read_lattice(const Value& section) {
  const SectionReader in(
      section, "in [lattice]",
      {"velocities", "precision", "storage", "collision", "wall", "time_step", "magic", "incompressible", "advection",
       "turbulence", "smagorinsky", "backflow", "sponge", "sponge_viscosity"});
  using lattice::Collision, lattice::VelocitySet;
  static constexpr auto of_three_dimensions = lattice::velocity_set_names.without(VelocitySet::d2q9);
  LatticeCase result;
  result.velocities = in.choice("velocities", of_three_dimensions, VelocitySet::d3q19);
  result.storage = in.choice("storage", lattice::storage_names, lattice::Storage::full);
  result.precision =
      in.choice("precision", lattice::precision_names,
                result.storage == lattice::Storage::full ? lattice::Precision::fp64 : lattice::Precision::fp32);
  if (result.storage != lattice::Storage::full && result.precision == lattice::Precision::fp64)
    fail(*in.find("storage"), fmt::format("{} is \"{}\" with precision \"fp64\" (single precision computes). Use "
                                          "precision \"fp32\", or remove one of both keys.",
                                          in.title("storage"), name_of(result.storage)));
  const bool can_cumulants = result.velocities != VelocitySet::d3q15;
  result.collision =
      in.choice("collision", lattice::collision_names, can_cumulants ? Collision::cumulant : Collision::regularised);
  if (result.collision == Collision::cumulant && !can_cumulants)
    fail(*in.find("collision"),
         fmt::format("{} is \"cumulant\" (D3Q15 has too few velocities for it). Use \"regularised\", or \"D3Q19\".",
                     in.title("collision")));
  static constexpr Names<bool> turbulences("turbulence", {{false, "none"}, {true, "smagorinsky"}});
  const bool is_turbulent = in.choice("turbulence", turbulences, false);
  result.velocities_are_chosen = !in.has("velocities") && !is_turbulent && result.collision == Collision::cumulant;
  result.wall = in.choice("wall", lattice::wall_names, lattice::Wall::bouzidi);
  if (in.has("time_step")) result.time_step = in.quantity("time_step", Dimension::time, Range::positive);
  if (in.has("magic")) result.magic = in.number("magic", Range::positive, 0);
  result.incompressible = in.flag("incompressible", false);
  if (result.incompressible && result.collision != Collision::cumulant)
    fail(*in.find("incompressible"),
         fmt::format(
             "{} is true with collision \"{}\" (only \"cumulant\" supports it). Use \"cumulant\", or remove the key.",
             in.title("incompressible"), name_of(result.collision)));
  if (in.has("advection")) {
    result.advection = in.choice("advection", lattice::advection_names, lattice::Advection::plain);
    if (result.advection == lattice::Advection::corrected) {
      if (result.velocities_are_chosen) result.velocities = VelocitySet::d3q27;
      result.velocities_are_chosen = false;
      if (!result.can_correct_advection())
        fail(*in.find("advection"),
             fmt::format("{} is \"corrected\" with {}, collision \"{}\" and storage \"{}\" (only \"cumulant\" on D3Q27 "
                         "with \"full\" supports it). Use these, or remove the key.",
                         in.title("advection"), name_of(result.velocities), name_of(result.collision),
                         name_of(result.storage)));
    }
  }
  if (is_turbulent)
    result.smagorinsky = in.number("smagorinsky", Range::positive, 0.1);
  else if (in.has("smagorinsky"))
    fail(*in.find("smagorinsky"),
         fmt::format("{} needs turbulence = \"smagorinsky\". Set it, or remove the key.", in.title("smagorinsky")));
  result.backflow = in.number("backflow", Range::not_negative, result.backflow);
  if (result.backflow > 1)
    fail(*in.find("backflow"),
         fmt::format("{} is {}. Give a number from 0 to 1.", in.title("backflow"), result.backflow));
  result.sponge_is_chosen = !in.has("sponge");
  if (!result.sponge_is_chosen) result.sponge = in.quantity("sponge", Dimension::length, Range::not_negative);
  constexpr double little = 0.01;  // enough for a short sponge
  result.sponge_viscosity =
      in.number("sponge_viscosity", Range::positive, result.sponge_is_chosen ? little : LatticeCase{}.sponge_viscosity);
  return result;
}

RunCase read_run(const Value& section) {
  const SectionReader in(section, "in [run]", {"duration", "steps", "ramp", "until", "tolerance"});
  RunCase result;
  const auto* ramp = in.find("ramp");
  result.ramp_is_chosen = ramp == nullptr || (std::holds_alternative<std::string>(ramp->data) &&
                                              std::get<std::string>(ramp->data) == "auto");
  if (!result.ramp_is_chosen) result.ramp = in.quantity("ramp", Dimension::time, Range::not_negative, 0);
  static constexpr Names<bool> ends("end", {{false, "end"}, {true, "periodic"}});
  result.until_periodic = in.choice("until", ends, false);
  result.tolerance = in.number("tolerance", Range::positive, result.tolerance);
  if (in.has("tolerance") && !result.until_periodic)
    fail(*in.find("tolerance"),
         fmt::format("{} is given, but only until = \"periodic\" uses it. Set until, or remove the key.",
                     in.title("tolerance")));
  if (in.exactly_one_of({"duration", "steps"}) == "steps") {
    result.steps = in.whole_number("steps", 1);
  } else {
    result.duration = in.quantity("duration", Dimension::time, Range::positive);
  }
  return result;
}

MonitorCase read_monitor(const Value& section) {
  const SectionReader in(
      section, "in [monitor]",
      {"every", "tolerance", "incompressibility", "stability", "convergence", "flow_rates", "entropy", "way"});
  MonitorCase result;
  result.way = in.choice("way", monitor_way_names, Monitors::Way::rounds);
  result.incompressibility = in.flag("incompressibility", result.incompressibility);
  result.stability = in.flag("stability", result.stability);
  result.convergence = in.flag("convergence", result.convergence);
  result.flow_rates = in.flag("flow_rates", result.flow_rates);
  result.entropy = in.flag("entropy", result.entropy);
  result.every = in.whole_number("every", 1, result.every);
  result.tolerance = in.number("tolerance", Range::not_negative, result.tolerance);
  if (result.tolerance > 0 && !result.convergence)
    fail(*in.find("tolerance"),
         fmt::format("{} needs convergence = true. Set it, or remove the key.", in.title("tolerance")));
  return result;
}

OutputCase read_output(const Value& section, const std::filesystem::path& file) {
  const SectionReader in(section, "in [output]", {"directory", "every", "pictures", "summary", "quantities"});
  OutputCase result;
  result.directory = in.text("directory", (std::filesystem::path("out") / file.stem()).string());
  result.pictures = in.flag("pictures", result.pictures);
  result.summary = in.flag("summary", result.summary);
  result.quantities = read_quantities(in, result.quantities);
  static_cast<Every&>(result) = read_every(in);
  return result;
}

CheckpointCase read_checkpoint(const Value& section) {
  const SectionReader in(section, "in [checkpoint]", {"every"});
  return {read_every(in)};
}

std::int32_t pixels(const SectionReader& in, const char* key, std::int32_t fallback) {
  using insitu::Scene;
  const auto n = in.whole_number(key, Scene::least_pixels, fallback);
  if (n > Scene::most_pixels)
    fail(*in.find(key), fmt::format("{} is {}. Give at most {}.", in.title(key), n, Scene::most_pixels));
  return static_cast<std::int32_t>(n);
}

double within(const SectionReader& in, const char* key, double low, double high, double fallback) {
  const double x = in.number(key, Range::any, fallback);
  if (!(x >= low && x <= high))
    fail(*in.find(key), fmt::format("{} is {}. Give a number from {} to {}.", in.title(key), x, low, high));
  return x;
}

PictureCase read_pictures(const Value& section) {
  const SectionReader in(section, "in [pictures]",
                         {"every", "quantity", "map", "low", "high", "opacity", "wall", "plane", "plane_at",
                          "streamlines", "width", "height", "azimuth", "elevation", "zoom", "share", "compositing"});
  PictureCase result;
  static_cast<Every&>(result) = read_every(in);
  if (result.every_steps && *result.every_steps < PictureCase::least_steps)
    fail(*in.find("every"), fmt::format("{} is {} steps. Give at least {}.", in.title("every"), *result.every_steps,
                                        PictureCase::least_steps));
  auto& scene = result.scene;
  scene.quantity = in.choice("quantity", insitu::quantity_names, insitu::Quantity::speed);
  scene.map = in.choice("map", insitu::colour_map_names, insitu::ColourMap::viridis);
  constexpr double most = 1e30;  // in single precision
  if (in.has("low")) scene.low = static_cast<float>(within(in, "low", -most, most, 0));
  if (in.has("high")) scene.high = static_cast<float>(within(in, "high", -most, most, 0));
  if (scene.low >= scene.high)
    fail(*in.find("high"), fmt::format("{} is not above low. Give a larger number.", in.title("high")));
  scene.opacity = static_cast<float>(within(in, "opacity", 0, 1, 0.5));
  scene.wall = in.choice("wall", insitu::wall_names, insitu::Wall::glass);
  if (in.has("plane")) {
    const auto n = in.direction("plane", "a normal, for example [0, 1, 0]");
    scene.plane = true;
    for (std::size_t d = 0; d < 3; ++d) scene.plane_normal[d] = static_cast<float>(n[d]);
  }
  scene.plane_at = static_cast<float>(within(in, "plane_at", 0, 1, 0.5));
  scene.streamlines = in.flag("streamlines", false);
  scene.width = pixels(in, "width", 1024);
  scene.height = pixels(in, "height", 1024);
  scene.camera.azimuth = within(in, "azimuth", -360, 360, scene.camera.azimuth);
  scene.camera.elevation = within(in, "elevation", -90, 90, scene.camera.elevation);
  scene.camera.zoom = within(in, "zoom", 0.01, 1000, 1);
  result.making.share = within(in, "share", 0.001, 1, result.making.share);
  result.making.way = in.choice("compositing", insitu::composite_way_names, insitu::CompositeWay::binary_swap);
  return result;
}

void check_centrelines(const Case& c, const SectionReader& document) {
  for (const auto& extract : c.extracts) {
    if (extract.shape != ExtractCase::Shape::centreline) continue;
    const auto refuse = [&](const std::string& why) { fail(*document.find("extract"), why); };
    const auto average = extract.name + "_average";
    if (std::ranges::any_of(c.extracts, [&](const auto& other) { return other.name == average; }))
      refuse(
          fmt::format("Extract '{}' is a centreline, which also writes {}.csv, and another extract has that name. "
                      "Rename the other one.",
                      extract.name, average));
    if (c.surface.is_gmy())
      refuse(
          fmt::format("Extract '{}' is a centreline, but {} has no surface (a centreline is computed from a surface). "
                      "Give a surface (STL, VTP, PLY, "
                      "OBJ), or remove the extract.",
                      extract.name, c.surface.file.filename().string()));
    if (c.openings.size() < 2)
      refuse(fmt::format(
          "Extract '{}' is a centreline, which leads from one opening to another, but the case has {}. Add an opening.",
          extract.name, c.openings.size()));
  }
}

}  // namespace

Case read_case(const std::filesystem::path& file, std::span<const std::string> overrides) {
  auto root = read_toml(file);
  for (const auto& text : overrides) remove_excluded(apply_override(root, text));
  return read_case(root, file);
}

void remove_excluded(const program::Override& changed) {
  if (changed.parent == "run") changed.exclude({"duration", "steps"});
  if (changed.parent != "inlet" && changed.parent != "outlet") return;
  // A period and a unit belong to a table; a number that replaces the table has none.
  if (changed.exclude({"velocity", "flow", "pressure", "windkessel", "share", "compartment"}) &&
      !is_series(changed.section->entries.back().value)) {
    changed.section->erase("period");
    changed.section->erase("unit");
  }
}

Case read_case(const program::Value& root, const std::filesystem::path& file) {
  const SectionReader document(
      root, "at the top level",
      {"title", "surface", "fluid", "lattice", "inlet", "outlet", "run", "monitor", "output", "checkpoint", "pictures",
       "extract", "section", "average", "tune", "compartment", "connection"});
  for (const auto* required : {"surface", "run"})
    if (!document.has(required)) fail(root, fmt::format("Section [{}] is missing. Add it.", required));

  Case c;
  c.file = file;
  c.title = document.text("title", file.stem().string());
  c.surface = read_surface(*document.find("surface"), file);
  c.fluid = read_fluid(document.section_or_empty("fluid"));
  c.lattice = read_lattice(document.section_or_empty("lattice"));
  c.openings = read_openings(document, root, c.surface, file.parent_path());
  c.circulation = read_circulation(document);
  join_circulation(document, c);
  read_tune(document, c);
  settle_windkessels(c);
  c.run = read_run(*document.find("run"));
  if (c.run.until_periodic && !common_period(c))
    fail(
        *document.find("run"),
        "until in [run] is periodic, but the flow has no common period (no opening and no compartment has a period, or "
        "the longest period is not a whole multiple of each other one). Give the inlet's table or file a period.");
  c.monitor = read_monitor(document.section_or_empty("monitor"));
  c.output = read_output(document.section_or_empty("output"), file);
  c.checkpoint = read_checkpoint(document.section_or_empty("checkpoint"));
  c.pictures = read_pictures(document.section_or_empty("pictures"));
  c.extracts = read_extracts(document, c.surface.metres_per_unit);
  check_centrelines(c, document);
  for (const auto& extract : c.extracts)
    if (extract.is(ExtractCase::Shape::triangles) && c.surface.is_gmy())
      fail(*document.find("extract"),
           fmt::format(
               "Extract '{}' needs the surface's triangles, but {} has sites and no surface. Use shape \"surface\" "
               "(points beside the wall).",
               extract.name, c.surface.file.string()));
  c.sections = read_sections(document, c.surface.metres_per_unit);
  for (const auto& section : c.sections)
    if (const auto same = std::ranges::find(c.openings, section.name, [](const auto& o) { return o.disc.name; });
        same != c.openings.end())
      fail(*document.find("section"),
           fmt::format("A section and an opening are both called '{}'. Rename one of them.", section.name));
  c.average = read_average(document.section_or_empty("average"));
  return c;
}

}  // namespace weft::flow
