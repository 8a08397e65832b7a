// SPDX-License-Identifier: BSD-3-Clause
#include "wave/stepper.hpp"

#include "amr/transfer.hpp"

namespace weft::wave {
namespace {

// The k-th time derivatives (k = first and first + 1) of the polynomial with derivatives c[0..5] at time 0, into ghosts.
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
  rebuild();
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
    level.uv = std::make_unique<amr::SiblingGhosts>(*hierarchy_, l, u, 2, reach, options_.exchange);
    level.pq = std::make_unique<amr::SiblingGhosts>(*hierarchy_, l, p, 2, reach, options_.exchange);
    if (l > 0) {
      level.from_coarse = std::make_unique<amr::CoarseToFine>(*hierarchy_, l, numbers, options_.exchange);
      level.to_coarse = std::make_unique<amr::Restriction>(*hierarchy_, l, u, 2, options_.exchange);
      auto& coarse = levels_.back();
      for (std::size_t b = 0; b < hierarchy_->local(l - 1).size(); ++b)
        (level.from_coarse->pieces(b).empty() ? coarse.others : coarse.feeding).push_back(b);
    }
    levels_.push_back(std::move(level));
  }
}

void Stepper::settle() {
  for (auto& level : levels_) {
    if (!level.uv_started) continue;
    level.uv->wait();
    level.uv_started = false;
    level.uv_here = true;
  }
}

void Stepper::use(const ExchangeOptions& exchange) {
  settle();
  options_.exchange = exchange;
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

// p and q. While u and v are on their way (only where a finer level held them up) half of the blocks that need nobody else
// are computed; the other half hides p and q.
void Stepper::first_half(int level) {
  auto& l = levels_[static_cast<std::size_t>(level)];
  const auto blocks = hierarchy_->local(level);
  const auto a = operator_of(level);
  const auto& inner = l.uv->inner();
  std::size_t done = 0;
  l.pq->start();
  const auto compute = [&](std::size_t b) {
    prepare(level, b, u);
    first_sweep(blocks[b], a);
    l.pq->ready(b);
    l.pq->progress();
  };
  if (!l.uv_here && !l.uv_started) {
    l.uv->start();
    l.uv->ready_all();
    l.uv_started = true;
    for (; done < inner.size() / 2; ++done) {
      compute(inner[done]);
      l.uv->progress();
    }
  }
  if (l.uv_started) l.uv->wait();
  l.uv_started = l.uv_here = false;
  for (const auto b : l.uv->outer()) compute(b);
  for (; done < inner.size(); ++done) compute(inner[done]);
  l.pq->wait();
}

// u and v. On the finest level they leave for the next step, and for the coarser level, as soon as a block is done.
void Stepper::second_half(int level, double dt, bool is_last) {
  auto& l = levels_[static_cast<std::size_t>(level)];
  const auto blocks = hierarchy_->local(level);
  const auto a = operator_of(level);
  const bool finest = is_finest(level), restricts = finest && is_last && l.to_coarse;
  auto* finer = finest ? nullptr : levels_[static_cast<std::size_t>(level) + 1].from_coarse.get();
  if (finest) l.uv->start();
  else finer->start();
  if (restricts) l.to_coarse->start();
  const auto compute = [&](std::size_t b) {
    prepare(level, b, p);
    if (finer != nullptr) give_to_finer(level, b);
    second_sweep(blocks[b], a, dt);
    if (finest) l.uv->ready(b);
    if (restricts) l.to_coarse->give(b);
    finest ? l.uv->progress() : finer->progress();
  };
  for (const auto b : finest ? l.uv->outer() : l.feeding) compute(b);
  for (const auto b : finest ? l.uv->inner() : l.others) compute(b);
  l.uv_started = finest;
  if (finer != nullptr) finer->wait();
  if (restricts) l.to_coarse->wait();
}

void Stepper::advance(int level, double dt, bool is_last) {
  auto& l = levels_[static_cast<std::size_t>(level)];
  const auto blocks = hierarchy_->local(level).size();
  first_half(level);
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
    first_half(level);
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
