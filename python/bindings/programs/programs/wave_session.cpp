// SPDX-License-Identifier: BSD-3-Clause
#include "programs/wave_session.hpp"

#include <array>
#include <utility>

#include "programs/document.hpp"
#include "wave/case.hpp"
#include "wave/run.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::python {

void WaveSession::run_in(mpi::Communicator& world, const Document& document) {
  wave::Case c;
  together(world, [&] {
    c = wave::read_case(document.root(), document.file());
    if (!output.empty()) c.output.directory = output;
  });
  c.output.pictures = false;
  wave::RunOptions options{.exchange = {.messages = {.grouping = c.communication.grouping,
                                                     .watchdog_seconds = 60,
                                                     .shared_memory = c.communication.shared_memory,
                                                     .defer_unpacking = c.communication.defer_unpacking}},
                           .progress = {.kind = c.communication.progress},
                           .settings = settings()};
  options.on_start = [this, &c](wave::Simulation& simulation) {
    live_ = &simulation;
    first_step = step = simulation.step();
    time_step_ = c.dt();
    cells_ = c.domain.cells;
  };
  options.on_end = [this](wave::Simulation& simulation) {
    live_ = nullptr;
    kept_ = std::make_unique<amr::Hierarchy>(std::move(simulation.hierarchy()));
  };
  steps = c.steps;
  const auto frame = wave::make_frame(world, c, options);
  watch(*frame);
  frame->check_files();
  if (rank == 0)
    for (const auto& problem : wave::find_problems(c)) warn(problem);
  frame->lock();
  take(wave::run(world, *frame, c, options));
}

nb::list WaveSession::blocks(nb::handle owner) const {
  check_between_steps();
  nb::list all;
  const auto* h = hierarchy();
  if (h == nullptr) return all;
  const auto& shape = h->shape();
  const auto n = static_cast<std::size_t>(shape.n);
  const std::array<std::size_t, 3> sizes{n, n, n};
  const std::array<std::int64_t, 3> strides{shape.plane, shape.row, 1};
  const auto view = [&](const double* first) {
    return nb::cast(nb::ndarray<nb::numpy, const double>(first, 3, sizes.data(), owner, strides.data()));
  };
  for (int level = 0; level < h->levels(); ++level)
    for (const auto& block : h->local(level)) {
      const auto corner = h->domain().corner_of(block.key);
      nb::dict one;
      one["level"] = level;
      one["index"] = nb::make_tuple(block.key.at[0], block.key.at[1], block.key.at[2]);
      one["origin"] = nb::make_tuple(corner[0], corner[1], corner[2]);
      one["spacing"] = h->domain().spacing_of(level);
      one["refined"] = h->tree().is_refined(block.key);
      one["u"] = view(block.field(wave::u));
      one["v"] = view(block.field(wave::v));
      all.append(one);
    }
  return all;
}

}  // namespace weft::python
