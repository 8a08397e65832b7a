// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/dense_lattice.hpp"

#include <algorithm>
#include <cstring>

#include "lattice/detail/dense_block.hpp"
#include "lattice/detail/rates.hpp"
#include "weft/error.hpp"

namespace weft::lattice {

struct DenseLattice::Data {
  std::unique_ptr<detail::DenseBlock> b;
};

DenseLattice::DenseLattice(const Extent& block, const DenseParameters& parameters)
    : data_(new Data{detail::make_dense_block(block, parameters)}) {}
DenseLattice::~DenseLattice() = default;
DenseLattice::DenseLattice(DenseLattice&&) noexcept = default;
DenseLattice& DenseLattice::operator=(DenseLattice&&) noexcept = default;

const DenseLattice::Extent& DenseLattice::block() const { return data_->b->block; }
std::size_t DenseLattice::dimensions() const { return data_->b->table.dimensions; }
std::size_t DenseLattice::bytes() const { return data_->b->bytes(); }
DenseLattice::Layout DenseLattice::layout() const { return data_->b->layout(); }
const std::vector<std::array<int, 3>>& DenseLattice::velocities() const { return data_->b->table.velocity; }
const std::vector<double>& DenseLattice::weights() const { return data_->b->table.weight; }
int DenseLattice::opposite(int i) const { return static_cast<int>(detail::opposite(static_cast<std::size_t>(i))); }
std::size_t DenseLattice::group() const { return data_->b->group(); }
void DenseLattice::use(const Kernel& kernel) { data_->b->use(kernel); }

bool DenseLattice::gives_back() const { return data_->b->is_odd; }

void DenseLattice::update(const Extent& first, const Extent& count) {
  if (count[0] * count[1] * count[2] == 0) return;
  data_->b->update(first, count);
  data_->b->is_updated = true;
}

void DenseLattice::finish_step() {
  data_->b->is_odd = !data_->b->is_odd;
  data_->b->is_updated = false;
}

void DenseLattice::bounce(std::size_t axis, int side, const std::array<double, 3>& velocity) {
  data_->b->bounce(axis, side, velocity);
}

void DenseLattice::initialise(const std::function<State(const Site&)>& state) {
  auto& b = *data_->b;
  b.is_odd = b.is_updated = false;
  Site s;
  const auto end = [&](std::size_t a) { return static_cast<std::ptrdiff_t>(b.block[a]); };
  for (s[0] = 0; s[0] < end(0); ++s[0])
    for (s[1] = 0; s[1] < end(1); ++s[1])
      for (s[2] = 0; s[2] < end(2); ++s[2]) {
        const auto at = state(s);
        for (std::size_t i = 0; i < b.table.velocity.size(); ++i)
          b.put(b.element(s, i), detail::equilibrium_excess(b.table, i, at));
      }
}

std::size_t DenseLattice::bytes_of_site() const {
  return data_->b->table.velocity.size() *
         (data_->b->parameters.precision == Precision::fp64 ? sizeof(double) : sizeof(float));
}

namespace {

// Calls use(element, place) for each number of a row of sites.
template <class Use>
void each_number(const detail::DenseBlock& b, DenseLattice::Site site, std::size_t count, const Use& use) {
  const auto along = b.table.dimensions - 1;
  for (std::size_t at = 0; count > 0; --count, ++site[along])
    for (std::size_t i = 0; i < b.table.velocity.size(); ++i) use(b.element(site, i), at++);
}

template <class Number>
void save_as(const detail::DenseBlock& b, const DenseLattice::Site& first, std::size_t count, std::byte* out) {
  each_number(b, first, count, [&](std::size_t element, std::size_t at) {
    const auto number = static_cast<Number>(b.get(element));  // exact: it is stored as this type
    std::memcpy(out + at * sizeof number, &number, sizeof number);
  });
}

template <class Number>
void restore_as(detail::DenseBlock& b, const DenseLattice::Site& first, std::size_t count, const std::byte* in) {
  each_number(b, first, count, [&](std::size_t element, std::size_t at) {
    Number number;
    std::memcpy(&number, in + at * sizeof number, sizeof number);
    b.put(element, static_cast<double>(number));
  });
}

}  // namespace

// An even step reads only a site's own slots.
void DenseLattice::save(const Site& first, std::size_t count, std::byte* out) const {
  const auto& b = *data_->b;
  if (b.is_odd || b.is_updated)
    throw Error("A dense lattice can't be saved before an odd step. Save it before an even step.");
  b.parameters.precision == Precision::fp64 ? save_as<double>(b, first, count, out)
                                            : save_as<float>(b, first, count, out);
}

void DenseLattice::restore(const Site& first, std::size_t count, const std::byte* in) {
  auto& b = *data_->b;
  b.is_odd = b.is_updated = false;
  b.parameters.precision == Precision::fp64 ? restore_as<double>(b, first, count, in)
                                            : restore_as<float>(b, first, count, in);
}

DenseLattice::Link DenseLattice::link(const Site& site, int direction) const {
  const auto& b = *data_->b;
  const auto i = static_cast<std::size_t>(direction);
  return {b.element(site, detail::opposite(i)), b.element(b.moved(site, i, 1), i), direction};
}

double DenseLattice::outgoing(const Link& link) const {
  const auto& b = *data_->b;
  return b.get(b.is_odd ? link.far : link.near) + b.table.weight[static_cast<std::size_t>(link.direction)];
}

void DenseLattice::set_incoming(const Link& link, double population) {
  auto& b = *data_->b;
  b.put(b.is_odd ? link.near : link.far, population - b.table.weight[static_cast<std::size_t>(link.direction)]);
}

DenseLattice::Content DenseLattice::leaving(const Site& site) const {
  const auto& b = *data_->b;
  Content sum{0, {}};
  for (std::size_t i = 0; i < b.table.velocity.size(); ++i) {
    const auto place = b.place_left(site, i);
    if (!b.holds(place)) continue;
    const double f = b.get(b.element(place, b.slot_left(i))) + b.table.weight[i];
    sum.mass += f;
    for (std::size_t a = 0; a < 3; ++a) sum.momentum[a] += f * b.table.velocity[i][a];
  }
  return sum;
}

void DenseLattice::set(const Site& site, const State& state) {
  auto& b = *data_->b;
  for (std::size_t i = 0; i < b.table.velocity.size(); ++i) {
    const auto place = b.place_left(site, i);
    if (b.holds(place)) b.put(b.element(place, b.slot_left(i)), detail::equilibrium_excess(b.table, i, state));
  }
}

DenseLattice::State DenseLattice::state(const Site& site) const {
  State s;
  states(site, {&s, 1});
  return s;
}

// In the next step. An even step reads its own slots.
void DenseLattice::states(const Site& first, std::span<State> out) const {
  const auto& b = *data_->b;
  const bool next_is_odd = b.is_updated ? !b.is_odd : b.is_odd;
  std::fill(out.begin(), out.end(), State{0, {}});
  for (std::size_t i = 0; i < b.table.velocity.size(); ++i)
    b.add(next_is_odd ? b.moved(first, i, -1) : first, next_is_odd ? detail::opposite(i) : i, i, out);
  for (auto& s : out) {
    s.density += 1;
    for (std::size_t a = 0; a < 3; ++a) s.velocity[a] = s.velocity[a] / s.density + 0.5 * b.parameters.force[a];
  }
}

Entropy DenseLattice::entropy() const {
  const auto& b = *data_->b;
  return b.entropy(b.is_updated ? !b.is_odd : b.is_odd);
}

}  // namespace weft::lattice
