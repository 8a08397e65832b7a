// SPDX-License-Identifier: BSD-3-Clause
#include "amr/elliptic/poisson.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "amr/transfer.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::amr {
namespace {

constexpr int sweeps_down = 2, sweeps_up = 2;

int levels_beneath(const Domain& domain) {
  int count = 0;
  auto blocks = domain.blocks;
  while (std::all_of(blocks.begin(), blocks.end(), [](int b) { return b % 2 == 0; })) {
    for (auto& b : blocks) b /= 2;
    ++count;
  }
  return count;
}

// The same blocks on top of `beneath` more levels that cover the whole domain.
Tree deeper(const Tree& tree, int beneath) {
  auto domain = tree.domain();
  for (auto& b : domain.blocks) b >>= beneath;
  domain.spacing *= 1 << beneath;
  std::vector<BlockKey> refined;
  for (int l = 0; l < beneath; ++l)
    for (int k = 0; k < domain.blocks[2] << l; ++k)
      for (int j = 0; j < domain.blocks[1] << l; ++j)
        for (int i = 0; i < domain.blocks[0] << l; ++i) refined.push_back({l, {i, j, k}});
  for (auto key : tree.refined()) {
    key.level += beneath;
    refined.push_back(key);
  }
  return Tree(domain, refined, tree.ranks(), tree.curve());
}

template <class Visit>
void for_each_cell(int n, const Visit& visit) {
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) visit(i, j, k);
}

double laplacian(const double* x, const Shape& s, double per_square) {
  const double sum = ((x[-1] + x[1]) + (x[-s.row] + x[s.row])) + (x[-s.plane] + x[s.plane]);
  return per_square * (sum - 6 * x[0]);
}

}  // namespace

Poisson::Poisson(const Hierarchy& of, const TrafficMaker& traffic)
    : beneath_(levels_beneath(of.domain())), h_(of.transport(), deeper(of.tree(), beneath_), 4) {
  using Reach = SiblingGhosts::Reach;
  levels_.resize(static_cast<std::size_t>(h_.levels()));
  rhs_.resize(levels_.size());
  for (int l = 0; l < h_.levels(); ++l) {
    auto& level = levels_[static_cast<std::size_t>(l)];
    level.phi = std::make_unique<SiblingGhosts>(h_, l, phi, 1, Reach::faces_or_all_that_feed, traffic);
    level.work = std::make_unique<SiblingGhosts>(h_, l, work, 1, Reach::all, traffic);
    rhs_[static_cast<std::size_t>(l)].resize(h_.local(l).size());
    if (l == 0) continue;
    level.from_coarse = std::make_unique<CoarseToFine>(h_, l, 1, traffic);
    level.restrict_phi = std::make_unique<Restriction>(h_, l, phi, 1, traffic);
    level.restrict_work = std::make_unique<Restriction>(h_, l, work, 1, traffic);
    level.from_parents = std::make_unique<FromParents>(h_, l, traffic);
  }
}

unsigned Poisson::faces_of(const BlockKey& key) const {
  unsigned faces = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    if (h_.domain().periodic[a]) continue;
    if (key.at[a] == 0) faces |= 1U << 2 * a;
    if (key.at[a] + 1 == h_.domain().blocks[a] << key.level) faces |= 2U << 2 * a;
  }
  return faces;
}

// Odd mirror images, axis after axis, so that edges and corners follow.
void Poisson::fill_outside(const BlockData& block, int field) const {
  const auto faces = faces_of(block.key);
  const int n = block.shape->n;
  for (unsigned a = 0; a < 3; ++a)
    for (unsigned side = 0; side < 2; ++side) {
      if ((faces >> (2 * a + side) & 1) == 0) continue;
      for (int q = -ghosts; q < n + ghosts; ++q)
        for (int p = -ghosts; p < n + ghosts; ++p)
          for (int depth = 0; depth < ghosts; ++depth) {
            const auto at = [&](int x) -> double& {
              return a == 0   ? block.cell(field, x, p, q)
                     : a == 1 ? block.cell(field, p, x, q)
                              : block.cell(field, p, q, x);
            };
            if (side == 0)
              at(-1 - depth) = -at(depth);
            else
              at(n + depth) = -at(n - 1 - depth);
          }
    }
}

