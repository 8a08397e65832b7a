// SPDX-License-Identifier: BSD-3-Clause
#include "flow/extracts/extracts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "flow/extracts/centreline_extract.hpp"
#include "flow/extracts/site_values.hpp"
#include "flow/extracts/table_writer.hpp"
#include "flow/extracts/triangle_series.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

namespace {

using Shape = ExtractCase::Shape;

ExtractCase whole_fields(const OutputCase& output) {
  ExtractCase fields;
  static_cast<Every&>(fields) = output;
  fields.name = "fields";
  fields.quantities = output.quantities;
  return fields;
}

bool wants_averages(const Case& c) {
  return whole_fields(c.output).needs_averages() ||
         std::any_of(c.extracts.begin(), c.extracts.end(), [](const ExtractCase& e) { return e.needs_averages(); });
}

bool wants_wall_stress(const Case& c) {
  const auto wants = [](const ExtractCase& e) { return e.needs_averages() || e.needs_wall_stress(); };
  return wants(whole_fields(c.output)) || std::ranges::any_of(c.extracts, wants);
}

bool needs_walls(const Case& c) {
  return whole_fields(c.output).needs_walls() ||
         std::any_of(c.extracts.begin(), c.extracts.end(), [](const ExtractCase& e) { return e.needs_walls(); });
}

/// For each wall site its point on the surface.
std::vector<geometry::Vector> points_on(std::span<const WallSite> walls, const geometry::Domain& domain) {
  using geometry::operator+, geometry::operator*;
  std::vector<geometry::Vector> points;
  for (const auto& wall : walls)
    points.push_back(domain.grid.centre(domain.sites[wall.site]) + (wall.to_surface * domain.grid.voxel) * wall.normal);
  return points;
}

std::int64_t count(Transport& world, const Case& c, const ExtractCase& what, std::span<const std::uint32_t> sites,
                   const std::optional<TriangleValues>& triangles) {
  const auto all = what.is(Shape::triangles)
                       ? triangles->count()
                       : all_reduce(world, static_cast<std::int64_t>(sites.size()), sum<std::int64_t>());
  if (all == 0)
    throw InputError(
        fmt::format("{}: Extract '{}' of shape {} meets no site of the vessel. {}", c.file.string(), what.name,
                    name_of(what.shape),
                    what.is(Shape::triangles)                ? "Use a smaller voxel."
                    : what.is(Shape::surface) && what.radius ? "Move it to the wall, or increase its radius."
                                                             : "Move it into the fluid."),
        true);
  return all;
}

std::optional<TriangleValues> triangles_of(Transport& world, const Case& c, const Vessel& vessel,
                                           std::span<const WallSite> walls) {
  if (std::ranges::none_of(c.extracts, [](const ExtractCase& e) { return e.is(Shape::triangles); })) return {};
  return TriangleValues(world, vessel.given, vessel.domain, walls);
}

}  // namespace

struct Extracts::Item {
  ExtractCase what;
  std::int64_t every = 0;  // steps; 0: only at the end
  std::vector<std::uint32_t> sites{};
  WriteValues write{};
  std::unique_ptr<CentrelineExtract> centreline{};  // writes its own files
};

Extracts::Extracts(Transport& world, const Case& c, const Vessel& vessel, const LatticeClient& client,
                   const Calendar& calendar)
    : world_(world), case_(c), vessel_(vessel), client_(client), calendar_(calendar),
      wall_stress_(world, vessel.domain, client, vessel.scaling),
      walls_(needs_walls(c) ? wall_stress_.find_walls() : std::span<const WallSite>()),
      averages_(c.average, wants_averages(c), vessel.scaling, walls_.size()),
      values_(client, vessel.scaling, walls_, &wall_stress_, &averages_),
      triangles_(triangles_of(world, c, vessel, walls_)) {
  if (wants_wall_stress(c)) wall_stress_.prepare();
  std::size_t centrelines = 0;
  const auto add = [&](const ExtractCase& what) {
    if (what.shape == ExtractCase::Shape::centreline) {
      items_.push_back({what, steps_between(what, vessel.scaling)});
      items_.back().centreline = std::make_unique<CentrelineExtract>(
          world, c, what, vessel.centrelines.at(centrelines++), vessel.domain, client, vessel.scaling);
      return;
    }
    items_.push_back({what, steps_between(what, vessel.scaling), choose_sites(what, vessel.domain, walls_)});
    count(world, c, what, items_.back().sites, triangles_);
  };
  add(whole_fields(c.output));
  for (const auto& extract : c.extracts) add(extract);
}

Extracts::~Extracts() = default;

void Extracts::begin(mpi::Communicator* disk, const WriteValues& write, std::int64_t first_step, bool goes_on) {
  for (auto& item : items_) begin(item, disk, write, first_step, goes_on);
}

