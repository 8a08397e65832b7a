// SPDX-License-Identifier: BSD-3-Clause
#include "programs/box_session.hpp"

#include <fmt/format.h>

#include <utility>

#include "box_program/case.hpp"
#include "box_program/run.hpp"
#include "program/section_reader.hpp"
#include "programs/document.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::python {

void BoxSession::run_in(mpi::Communicator& world, const Document& document) {
  box_program::Case c;
  together(world, [&] {
    c = box_program::read_case(document.root(), document.file());
    if (!output.empty()) c.output.directory = output;
  });
  c.output.pictures = false;
  box_program::RunOptions options{.step = {.messages = {.watchdog_seconds = 60}}, .settings = settings()};
  options.on_start = [this](box_program::Simulation& simulation) {
    live_ = &simulation;
    first_step = step = simulation.step();
    const auto& space = simulation.space();
    dimensions_ = space.dimensions;
    first_ = space.block.first, count_ = space.block.count, extent_ = space.extent;
  };
  options.on_end = [this](box_program::Simulation& simulation) {
    kept_ = fields_of(simulation);
    has_kept_ = true;
    live_ = nullptr;
  };
  steps = c.steps;
  const auto frame = box_program::make_frame(world, c, options);
  watch(*frame);
  frame->check_files();
  if (rank == 0)
    for (const auto& problem : box_program::find_problems(c)) warn(problem);
  frame->lock();
  try {
    const auto result = box_program::run(world, *frame, c, options);
    take(result);
    converged = result.steady;
  } catch (...) {
    live_ = nullptr;
    throw;
  }
}

// As the program's own files: solid sites have density and velocity 0.
BoxSession::Fields BoxSession::fields_of(const box_program::Simulation& simulation) {
  Fields fields;
  const auto& space = simulation.space();
  const auto row_axis = space.dimensions - 1;
  std::vector<lattice::DenseLattice::State> row(space.block.count[row_axis]);
  auto rows = space.block.count;
  rows[row_axis] = 1;
  for (std::size_t x = 0; x < rows[0]; ++x)
    for (std::size_t y = 0; y < rows[1]; ++y) {
      box_program::Site s{static_cast<std::ptrdiff_t>(x), static_cast<std::ptrdiff_t>(y), 0};
      s[row_axis] = 0;
      simulation.lattice().states(s, row);
      for (const auto& state : row) {
        const bool solid = simulation.particles().is_solid(s);
        fields.density.push_back(solid ? 0 : state.density);
        for (const double u : state.velocity) fields.velocity.push_back(solid ? 0 : u);
        fields.solid.push_back(solid ? 1 : 0);
        ++s[row_axis];
      }
    }
  fields.particles = simulation.particles().list();
  return fields;
}

void BoxSession::check_fields() const {
  check_between_steps();
  if (live_ == nullptr && !has_kept_)
    throw Error("The run has ended with an error, and has kept no fields. Read them in on_step.");
}

nb::object BoxSession::field(const std::string& name) const {
  check_fields();
  auto fields = live_ != nullptr ? fields_of(*live_) : kept_;
  auto shape = count();
  if (name == "density") return array_of(std::move(fields.density), shape);
  if (name == "solid") return array_of(std::move(fields.solid), shape);
  if (name != "velocity")
    throw InputError(fmt::format("There is no field {}. Give density, velocity or solid.", program::shown(name)));
  shape.push_back(3);
  return array_of(std::move(fields.velocity), shape);
}

nb::dict BoxSession::particles() const {
  check_fields();
  const auto& all = live_ != nullptr ? live_->particles().list() : kept_.particles;
  std::vector<double> position, velocity, spin, radius;
  for (const auto& p : all) {
    position.insert(position.end(), p.position.begin(), p.position.end());
    velocity.insert(velocity.end(), p.velocity.begin(), p.velocity.end());
    spin.insert(spin.end(), p.spin.begin(), p.spin.end());
    radius.push_back(p.radius);
  }
  nb::dict result;
  result["position"] = array_of(std::move(position), {all.size(), 3});
  result["velocity"] = array_of(std::move(velocity), {all.size(), 3});
  result["spin"] = array_of(std::move(spin), {all.size(), 3});
  result["radius"] = array_of(std::move(radius), {all.size()});
  return result;
}

}  // namespace weft::python