// All ghosts of phi; those from the coarser level only if its phi has changed.
void Poisson::fill(int l, bool from_coarse) {
  auto& level = levels_[static_cast<std::size_t>(l)];
  const auto local = h_.local(l);
  auto& siblings = *level.phi;
  siblings.start();
  siblings.ready_all();
  if (from_coarse && l > 0) {
    auto& transfer = *level.from_coarse;
    const auto coarse = h_.local(l - 1);
    const auto& s = h_.shape();
    transfer.start();
    for (std::size_t b = 0; b < coarse.size(); ++b) {
      for (const auto& piece : transfer.pieces(b)) {
        const auto& first = piece.coarse.first;
        prolong(&coarse[b].cell(phi, first[0], first[1], first[2]), s.row, s.plane, piece.coarse.count, piece.to);
      }
      transfer.ready(b);
    }
    transfer.wait();
    for (std::size_t b = 0; b < local.size(); ++b)
      for (const auto& g : transfer.ghosts(b)) {
        const double* from = g.from;
        for (int k = 0; k < g.fine.count[2]; ++k)
          for (int j = 0; j < g.fine.count[1]; ++j)
            for (int i = 0; i < g.fine.count[0]; ++i)
              local[b].cell(phi, g.fine.first[0] + i, g.fine.first[1] + j, g.fine.first[2] + k) = *from++;
      }
  }
  siblings.wait();
  for (std::size_t b = 0; b < local.size(); ++b) {
    siblings.copy(b);
    fill_outside(local[b], phi);
  }
}

void Poisson::fill_work(int l) {
  auto& siblings = *levels_[static_cast<std::size_t>(l)].work;
  const auto local = h_.local(l);
  siblings.start();
  siblings.ready_all();
  siblings.wait();
  for (std::size_t b = 0; b < local.size(); ++b) {
    siblings.copy(b);
    fill_outside(local[b], work);
  }
}

// Needs all ghosts of phi, and leaves them all.
void Poisson::relax(int l, int sweeps, double weight) {
  const double h = h_.domain().spacing_of(l), square = h * h;
  const int n = h_.shape().n;
  for (int half = 0; half < 2 * sweeps; ++half) {
    for (const auto& block : h_.local(l)) {
      const auto faces = faces_of(block.key);
      const auto& s = *block.shape;
      const auto beside = [&](unsigned axis, int x) {
        return (x == 0 ? static_cast<int>(faces >> 2 * axis & 1) : 0) +
               (x == n - 1 ? static_cast<int>(faces >> (2 * axis + 1) & 1) : 0);
      };
      for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j) {
          const int diagonal = 6 + beside(1, j) + beside(2, k);
          double* x = block.field(phi) + s.at(0, j, k);
          const double* b = block.field(f) + s.at(0, j, k);
          for (int i = (half + j + k) % 2; i < n; i += 2)  // blocks have an even number of cells: one colouring for all
            x[i] += weight * (laplacian(x + i, s, 1) - square * b[i]) / (diagonal + beside(0, i));
        }
    }
    fill(l, false);
  }
}

// work = f - Lap phi on all cells. Needs the ghosts of phi.
void Poisson::residual(int l) {
  const double h = h_.domain().spacing_of(l), per_square = 1 / (h * h);
  for (const auto& block : h_.local(l))
    for_each_cell(block.shape->n, [&](int i, int j, int k) {
      block.cell(work, i, j, k) =
          block.cell(f, i, j, k) - laplacian(&block.cell(phi, i, j, k), *block.shape, per_square);
    });
}

void Poisson::restrict_level(int l, Restriction& restriction) {
  restriction.start();
  for (std::size_t b = 0; b < h_.local(l).size(); ++b) restriction.give(b);
  restriction.wait();
}

// Sets the equation of the coarser level: where this one covers it, f = restricted residual + Lap of the restricted
// phi.
void Poisson::give_to_coarse(int l) {
  auto& level = levels_[static_cast<std::size_t>(l)];
  const double h = h_.domain().spacing_of(l - 1), per_square = 1 / (h * h);
  residual(l);
  restrict_level(l, *level.restrict_phi);
  restrict_level(l, *level.restrict_work);
  fill(l - 1, true);
  for (const auto& block : h_.local(l - 1)) {
    const bool covered = h_.tree().is_refined(block.key);
    for_each_cell(block.shape->n, [&](int i, int j, int k) {
      if (covered)
        block.cell(f, i, j, k) =
            block.cell(work, i, j, k) + laplacian(&block.cell(phi, i, j, k), *block.shape, per_square);
      block.cell(old, i, j, k) = block.cell(phi, i, j, k);
    });
  }
}