void Extracts::begin(Item& item, mpi::Communicator* disk, const WriteValues& write, std::int64_t first_step,
                     bool goes_on) const {
  const auto& directory = case_.output.directory;
  const auto& what = item.what;
  const double voxel = vessel_.domain.grid.voxel;
  const auto use = [&](auto writer) {
    item.write = [writer](std::int64_t step, double time, std::span<const CellValues> values) {
      return writer->write(step, time, values);
    };
  };
  if (item.centreline) {
    item.centreline->begin(goes_on ? first_step : 0);
  } else if (what.format == ExtractCase::Format::csv) {
    use(std::make_shared<TableWriter>(world_, directory / what.name, what, vessel_.domain, item.sites,
                                      goes_on ? first_step : 0));
  } else if (disk == nullptr) {
    item.write = write;
  } else if (what.is(Shape::triangles)) {
    use(std::make_shared<TriangleSeries>(
        world_, directory / (what.name + ".vtkhdf"), vessel_.given,
        TriangleSeries::Options{.metres_per_unit = what.metres_per_unit,
                                .voxel = voxel,
                                .most_steps = item.every > 0 ? calendar_.steps / item.every + 1 : 1,
                                .keep_below = goes_on ? first_step : 0}));
  } else {
    auto mesh = what.is(Shape::surface)
                    ? vertex_mesh(points_on(walls_within(what, vessel_.domain, walls_), vessel_.domain))
                    : voxel_mesh(vessel_.domain, item.sites);
    auto file = std::make_shared<FieldWriter>(*disk, directory, std::move(mesh), voxel, what.name);
    if (goes_on) file->keep_earlier(first_step - 1);
    use(file);
  }
}

void Extracts::average(std::int64_t step) {
  if (!averages_.takes(step)) return;
  wall_stress_.update();
  averages_.add(wall_stress_.drags());
}

bool Extracts::is_due(const Item& item, std::int64_t step) const {
  return step == calendar_.steps - 1 || step == calendar_.output_now ||
         (item.every > 0 && (step + 1) % item.every == 0);
}

void Extracts::before_step(std::int64_t step) {
  for (auto& item : items_)
    if (item.centreline) item.centreline->sample(step, is_due(item, step));
}

bool Extracts::are_all_due(std::int64_t step) const {
  return std::all_of(items_.begin(), items_.end(), [&](const Item& item) { return is_due(item, step); });
}

lattice::Diagnostics Extracts::diagnostics(std::int64_t step) const {
  auto diagnostics = averages_.takes(step) ? lattice::Diagnostics::stress : lattice::Diagnostics::nothing;
  for (const auto& item : items_)
    if (is_due(item, step))
      diagnostics =
          std::max(diagnostics, item.what.needs_stress() ? lattice::Diagnostics::stress : lattice::Diagnostics::fields);
  return diagnostics;
}

std::vector<CellValues> Extracts::values_of(const Item& item) const {
  if (item.what.is(Shape::triangles)) return triangles_->of(item.what.quantities, values_, averages_);
  std::vector<CellValues> values;
  for (const auto quantity : item.what.quantities)
    values.push_back(
        {std::string(traits(quantity).name), traits(quantity).components, values_.of(quantity, item.sites)});
  if (item.what.is(Shape::surface)) {
    auto& normals = values.emplace_back(CellValues{"normal", 3, {}}).values;
    for (const auto& wall : walls_within(item.what, vessel_.domain, walls_))
      normals.insert(normals.end(), wall.normal.begin(), wall.normal.end());
  }
  return values;
}

std::vector<std::filesystem::path> Extracts::write(std::int64_t step, bool without_step) {
  std::vector<std::filesystem::path> files;
  for (auto& item : items_) {
    // Files that grow already have the last rows from the earlier run; and no step has stored a stress.
    const bool grows = item.what.format == ExtractCase::Format::csv || item.what.is(Shape::triangles);
    if (without_step ? grows || item.what.needs_stress() : !is_due(item, step)) continue;
    if (item.centreline) {
      for (auto& file : item.centreline->write(step)) files.push_back(std::move(file));
      continue;
    }
    if (item.what.needs_wall_stress()) wall_stress_.update();
    files.push_back(item.write(step, vessel_.scaling.time(step), values_of(item)));
  }
  return files;
}

std::string Extracts::with_state(const std::string& program_state) const {
  auto object = nlohmann::json::parse(program_state);
  for (const auto& item : items_)
    if (item.centreline) object["centrelines"][item.what.name] = nlohmann::json::parse(item.centreline->state());
  return object.contains("centrelines") ? object.dump() : program_state;
}

void Extracts::restore(const std::string& program_state) {
  const auto object = nlohmann::json::parse(program_state);
  if (!object.contains("centrelines")) return;
  const auto& known = object.at("centrelines");
  for (auto& item : items_)
    if (item.centreline && known.contains(item.what.name)) item.centreline->restore(known.at(item.what.name).dump());
}

ExtractCounts count_extracts(Transport& world, const Case& c, const Vessel& vessel) {
  const auto walls = needs_walls(c) ? find_surface_sites(vessel.domain, c.lattice.wall) : std::vector<WallSite>{};
  ExtractCounts counts;
  const auto triangles = triangles_of(world, c, vessel, walls);
  std::size_t centrelines = 0;
  for (const auto& extract : c.extracts) {
    if (extract.shape == ExtractCase::Shape::centreline) {
      std::int64_t places = 0;
      for (const auto& branch : vessel.centrelines.at(centrelines++).branches)
        places += static_cast<std::int64_t>(branch.places.size());
      counts.sites.push_back(places);
      continue;
    }
    counts.sites.push_back(count(world, c, extract, choose_sites(extract, vessel.domain, walls), triangles));
  }
  for (const auto& section : c.sections) {
    double area = 0;
    for (const auto& site : section_sites(section, vessel.domain)) area += site.weight;
    area = all_reduce(world, area, sum<double>()) * vessel.scaling.dx * vessel.scaling.dx;
    check_section(section.name, area);
    counts.areas.push_back(area);
  }
  return counts;
}

}  // namespace weft::flow
