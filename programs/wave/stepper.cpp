// SPDX-License-Identifier: BSD-3-Clause
#include "wave/stepper.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "amr/transfer.hpp"
#include "weft/clock.hpp"
#include "weft/yield.hpp"

namespace weft::wave {
namespace {

// The k-th time derivatives (k = first and first + 1) of the polynomial with derivatives c[0..5] at time 0, into
// ghosts.
void evaluate(const amr::CoarseToFine::Ghosts& g, double t, Field first, const amr::BlockData& block) {
  const auto& s = *block.shape;
  const int nx = g.fine.count[0], ny = g.fine.count[1], nz = g.fine.count[2];
  const std::ptrdiff_t cells = std::ptrdiff_t{nx} * ny * nz;
  double* x = &block.cell(first, g.fine.first[0], g.fine.first[1], g.fine.first[2]);
  double* y = x + s.field;
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j) {
      const double* c = g.from + (std::ptrdiff_t{k} * ny + j) * nx;
      const auto at = k * s.plane + j * s.row;
      for (int i = 0; i < nx; ++i) {
        const double v0 = c[i + cells], p0 = c[i + 2 * cells], q0 = c[i + 3 * cells], ap = c[i + 4 * cells],
                     aq = c[i + 5 * cells];
        if (first == u) {
          x[at + i] = c[i] + t * (v0 + t / 2 * (p0 + t / 3 * (q0 + t / 4 * ap)));
          y[at + i] = v0 + t * (p0 + t / 2 * (q0 + t / 3 * (ap + t / 4 * aq)));
        } else {
          x[at + i] = p0 + t * (q0 + t / 2 * (ap + t / 3 * aq));
          y[at + i] = q0 + t * (ap + t / 2 * aq);
        }
      }
    }
}

}  // namespace

Stepper::Stepper(amr::Hierarchy& hierarchy, const StepperOptions& options)
    : hierarchy_(&hierarchy), options_(options), boundary_(hierarchy.domain(), options.boundaries, options.speed) {
  if (options_.timeline != nullptr) {
    cells_track_ = options_.timeline->track("cells");
    siblings_track_ = options_.timeline->track("siblings");
    exchange_track_ = options_.timeline->track(Timeline::exchange_track);
  }
  rebuild();
}

double Stepper::now() const { return options_.timeline != nullptr ? now_seconds() : 0; }

void Stepper::note_cells(double from) const {
  if (options_.timeline != nullptr) options_.timeline->add(cells_track_, Activity::compute, from, now_seconds());
}

// Records the wait for a block's ghosts, which no exchange records.
void Stepper::note_wait(double from) const {
  if (options_.timeline == nullptr) return;
  const double until = now_seconds();
  for (const auto track : {siblings_track_, exchange_track_})
    options_.timeline->add(track, Activity::wait, from, until);
}

Operator Stepper::operator_of(int level) const {
  const double x = options_.speed / hierarchy_->domain().spacing_of(level);
  return {options_.laplacian, x * x};
}

void Stepper::rebuild() {
  levels_.clear();
  const auto reach = amr::SiblingGhosts::Reach::faces_or_all_that_feed;
  for (int l = 0; l < hierarchy_->levels(); ++l) {
    Level level;
    const bool accepts = is_finest(l);  // elsewhere a finer level's steps come between two fillings
    level.uv = std::make_unique<amr::SiblingGhosts>(*hierarchy_, l, u, 2, reach, options_.traffic, accepts);
    level.pq = std::make_unique<amr::SiblingGhosts>(*hierarchy_, l, p, 2, reach, options_.traffic, accepts);
    if (l > 0) {
      level.from_coarse = std::make_unique<amr::CoarseToFine>(*hierarchy_, l, numbers, options_.traffic);
      level.to_coarse = std::make_unique<amr::Restriction>(*hierarchy_, l, u, 2, options_.traffic);
      auto& coarse = levels_.back();
      for (std::size_t b = 0; b < hierarchy_->local(l - 1).size(); ++b)
        (level.from_coarse->pieces(b).empty() ? coarse.others : coarse.feeding).push_back(b);
    }
    levels_.push_back(std::move(level));
  }
}

