// SPDX-License-Identifier: BSD-3-Clause
#include "wave/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "amr/coarse_to_fine.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::wave {
namespace {

amr::Hierarchy make_hierarchy(Transport& world, const Case& c) {
  amr::Hierarchy hierarchy(world, amr::Tree(c.domain, {}, world.size(), c.curve), fields);
  // Only u is used, with face ghosts; a level is created from the exact state of the one below.
  for (int level = 0; level <= c.refinement.levels; ++level) {
    set_exact(hierarchy, c.pulses, c.speed, 0);
    if (level == c.refinement.levels) break;
    Stepper(hierarchy, {c.laplacian, c.speed, c.boundaries}).refresh();
    auto tree = wanted_tree(hierarchy, c.refinement);
    if (tree.same_blocks(hierarchy.tree())) break;
    hierarchy.replace(std::move(tree));
  }
  return hierarchy;
}

struct Sums {
  std::uint64_t index = 0;
  double energy = 0, error = 0, largest = 0;
};

}  // namespace

std::vector<std::string> Reading::columns(int levels) {
  std::vector<std::string> names{"step", "time", "energy", "largest", "error", "cells"};
  for (int l = 0; l <= levels; ++l) names.push_back("blocks_" + std::to_string(l));
  return names;
}

std::vector<double> Reading::values(int levels) const {
  std::vector<double> all{time, energy, largest, error, static_cast<double>(cells)};
  for (std::size_t l = 0; l <= static_cast<std::size_t>(levels); ++l)
    all.push_back(l < blocks.size() ? static_cast<double>(blocks[l]) : 0);
  return all;
}

Simulation::Simulation(Transport& world, const Case& c, const amr::TrafficMaker& traffic, Timeline* timeline)
    : case_(&c), hierarchy_(make_hierarchy(world, c)),
      stepper_(hierarchy_, {c.laplacian, c.speed, c.boundaries, traffic, timeline}) {}

Simulation::Simulation(const Case& c, const amr::TrafficMaker& traffic, amr::Hierarchy state, std::int64_t step,
                       Timeline* timeline)
    : case_(&c), hierarchy_(std::move(state)),
      stepper_(hierarchy_, {c.laplacian, c.speed, c.boundaries, traffic, timeline}), step_(step) {}

void Simulation::run_step() {
  const auto every = case_->refinement.every;
  const bool follows = case_->refinement.levels > 0 && case_->refinement.criterion != Refinement::Criterion::none;
  if (follows && every > 0 && step_ > 0 && step_ % every == 0) regrid();
  stepper_.step(case_->dt());
  ++step_;
}

void Simulation::regrid() {
  stepper_.refresh();
  auto tree = wanted_tree(hierarchy_, case_->refinement);
  if (tree.same_blocks(hierarchy_.tree())) return;
  amr::regrid(
      hierarchy_, std::move(tree), 2,
      [this](const amr::BlockData& block) {
        stepper_.boundary().fill(block, u, stepper_.operator_of(block.key.level));
      },
      stepper_.traffic());
  stepper_.rebuild();
  ++regrids_;
}

Reading Simulation::read() {
  stepper_.refresh();
  const auto& tree = hierarchy_.tree();
  const int n = hierarchy_.shape().n;
  Reading reading;
  reading.step = step_;
  reading.time = time();
  double volume = 0, squares = 0;
  for (int level = 0; level < hierarchy_.levels(); ++level) {
    const double h = hierarchy_.domain().spacing_of(level), cell = h * h * h;
    std::vector<Sums> mine;
    for (const auto& block : hierarchy_.local(level)) {
      if (tree.is_refined(block.key)) continue;
      Sums sums{block.index};
      for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j)
          for (int i = 0; i < n; ++i) {
            const double a = block.cell(u, i, j, k), b = block.cell(v, i, j, k);
            sums.energy += b * b - a * block.cell(p, i, j, k);
            sums.largest = larger(sums.largest, std::abs(a));
            if (!case_->error) continue;
            const auto x = hierarchy_.centre(block.key, i, j, k);
            const double d = a - exact_average(case_->pulses, hierarchy_.domain(), case_->speed, x, h, reading.time).u;
            sums.error += d * d;
          }
      mine.push_back(sums);
    }
    auto all = all_gather(hierarchy_.transport(), mine);
    std::sort(all.begin(), all.end(), [](const Sums& a, const Sums& b) { return a.index < b.index; });
    for (const auto& sums : all) {
      reading.energy += 0.5 * cell * sums.energy;
      squares += cell * sums.error;
      volume += cell * n * n * n;
      reading.largest = larger(reading.largest, sums.largest);
    }
    const auto blocks = static_cast<std::int64_t>(tree.level(level).size());
    reading.blocks.push_back(blocks);
    reading.cells += blocks * n * n * n;
  }
  reading.error = std::sqrt(squares / volume);
  return reading;
}

}  // namespace weft::wave
