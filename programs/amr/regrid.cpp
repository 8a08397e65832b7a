// SPDX-License-Identifier: BSD-3-Clause
#include "amr/regrid.hpp"

#include <algorithm>
#include <utility>

#include "amr/coarse_to_fine.hpp"
#include "amr/hierarchy.hpp"
#include "amr/sibling_ghosts.hpp"
#include "amr/transfer.hpp"
#include "weft/mailbox/mailbox.hpp"

namespace weft::amr {
namespace {

void pack(const BlockData& block, int fields, std::vector<double>& dense) {
  const auto n = static_cast<std::size_t>(block.shape->n);
  dense.resize(n * n * n * static_cast<std::size_t>(fields));
  for_each_row(block, fields, dense.data(),
               [](const double* row, double* at, int n_row) { std::copy_n(row, n_row, at); });
}

void unpack(const BlockData& block, int fields, std::span<const double> dense) {
  for_each_row(block, fields, const_cast<double*>(dense.data()),
               [](double* row, const double* at, int n_row) { std::copy_n(at, n_row, row); });
}

class Regridder {
 public:
  // Each message fills a different block, so the order of handling does not matter.
  Regridder(Hierarchy& hierarchy, int fields) : h_(hierarchy), fields_(fields), mail_(hierarchy.transport()) {
    mail_.on<BlockKey>(1, [this](int, const BlockKey& key, Mailbox::Payload cells) { take(key, cells); });
  }

  RegridCounts counts;

  void move_to(Tree tree) {
    std::vector<double> cells;
    moved_ = false;
    for (int level = 0; level < h_.levels(); ++level)
      for (const auto& block : h_.local(level)) {
        const auto there = tree.find(block.key);
        if (!there) continue;
        const int owner = tree.block(level, *there).owner;
        if (owner == h_.transport().rank()) continue;
        pack(block, fields_, cells);
        mail_.post(owner, block.key, std::as_bytes(std::span(cells)));
        ++counts.moved;
      }
    count(h_.tree(), tree);
    h_.replace(std::move(tree));
    moved_ = true;
    for (const auto& [key, bytes] : early_) fill(key, bytes);
    early_.clear();
    mail_.drain();
  }

  // Creates the new blocks of a level from their parents, whose 26 neighbours all exist.
  void create(int level, const std::vector<char>& is_new, const std::function<void(const BlockData&)>& fill_boundary,
              const TrafficMaker& traffic) {
    const auto& tree = h_.tree();
    SiblingGhosts ghosts(h_, level - 1, 0, fields_, SiblingGhosts::Reach::all, traffic);
    ghosts.start();
    ghosts.ready_all();
    ghosts.wait();
    const auto parents = h_.local(level - 1);
    const auto n = h_.shape().n;
    const auto per_field = static_cast<std::size_t>(n) * static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    std::vector<double> cells(per_field * static_cast<std::size_t>(fields_));
    for (std::size_t b = 0; b < parents.size(); ++b) {
      const auto& parent = parents[b];
      bool filled = false;
      for (int octant = 0; octant < 8; ++octant) {
        const auto child = tree.find(parent.key.child(octant));
        if (!child || is_new[*child] == 0) continue;
        if (!std::exchange(filled, true)) {
          ghosts.copy(b);
          fill_boundary(parent);
        }
        const auto [first, extent] = octant_box(octant, n);
        for (int f = 0; f < fields_; ++f)
          prolong(&parent.cell(f, first[0], first[1], first[2]), h_.shape().row, h_.shape().plane, extent,
                  cells.data() + static_cast<std::size_t>(f) * per_field);
        const auto here = h_.local_of(level, *child);
        if (here >= 0)
          unpack(h_.local(level)[static_cast<std::size_t>(here)], fields_, cells);
        else
          mail_.post(tree.block(level, *child).owner, tree.block(level, *child).key, std::as_bytes(std::span(cells)));
      }
    }
    mail_.drain();
  }

 private:
  void take(const BlockKey& key, Mailbox::Payload cells) {
    if (moved_)
      fill(key, cells);
    else
      early_.emplace_back(key, std::vector<std::byte>(cells.begin(), cells.end()));
  }

  void fill(const BlockKey& key, Mailbox::Payload cells) {
    const auto here = h_.local_of(key.level, *h_.tree().find(key));
    unpack(h_.local(key.level)[static_cast<std::size_t>(here)], fields_,
           {reinterpret_cast<const double*>(cells.data()), cells.size() / sizeof(double)});
  }

  void count(const Tree& before, const Tree& after) {
    for (int l = 0; l < before.levels(); ++l)
      for (const auto& block : before.level(l)) counts.removed += after.find(block.key) ? 0 : 1;
    for (int l = 0; l < after.levels(); ++l)
      for (const auto& block : after.level(l)) counts.created += before.find(block.key) ? 0 : 1;
  }

  Hierarchy& h_;
  int fields_;
  bool moved_ = true;                                               // the hierarchy has its new tree
  std::vector<std::pair<BlockKey, std::vector<std::byte>>> early_;  // arrived before that
  Mailbox mail_;
};

}  // namespace

RegridCounts regrid(Hierarchy& hierarchy, Tree tree, int fields,
                    const std::function<void(const BlockData&)>& fill_boundary, const TrafficMaker& traffic) {
  std::vector<std::vector<char>> is_new(static_cast<std::size_t>(tree.levels()));
  std::vector<bool> any(is_new.size());
  for (int l = 0; l < tree.levels(); ++l)
    for (const auto& block : tree.level(l)) {
      const auto at = static_cast<std::size_t>(l);
      is_new[at].push_back(hierarchy.tree().find(block.key) ? 0 : 1);
      any[at] = any[at] || is_new[at].back() != 0;
    }
  Regridder regridder(hierarchy, fields);
  regridder.move_to(std::move(tree));
  for (int l = 1; l < hierarchy.levels(); ++l) {
    if (any[static_cast<std::size_t>(l)])
      regridder.create(l, is_new[static_cast<std::size_t>(l)], fill_boundary, traffic);
  }
  return regridder.counts;
}

}  // namespace weft::amr
