// SPDX-License-Identifier: BSD-3-Clause
#include "programs/flow_session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "flow/command/case_run.hpp"
#include "flow/extracts/vtkhdf.hpp"
#include "flow/reading/case_reader.hpp"
#include "flow/steering/command_json.hpp"
#include "program/section_reader.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::python {

namespace {

flow::FieldQuantity quantity_of(const std::string& name) {
  if (const auto quantity = flow::find_quantity(name)) return *quantity;
  const auto& names = flow::field_quantity_names();
  throw InputError(fmt::format("There is no quantity {} (there are: {}).{}", program::shown(name),
                               fmt::join(names, ", "), program::suggestion(name, names, " Give one of these.")));
}

flow::Limits with_any_ramp(flow::Limits limits) {
  limits.shortest_ramp = 0;
  return limits;
}

}  // namespace

void FlowSession::run_in(mpi::Communicator& world, const Document& document) {
  flow::FlowOptions options;
  options.silent = true;
  options.progress = name_of(ProgressOptions::Kind::polling);
  options.grouping = name_of(Grouping::per_peer);
  if (restart) options.restart = *restart;
  flow::Case c;
  auto diagnostics = lattice::Diagnostics::nothing;
  together(world, [&] {
    c = flow::read_case(document.root(), document.file());
    if (!output.empty()) c.output.directory = output;
    for (const auto& name : quantities) {
      const auto quantity = quantity_of(name);
      if (flow::traits(quantity).of_wall)
        throw InputError(
            fmt::format("on_step can't look at {} (it is computed only in the steps of an output). Use "
                        "output.quantities, and look at it after the run.",
                        name));
      diagnostics = std::max(diagnostics, flow::traits(quantity).needs_stress ? lattice::Diagnostics::stress
                                                                              : lattice::Diagnostics::fields);
    }
  });
  c.output.pictures = false;
  if (!files) {
    c.output.summary = false;
    static_cast<flow::Every&>(c.checkpoint) = {};
    static_cast<flow::Every&>(c.pictures) = {};
    c.extracts.clear();
  }
  const auto kept_case = c;
  auto run = flow::prepare(world, options, std::move(c));
  auto& run_settings = run.options.settings;
  run_settings.files = files, run_settings.quiet = !progress;
  run.frame = flow::make_frame(world, run.c, run.options);
  watch(*run.frame);
  run.options.hooks.on_start = [this](const flow::Running& running) { start(running); };
  run.options.hooks.on_end = [this, &kept_case](const flow::Running& running) { end(running, kept_case); };
  if (on_step.is_valid() && diagnostics != lattice::Diagnostics::nothing)
    run.options.hooks.diagnostics = [this, diagnostics](std::int64_t step_now) {
      return (step_now + 1) % every == 0 ? diagnostics : lattice::Diagnostics::nothing;
    };
  try {
    flow::carry_out(
        world, options, std::move(run), {},
        [this](const flow::Case&, const flow::Vessel&, const flow::RunResult& result, flow::SummaryFacts&) {
          take(result);
          converged = result.converged;
        },
        [this](const std::string& text) { warn(text); });
  } catch (...) {
    live_.reset();
    throw;
  }
}

void FlowSession::start(const flow::Running& running) {
  live_.emplace(running);
  first_step = step = running.first_step;
  steps = running.steps;
  const auto& grid = running.domain.grid;
  origin_ = grid.origin, voxel_ = grid.voxel;
  time_step_ = running.scaling.dt;
  sites_ = running.domain.sites;
}

void FlowSession::end(const flow::Running& running, const flow::Case& c) {
  auto wanted = c.output.quantities;
  for (const auto quantity : {flow::FieldQuantity::pressure, flow::FieldQuantity::velocity})
    if (std::ranges::find(wanted, quantity) == wanted.end()) wanted.push_back(quantity);
  for (const auto quantity : wanted) kept_[std::string(flow::traits(quantity).name)] = running.values(quantity);
  live_.reset();
}

nb::object FlowSession::field(const std::string& name) const {
  const auto quantity = quantity_of(name);
  std::vector<double> values;
  if (live_) {
    const bool is_stored = std::ranges::find(quantities, name) != quantities.end();
    if (!is_in_callback_ || !is_stored)
      throw InputError(
          fmt::format("The run does not store {} for on_step (it stores: {}). Add it to the quantities of "
                      "case.run().",
                      name, fmt::join(quantities, ", ")));
    values = live_->values(quantity);
  } else if (const auto found = kept_.find(name); found != kept_.end()) {
    values = found->second;
  } else {
    std::vector<std::string> names;
    for (const auto& [kept, numbers] : kept_) names.push_back(kept);
    throw InputError(fmt::format("The run has kept no {} (it has: {}). Add it to output.quantities of the case.", name,
                                 fmt::join(names, ", ")));
  }
  const auto components = flow::traits(quantity).components;
  const auto count = values.size() / components;
  return array_of(std::move(values), components == 1 ? std::vector{count} : std::vector{count, components});
}

nb::object FlowSession::sites() const {
  std::vector<std::int32_t> all;
  all.reserve(3 * sites_.size());
  for (const auto& site : sites_) all.insert(all.end(), site.begin(), site.end());
  return array_of(std::move(all), {sites_.size(), 3});
}

nb::dict FlowSession::mesh() const {
  geometry::Domain domain;
  domain.grid = {.origin = origin_, .voxel = voxel_};
  if (!sites_.empty()) {
    for (const auto& site : sites_)
      for (std::size_t d = 0; d < 3; ++d) domain.grid.extent[d] = std::max(domain.grid.extent[d], site[d] + 1);
  }
  domain.sites = sites_;
  const auto mesh = flow::voxel_mesh(domain);
  std::vector<float> corners;
  for (const auto& corner : mesh.corners) corners.insert(corners.end(), corner.begin(), corner.end());
  nb::dict result;
  result["points"] = array_of(std::move(corners), {mesh.corners.size(), 3});
  result["cells"] = array_of(mesh.cells, {sites_.size(), mesh.corners_of_cell});
  result["cell_type"] = static_cast<int>(mesh.cell_type);
  return result;
}

void FlowSession::command(const std::string& json) {
  if (!live_ || !is_in_callback_)
    throw Error("The run is not between two steps. Change openings and the viscosity inside on_step.");
  commands_.push_back(flow::parse_command(json, with_any_ramp(live_->limits)));
}

std::string FlowSession::limits() const {
  if (!live_) throw Error("The run has ended. Ask for the limits inside on_step.");
  return flow::to_json(with_any_ramp(live_->limits));
}

void FlowSession::leave(bool succeeded) {
  is_in_callback_ = false;
  if (!succeeded) commands_.clear();
}

std::uint64_t FlowSession::changes() const {
  std::string text;
  for (const auto& command : commands_) text += flow::to_json(command, live_->limits) + "\n";
  return text.empty() ? 0 : std::hash<std::string>()(text);
}

void FlowSession::make_changes() {
  for (const auto& command : std::exchange(commands_, {})) live_->carry_out(command);
}

}  // namespace weft::python