void Stepper::settle() {
  for (auto& level : levels_) {
    if (std::exchange(level.pq_started, false)) {  // for a step that does not follow immediately
      level.pq->ready_all();
      level.pq->wait();
    }
    if (!level.uv_started) continue;
    level.uv->wait();
    level.uv_started = false;
    level.uv_here = true;
  }
}

void Stepper::use(const amr::TrafficMaker& traffic) {
  settle();
  options_.traffic = traffic;
  rebuild();
}

void Stepper::prepare(int level, std::size_t b, Field first_field) {
  auto& l = levels_[static_cast<std::size_t>(level)];
  const auto& block = hierarchy_->local(level)[b];
  (first_field == u ? l.uv : l.pq)->copy(b);
  if (l.from_coarse) {
    for (const auto& g : l.from_coarse->ghosts(b)) evaluate(g, l.time, first_field, block);
  }
  boundary_.fill(block, first_field, operator_of(level));
}

void Stepper::give_to_finer(int level, std::size_t b) {
  auto& finer = *levels_[static_cast<std::size_t>(level) + 1].from_coarse;
  const auto& block = hierarchy_->local(level)[b];
  const auto& s = *block.shape;
  const auto a = operator_of(level);
  for (const auto& piece : finer.pieces(b)) {
    const auto& [first, count] = piece.coarse;
    double* to = piece.to;
    for (int f = u; f <= q; ++f, to += piece.cells())
      amr::prolong(&block.cell(f, first[0], first[1], first[2]), s.row, s.plane, count, to);
    for (int f = p; f <= q; ++f, to += piece.cells())
      for (int k = 0; k < count[2]; ++k)
        for (int j = 0; j < count[1]; ++j)
          for (int i = 0; i < count[0]; ++i) {
            const double value = a.at(&block.cell(f, first[0] + i, first[1] + j, first[2] + k), s);
            const std::ptrdiff_t row = 2 * count[0], plane = row * 2 * count[1];
            double* cell = to + 2 * k * plane + 2 * j * row + 2 * i;
            for (const auto z : {std::ptrdiff_t{0}, plane})
              for (const auto y : {std::ptrdiff_t{0}, row}) cell[z + y] = cell[z + y + 1] = value;
          }
  }
  finer.ready(b);
}

// Visits all blocks, each when its ghosts from other ranks have arrived (null: all have); blocks of `first` are
// preferred.
template <class Compute>
void Stepper::compute_as_ghosts_arrive(amr::SiblingGhosts* from, const std::vector<std::size_t>& first,
                                       const std::vector<std::size_t>& others, const Compute& compute) {
  constexpr std::size_t looked_at = 8;  // of the next ones; parts arrive nearly in the order in which they were sent
  first_.assign(first.rbegin(), first.rend());
  others_.assign(others.rbegin(), others.rend());
  const auto next_of = [&](const std::vector<std::size_t>& blocks) -> std::optional<std::size_t> {
    for (std::size_t k = 0; k < std::min(looked_at, blocks.size()); ++k) {
      const auto at = blocks.size() - 1 - k;
      if (from == nullptr || from->is_here(blocks[at])) return at;
    }
    return {};
  };
  const auto one_of = [&](std::vector<std::size_t>& blocks) {
    const auto at = next_of(blocks);
    if (!at) return false;
    const auto b = blocks[*at];
    blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(*at));
    compute(b);
    if (from != nullptr) from->progress();
    return true;
  };
  if (from != nullptr) from->test();
  while (!first_.empty() || !others_.empty()) {
    if (one_of(first_) || one_of(others_)) continue;
    const double waits_from = now();
    do {
      from->test();
      yield();
    } while (!next_of(first_) && !next_of(others_));
    note_wait(waits_from);
  }
}

