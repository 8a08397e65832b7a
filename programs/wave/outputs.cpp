// SPDX-License-Identifier: BSD-3-Clause
#include "wave/outputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "program/section_reader.hpp"
#include "wave/run.hpp"
#include "weft/file/whole_file.hpp"

namespace weft::wave {
namespace {

// All settings on which the state of a case depends: a checkpoint is restored only in a case with the same settings.
amr::Identity identity_of(const Case& c) {
  // The shortest texts that reproduce the bits. The curve is omitted: only sums of readings depend on it.
  std::string text = fmt::format("wave.speed = {}\nwave.laplacian = {}\nwave.cfl = {}\n", c.speed,
                                 static_cast<int>(c.laplacian), c.cfl);
  for (std::size_t f = 0; f < c.boundaries.size(); ++f)
    text += fmt::format("boundary.\"{}\" = {} of value {}\n", program::face_names.at(f),
                        Boundary::kind_names.of(c.boundaries[f].kind), c.boundaries[f].value);
  for (const auto& p : c.pulses)
    text += fmt::format("pulse of shape {}, amplitude {}, width {}, centre {}, direction {}, waves {}\n",
                        Pulse::shape_names.of(p.shape), p.amplitude, p.width, p.centre, p.direction, p.waves);
  const auto& r = c.refinement;
  text += fmt::format(
      "refinement.levels = {}\nrefinement.criterion = {}\n"
      "refinement.threshold = {}\nrefinement.floor = {}\n",
      r.levels, Refinement::criterion_names.of(r.criterion), r.threshold, r.floor);
  text += fmt::format("refinement.buffer = {}\nrefinement.every = {}\n", r.buffer, r.every);
  for (const auto& region : r.regions)
    text += fmt::format("region from {} to {} of level {}\n", region.low, region.high, region.level);
  return {.domain = c.domain, .saved_fields = 2, .settings = text};
}

}  // namespace

Outputs::Outputs(mpi::Communicator& communicator, const Case& c, std::int64_t from_step) : case_(&c) {
  fields_.emplace(communicator, c.output.directory, std::vector<amr::NamedField>{{"u", u}, {"v", v}});
  fields_->keep_earlier(from_step);
  if (c.checkpoint_every > 0) checkpoints_.emplace(communicator, c.output.directory, identity_of(c));
}

std::vector<std::filesystem::path> Outputs::write_fields_if_due(Simulation& simulation, bool is_last) {
  const auto step = simulation.step();
  if (!is_last && (case_->output.every <= 0 || step % case_->output.every != 0)) return {};
  simulation.stepper().settle();
  return {fields_->write(step, simulation.time(), simulation.hierarchy())};
}

bool Outputs::is_checkpoint_due(std::int64_t step, bool is_last) const {
  return checkpoints_ && (is_last || step % case_->checkpoint_every == 0);
}

std::filesystem::path Outputs::write_checkpoint(Simulation& simulation) {
  simulation.stepper().settle();
  return checkpoints_->write(simulation.step(), simulation.time(), simulation.hierarchy());
}

amr::Restored read_checkpoint(Transport& world, const Case& c, const std::filesystem::path& file) {
  return amr::restore(world, file.empty() ? c.output.directory : file, identity_of(c), fields, c.curve);
}

void write_result_json(const std::filesystem::path& file, const Case& c, const RunResult& result,
                       const Transport& transport) {
  using json = nlohmann::ordered_json;
  const auto& d = c.domain;
  json document = {{"case", c.file.string()},
                   {"title", c.title},
                   {"mpi", transport.library()},
                   {"ranks", transport.size()},
                   {"cells", {d.blocks[0] * d.cells, d.blocks[1] * d.cells, d.blocks[2] * d.cells}},
                   {"block", d.cells},
                   {"levels_above", c.refinement.levels},
                   {"from_step", result.from_step},
                   {"steps", result.steps},
                   {"seconds", result.seconds},
                   {"cell_updates", result.cell_updates},
                   {"updates_per_second", result.updates_per_second()},
                   {"new_meshes", result.regrids},
                   {"tuned", result.tuned},
                   {"overlap", json::parse(result.overlap.json())}};
  const auto columns = Reading::columns(c.refinement.levels);
  for (const auto& [name, reading] : {std::pair{"first", &result.first}, std::pair{"last", &result.last}}) {
    const auto values = reading->values(c.refinement.levels);
    document[name]["step"] = reading->step;
    for (std::size_t k = 0; k < values.size(); ++k)
      document[name][columns[columns.size() - values.size() + k]] = values[k];
  }
  document["files"] = json::array();
  for (const auto& path : result.files) document["files"].push_back(path.string());
  WholeFile out(file);
  out.stream() << document.dump(2, ' ', false, json::error_handler_t::replace) << "\n";
  out.finish();
}

}  // namespace weft::wave