void Poisson::cycle(int l) {
  fill(l, true);
  if (l == 0) {
    const auto& b = h_.domain().blocks;
    const int cells = h_.domain().cells * std::max({b[0], b[1], b[2]});
    if (is_singular()) remove_mean(0, f, mean(0, f));
    const double wave = (is_singular() ? 2 : 1) * std::numbers::pi / cells;
    relax(0, 2 * cells, 2 / (1 + std::sin(wave)));
    if (is_singular()) relax(0, 2, 1);  // over-relaxation leaves a checkerboard, which plain sweeps smooth
    return;
  }
  relax(l, sweeps_down, 1);
  give_to_coarse(l);
  cycle(l - 1);
  for (const auto& block : h_.local(l - 1))
    for_each_cell(block.shape->n, [&](int i, int j, int k) {
      block.cell(work, i, j, k) = block.cell(phi, i, j, k) - block.cell(old, i, j, k);
    });
  fill_work(l - 1);
  levels_[static_cast<std::size_t>(l)].from_parents->add(work, phi);
  fill(l, true);
  relax(l, sweeps_up, 1);
}

// In the order of the tree's list, so that the sum does not depend on the ranks.
double Poisson::mean(int l, int field) const {
  struct Sum {
    std::uint64_t index;
    double sum;
  };
  std::vector<Sum> mine;
  for (const auto& block : h_.local(l)) {
    double sum = 0;
    for_each_cell(block.shape->n, [&](int i, int j, int k) { sum += block.cell(field, i, j, k); });
    mine.push_back({block.index, sum});
  }
  auto all = all_gather(h_.transport(), mine);
  std::sort(all.begin(), all.end(), [](const Sum& a, const Sum& b) { return a.index < b.index; });
  double sum = 0;
  for (const auto& s : all) sum += s.sum;
  const double n = h_.shape().n;
  return sum / (static_cast<double>(all.size()) * n * n * n);
}

void Poisson::remove_mean(int l, int field, double value) {
  for (const auto& block : h_.local(l))
    for_each_cell(block.shape->n, [&](int i, int j, int k) { block.cell(field, i, j, k) -= value; });
}

// The largest residual of the cells that no finer one covers; restricts phi and fills all ghosts.
double Poisson::composite_residual() {
  for (int l = h_.levels(); l-- > 1;) restrict_level(l, *levels_[static_cast<std::size_t>(l)].restrict_phi);
  for (int l = 0; l < h_.levels(); ++l) {
    fill(l, true);
    const auto local = h_.local(l);
    const int n = h_.shape().n;
    for (std::size_t b = 0; b < local.size(); ++b) {
      const auto* from = rhs_[static_cast<std::size_t>(l)][b].data();
      for_each_cell(n, [&](int i, int j, int k) { local[b].cell(f, i, j, k) = *from++; });
    }
    residual(l);
  }
  for (int l = h_.levels(); l-- > 1;) restrict_level(l, *levels_[static_cast<std::size_t>(l)].restrict_work);
  const double offset = is_singular() ? mean(0, work) : 0;
  double largest = 0;
  for (int l = 0; l < h_.levels(); ++l)
    for (const auto& block : h_.local(l)) {
      if (h_.tree().is_refined(block.key)) continue;
      for_each_cell(block.shape->n, [&](int i, int j, int k) {
        largest = larger(largest, std::abs(block.cell(work, i, j, k) - offset));
      });
    }
  return all_reduce(h_.transport(), largest, maximum<double>());
}

Poisson::Result Poisson::solve(double tolerance, int most) {
  // The values beneath finer cells follow from these.
  double largest = 0;
  for (int l = h_.levels(); l-- > 0;) {
    const auto local = h_.local(l);
    for (const auto& block : local)
      for_each_cell(block.shape->n, [&](int i, int j, int k) { block.cell(work, i, j, k) = block.cell(f, i, j, k); });
  }
  for (int l = h_.levels(); l-- > 1;) restrict_level(l, *levels_[static_cast<std::size_t>(l)].restrict_work);
  const double offset = is_singular() ? mean(0, work) : 0;
  for (int l = 0; l < h_.levels(); ++l) {
    remove_mean(l, work, offset);
    const auto local = h_.local(l);
    for (std::size_t b = 0; b < local.size(); ++b) {
      auto& kept = rhs_[static_cast<std::size_t>(l)][b];
      kept.clear();
      for_each_cell(local[b].shape->n, [&](int i, int j, int k) {
        kept.push_back(local[b].cell(work, i, j, k));
        largest = larger(largest, std::abs(kept.back()));
      });
    }
  }
  largest = all_reduce(h_.transport(), largest, maximum<double>());
  Result result;
  result.first = result.last = composite_residual();
  while (result.cycles < most && result.last > tolerance * largest) {
    cycle(h_.levels() - 1);
    if (is_singular()) {
      for (int l = h_.levels(); l-- > 1;) restrict_level(l, *levels_[static_cast<std::size_t>(l)].restrict_phi);
      const double value = mean(0, phi);
      for (int l = 0; l < h_.levels(); ++l) remove_mean(l, phi, value);
    }
    result.last = composite_residual();
    ++result.cycles;
  }
  return result;
}

}  // namespace weft::amr