// Computes p and q. `goes_on`: the second half follows. p and q are in flight when it ends.
void Stepper::first_half(int level, bool goes_on) {
  auto& l = levels_[static_cast<std::size_t>(level)];
  const auto blocks = hierarchy_->local(level);
  const auto a = operator_of(level);
  if (!std::exchange(l.pq_started, false)) {
    l.pq->start();
    l.pq->accept_all();
  }
  if (!l.uv_here && !l.uv_started) {
    l.uv->start();
    l.uv->accept_all();
    l.uv->ready_all();
    l.uv_started = true;
  }
  const bool accepts = goes_on && l.uv->defers_unpacking();
  auto* from = l.uv_started && !accepts ? l.uv.get() : nullptr;
  if (accepts) {
    if (l.uv_started) l.uv->wait();
    l.uv->start();
  }
  compute_as_ghosts_arrive(from, l.uv->outer(), l.uv->inner(), [&](std::size_t b) {
    const double computes_from = now();
    prepare(level, b, u);
    first_sweep(blocks[b], a);
    note_cells(computes_from);
    l.pq->ready(b);
    l.pq->progress();
    if (accepts) l.uv->accept(b);
  });
  if (from != nullptr) l.uv->wait();
  l.uv_started = accepts;
  l.uv_here = false;
}

// Computes u and v. On the finest level they are sent for the next step, and to the coarser level, as soon as a block
// is done.
void Stepper::second_half(int level, double dt, bool is_last) {
  auto& l = levels_[static_cast<std::size_t>(level)];
  const auto blocks = hierarchy_->local(level);
  const auto a = operator_of(level);
  const bool finest = is_finest(level), restricts = finest && is_last && l.to_coarse;
  auto* finer = finest ? nullptr : levels_[static_cast<std::size_t>(level) + 1].from_coarse.get();
  if (finest && !l.uv_started) l.uv->start();
  if (!finest) finer->start();
  l.pq_started = l.pq->defers_unpacking();
  if (l.pq_started) {
    l.pq->wait();
    l.pq->start();
  }
  if (restricts) l.to_coarse->start();
  compute_as_ghosts_arrive(l.pq_started ? nullptr : l.pq.get(), finest ? l.uv->outer() : l.feeding,
                           finest ? l.uv->inner() : l.others, [&](std::size_t b) {
                             const double computes_from = now();
                             prepare(level, b, p);
                             if (finer != nullptr) give_to_finer(level, b);
                             second_sweep(blocks[b], a, dt);
                             note_cells(computes_from);
                             if (finest) l.uv->ready(b);
                             if (l.pq_started) l.pq->accept(b);
                             if (restricts) l.to_coarse->give(b);
                             finest ? l.uv->progress() : finer->progress();
                           });
  if (!l.pq_started) l.pq->wait();
  l.uv_started = finest;
  if (finer != nullptr) finer->wait();
  if (restricts) l.to_coarse->wait();
}

void Stepper::advance(int level, double dt, bool is_last) {
  auto& l = levels_[static_cast<std::size_t>(level)];
  const auto blocks = hierarchy_->local(level).size();
  first_half(level, true);
  second_half(level, dt, is_last);
  const std::int64_t n = hierarchy_->shape().n;
  cell_updates_ += static_cast<std::int64_t>(blocks) * n * n * n;
  if (is_finest(level)) return;
  auto& finer = levels_[static_cast<std::size_t>(level) + 1];
  finer.time = 0;
  advance(level + 1, dt / 2, false);
  finer.time = dt / 2;
  advance(level + 1, dt / 2, true);
  finer.time = 0;
  if (!l.to_coarse || !is_last) return;
  l.to_coarse->start();
  for (std::size_t b = 0; b < blocks; ++b) l.to_coarse->give(b);
  l.to_coarse->wait();
}

void Stepper::refresh() {
  settle();
  for (int level = 0; level < hierarchy_->levels(); ++level) {
    auto& l = levels_[static_cast<std::size_t>(level)];
    const auto blocks = hierarchy_->local(level);
    first_half(level, false);
    l.pq->wait();
    l.uv_here = true;
    if (is_finest(level)) {
      for (std::size_t b = 0; b < blocks.size(); ++b) prepare(level, b, p);
      return;
    }
    auto& finer = levels_[static_cast<std::size_t>(level) + 1];
    finer.from_coarse->start();
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      prepare(level, b, p);
      give_to_finer(level, b);
    }
    finer.from_coarse->wait();
    finer.time = 0;
  }
}

void Stepper::step(double dt) { advance(0, dt, true); }

}  // namespace weft::wave
