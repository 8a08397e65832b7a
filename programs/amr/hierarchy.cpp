// SPDX-License-Identifier: BSD-3-Clause
#include "amr/hierarchy.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>

namespace weft::amr {
namespace {

constexpr std::size_t line_bytes = 64;
constexpr int line = 8;  // doubles

}  // namespace

// The left ghosts of a row are at the end of its padding, the right ones at the beginning of the next row's.
Shape::Shape(int cells)
    : n(cells), row(cells + line), plane(row * (cells + 2 * ghosts)), field(plane * (cells + 2 * ghosts) + line),
      origin(line + ghosts * row + ghosts * plane) {}

void Hierarchy::Free::operator()(double* p) const { std::free(p); }

std::size_t Hierarchy::slab_doubles() const { return static_cast<std::size_t>(shape_->field * fields_); }

Hierarchy::Slab Hierarchy::take() {
  if (!spare_.empty()) {
    auto slab = std::move(spare_.back());
    spare_.pop_back();
    return slab;
  }
  Slab slab(static_cast<double*>(std::aligned_alloc(line_bytes, slab_doubles() * sizeof(double))));
  if (!slab) throw std::bad_alloc();
  return slab;
}

Hierarchy::Hierarchy(Transport& transport, Tree tree, int fields)
    : transport_(&transport), tree_(tree), fields_(fields), shape_(std::make_unique<Shape>(tree.domain().cells)) {
  replace(std::move(tree));
}

void Hierarchy::replace(Tree tree) {
  std::vector<std::vector<BlockData>> local(static_cast<std::size_t>(tree.levels()));
  std::vector<std::vector<Slab>> slabs(local.size());
  std::vector<std::vector<int>> local_of(local.size());
  // First the blocks that stay, so that the other slabs are free for new blocks.
  for (int l = 0; l < tree.levels(); ++l) {
    const auto at = static_cast<std::size_t>(l);
    const auto blocks = tree.level(l);
    local_of[at].assign(blocks.size(), -1);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (blocks[b].owner != transport_->rank()) continue;
      local_of[at][b] = static_cast<int>(local[at].size());
      local[at].push_back({blocks[b].key, b, nullptr, shape_.get()});
      Slab slab;
      const auto old = local_.empty() ? std::optional<std::size_t>{} : tree_.find(blocks[b].key);
      const int was = old ? local_of_[at][*old] : -1;
      if (was >= 0) slab = std::move(slabs_[at][static_cast<std::size_t>(was)]);
      slabs[at].push_back(std::move(slab));
    }
  }
  for (auto& level : slabs_)
    for (auto& slab : level) {
      if (slab) spare_.push_back(std::move(slab));
    }
  for (std::size_t l = 0; l < slabs.size(); ++l)
    for (std::size_t b = 0; b < slabs[l].size(); ++b) {
      if (!slabs[l][b]) {
        slabs[l][b] = take();
        std::fill_n(slabs[l][b].get(), slab_doubles(), 0.0);
      }
      local[l][b].memory = slabs[l][b].get();
    }
  tree_ = std::move(tree);
  local_ = std::move(local);
  slabs_ = std::move(slabs);
  local_of_ = std::move(local_of);
}

std::array<double, 3> Hierarchy::centre(const BlockKey& key, int i, int j, int k) const {
  const double h = domain().spacing_of(key.level);
  const auto corner = domain().corner_of(key);
  return {corner[0] + h * (i + 0.5), corner[1] + h * (j + 0.5), corner[2] + h * (k + 0.5)};
}

std::string describe(const Tree& tree) {
  std::string text;
  const auto counts = tree.blocks_by_rank();
  for (std::size_t l = 0; l < counts.size(); ++l) {
    const auto blocks = tree.level(static_cast<int>(l)).size();
    const auto most = *std::max_element(counts[l].begin(), counts[l].end());
    const auto n = static_cast<std::size_t>(tree.domain().cells);
    const auto balance =
        static_cast<double>(most * static_cast<std::size_t>(tree.ranks())) / static_cast<double>(blocks);
    auto shown = std::to_string(balance);
    shown.resize(4);
    text += "  level " + std::to_string(l) + ": " + std::to_string(blocks) + " blocks of " + std::to_string(n) +
            "^3, " + std::to_string(blocks * n * n * n) + " cells, busiest rank over mean " + shown + "\n";
  }
  return text;
}

}  // namespace weft::amr
