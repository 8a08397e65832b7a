// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/dense_block.hpp"

#include <algorithm>
#include <type_traits>

#include "lattice/detail/entropy.hpp"
#include "lattice/detail/instruction_set.hpp"
#include "lattice/detail/populations.hpp"
#include "lattice/detail/rates.hpp"
#include "weft/error.hpp"

namespace weft::lattice::detail {
namespace {

constexpr std::size_t cache_line_bytes = 64;

template <class Number>
class Block final : public DenseBlock {
 public:
  using Scalar = Arithmetic<Number>;
  Block(const Extent& n, const DenseParameters& p) : DenseBlock(n, p), rates_(rates_of<Scalar>(Relaxation::of(p))) {
    use({.instruction_set = p.instruction_set});
    constexpr std::size_t line = cache_line_bytes / sizeof(Number);
    // Rows are stored without padding. Memory is the limit: cache lines with ghosts only would be read in vain (a ninth
    // of all in rows of 128 floats), while vectors that cross lines, which odd steps have anyway, cost less.
    const auto row_axis = last_axis();
    pitch_ = n[row_axis] + 2;
    std::ptrdiff_t step = 1;
    std::size_t ghosts = 0;
    for (std::size_t a = row_axis + 1; a-- > 0;) {
      step_[a] = step;
      ghosts += static_cast<std::size_t>(step);
      step *= static_cast<std::ptrdiff_t>(a == row_axis ? pitch_ : n[a] + 2);
    }
    // A vector may be read beyond the last row.
    const std::size_t lead = line - 1, slots = static_cast<std::size_t>(step) + lead + 2 * line;
    constexpr std::size_t in_a_double = sizeof(double) / sizeof(Number);
    stride_ = direction_stride((slots + in_a_double - 1) / in_a_double) * in_a_double;
    origin_ = lead + ghosts;
    memory_ = std::make_unique<Populations>(stride_ * table.velocity.size() / in_a_double + 1);
    data_ = static_cast<Number*>(static_cast<void*>(memory_->data()));
    corner_ = lead;
  }

  DenseLattice::Layout layout() override {
    return {reinterpret_cast<std::byte*>(data_ + corner_), sizeof(Number), table.velocity.size(), stride_, pitch_};
  }
  std::size_t bytes() const override { return memory_->bytes(); }
  std::size_t group() const override { return kernels_->width; }
  void use(const Kernel& kernel) override {
    kernels_ = &row_kernels<Number>(kernel.instruction_set);
    kernel_ = kernels_->of[static_cast<std::size_t>(parameters.velocities)]
                          [static_cast<std::size_t>(Relaxation::of(parameters).form())];
    used_ = kernel;
  }
  double get(std::size_t element) const override { return static_cast<double>(data_[element]); }
  void put(std::size_t element, double value) override { data_[element] = static_cast<Number>(value); }

  void add(Site first, std::size_t slot, std::size_t velocity, std::span<DenseLattice::State> to) const override;
  Entropy entropy(bool next_is_odd) const override;
  void update(const Extent& first, const Extent& count) override;
  void bounce(std::size_t axis, int side, const std::array<double, 3>& velocity) override;

 private:
  std::ptrdiff_t offset(std::size_t i) const {
    const auto& c = table.velocity[i];
    return c[0] * step_[0] + c[1] * step_[1] + c[2] * step_[2];
  }

  const RowKernels<Number>* kernels_ = nullptr;
  RowKernel<Number> kernel_ = nullptr;
  Kernel used_;
  const Rates<Scalar> rates_;
  std::unique_ptr<Populations> memory_;
  Number* data_ = nullptr;
  std::size_t corner_ = 0;
};

template <class Number>
void Block<Number>::add(Site first, std::size_t slot, std::size_t velocity, std::span<DenseLattice::State> to) const {
  const auto row_axis = last_axis();
  const auto& c = table.velocity[velocity];
  const double along[3] = {static_cast<double>(c[0]), static_cast<double>(c[1]), static_cast<double>(c[2])};
  const auto end = static_cast<std::ptrdiff_t>(block[row_axis]);
  for (std::size_t done = 0; done < to.size();) {
    // A row that wraps is added in up to three pieces.
    std::size_t n = to.size() - done;
    if (parameters.wraps_last_axis) {
      if (first[row_axis] >= end) first[row_axis] -= end;
      n = std::min(n, static_cast<std::size_t>(first[row_axis] < 0 ? -first[row_axis] : end - first[row_axis]));
    }
    const Number* const from = data_ + element(first, slot);
    for (std::size_t k = 0; k < n; ++k) {
      const auto g = static_cast<double>(from[k]);
      auto& s = to[done + k];
      s.density += g;
      for (std::size_t a = 0; a < 3; ++a) s.velocity[a] += g * along[a];
    }
    first[row_axis] += static_cast<std::ptrdiff_t>(n);
    done += n;
  }
}

template <class Number>
Entropy Block<Number>::entropy(bool next_is_odd) const {
  EntropySum<Number> sum(used_.instruction_set);
  const auto row_axis = last_axis();
  const std::size_t n = block[row_axis];
  auto rows = block;
  rows[row_axis] = 1;
  for (std::size_t i = 0; i < table.velocity.size(); ++i)
    for (std::size_t x = 0; x < rows[0]; ++x)
      for (std::size_t y = 0; y < rows[1]; ++y) {
        Site first{static_cast<std::ptrdiff_t>(x), static_cast<std::ptrdiff_t>(y), 0};
        const std::size_t slot = next_is_odd ? opposite(i) : i;
        if (next_is_odd) first = moved(first, i, -1);
        std::size_t count = n;
        if (parameters.wraps_last_axis && first[row_axis] != 0) {  // one site lies beyond an end: at the other end
          auto beyond = first;
          if (first[row_axis] > 0) beyond[row_axis] = 0;
          first[row_axis] = std::max<std::ptrdiff_t>(first[row_axis], 0);
          sum.add(data_ + element(beyond, slot), 1, table.weight[i]);
          --count;
        }
        sum.add(data_ + element(first, slot), count, table.weight[i]);
      }
  return sum.sum();
}

template <class Number>
void Block<Number>::update(const Extent& first, const Extent& count) {
  const auto directions = table.velocity.size();
  const auto row_axis = last_axis();
  // The location of a site's populations in an odd step: in the neighbours from which they come and to which they go;
  // else in the site itself.
  Number* at[most_directions];
  for (std::size_t i = 0; i < directions; ++i)
    at[is_odd ? i : opposite(i)] =
        data_ + static_cast<std::ptrdiff_t>(origin_ + stride_ * (is_odd ? i : opposite(i))) + (is_odd ? offset(i) : 0);
  const std::size_t z0 = first[row_axis], n = count[row_axis], end = block[row_axis];
  const bool wraps = parameters.wraps_last_axis && is_odd;
  const auto length = static_cast<std::ptrdiff_t>(end);
  // Where the ends of a row meet, the data of the ghosts beyond one end are located at the other end.
  Number* ghost[most_directions];
  std::ptrdiff_t truth[most_directions];
  std::size_t ends = 0;
  for (std::size_t i = 1; i < directions && wraps; ++i) {
    const int c = table.velocity[i][row_axis];
    if ((c < 0 && z0 == 0) || (c > 0 && z0 + n == end)) {
      ghost[ends] = at[i] + (c < 0 ? 0 : length - 1);
      truth[ends++] = c < 0 ? length : -length;
    }
  }
  Row<Number> row;
  row.ahead = used_.prefetch / sizeof(Number);
  const std::size_t rows_x = row_axis == 2 ? count[0] : 1, rows_y = row_axis == 2 ? count[1] : count[0];
  const std::size_t x0 = row_axis == 2 ? first[0] : 0, y0 = row_axis == 2 ? first[1] : first[0];
  const auto step_x = row_axis == 2 ? step_[0] : 0, step_y = row_axis == 2 ? step_[1] : step_[0];
  for (std::size_t x = x0; x < x0 + rows_x; ++x)
    for (std::size_t y = y0; y < y0 + rows_y; ++y) {
      const auto here = static_cast<std::ptrdiff_t>(x) * step_x + static_cast<std::ptrdiff_t>(y) * step_y;
      const auto sites = here + static_cast<std::ptrdiff_t>(z0);
      for (std::size_t i = 0; i < directions; ++i) {
        row.from[i] = at[is_odd ? opposite(i) : i] + sites;
        row.into[i] = at[is_odd ? i : opposite(i)] + sites;
      }
      for (std::size_t e = 0; e < ends; ++e) {
        ghost[e][here] = ghost[e][here + truth[e]];
        __builtin_prefetch(&ghost[e][here + truth[e] + 2 * step_y], 1);  // far from where that row begins
      }
      kernel_(row, n, rates_);
      for (std::size_t e = 0; e < ends; ++e) ghost[e][here + truth[e]] = ghost[e][here];
    }
}

template <class Number>
void Block<Number>::bounce(std::size_t axis, int side, const std::array<double, 3>& velocity) {
  Extent n = block;
  n[axis] = 1;
  const auto first = side < 0 ? 0 : static_cast<std::ptrdiff_t>(block[axis] - 1) * step_[axis];
  for (std::size_t i = 1; i < table.velocity.size(); ++i) {
    const auto& c = table.velocity[i];
    if (c[axis] != side) continue;
    const auto correction =
        static_cast<Scalar>(-6 * table.weight[i] * (c[0] * velocity[0] + c[1] * velocity[1] + c[2] * velocity[2]));
    const auto bounced = [&](Number f) { return static_cast<Number>(static_cast<Scalar>(f) + correction); };
    Number* const near = data_ + static_cast<std::ptrdiff_t>(origin_ + stride_ * opposite(i)) + first;
    Number* const far = data_ + static_cast<std::ptrdiff_t>(origin_ + stride_ * i) + first + offset(i);
    const Number* const from = is_odd ? far : near;
    Number* const to = is_odd ? near : far;
    for (std::size_t x = 0; x < n[0]; ++x)
      for (std::size_t y = 0; y < n[1]; ++y) {
        const auto row = static_cast<std::ptrdiff_t>(x) * step_[0] + static_cast<std::ptrdiff_t>(y) * step_[1];
        for (std::ptrdiff_t z = 0; z < static_cast<std::ptrdiff_t>(n[2]); ++z)
          to[row + z * step_[2]] = bounced(from[row + z * step_[2]]);
      }
    // A link that also wraps around ends at the row's other end.
    const auto row_axis = last_axis();
    if (is_odd || !parameters.wraps_last_axis || axis == row_axis || c[row_axis] == 0) continue;
    const auto length = static_cast<std::ptrdiff_t>(block[row_axis]);
    const auto last = c[row_axis] < 0 ? 0 : length - 1;
    const auto truth = c[row_axis] < 0 ? length : -length;
    for (std::size_t x = 0; x < n[0]; ++x)
      for (std::size_t y = 0; y < (row_axis == 2 ? n[1] : 1); ++y) {
        const auto end = static_cast<std::ptrdiff_t>(x) * step_[0] +
                         (row_axis == 2 ? static_cast<std::ptrdiff_t>(y) * step_[1] : 0) + last;
        to[end + truth] = bounced(from[end]);
      }
  }
}

}  // namespace

DenseBlock::DenseBlock(const Extent& n, const DenseParameters& p)
    : parameters(p), table(table_of(p.velocities)), block(n) {
  if (p.collision == Collision::cumulant && !has_cumulants(p.velocities))
    throw InputError("The collision cumulant was requested for " + std::string(name_of(p.velocities)) +
                         " (it has too few velocities). Use D3Q19 or D3Q27.",
                     true);
  static_cast<void>(bytes_of(p.precision, p.storage));
  if (!(p.tau > 0.5))
    throw InputError("The relaxation time tau is " + std::to_string(p.tau) +
                         " (the viscosity would not be positive). Use more than 0.5.",
                     true);
  if (!(p.magic > 0))
    throw InputError("The magic number is " + std::to_string(p.magic) + ". Use a positive number, such as 0.1875.",
                     true);
  for (const double t : {p.bulk_tau, p.ghost_tau})
    if (t != 0 && !(t > 0.5))
      throw InputError(
          "A relaxation time of MRT is " + std::to_string(t) + ". Use more than 0.5, or 0 for its default.", true);
  for (const auto extent : n)
    if (extent == 0)
      throw InputError("One rank has no sites of the lattice along an axis. Use fewer ranks or a larger box.", true);
  if (table.dimensions == 2 && n[2] != 1)
    throw InputError("A two-dimensional lattice has " + std::to_string(n[2]) + " layers along z. Use 1 layer.", true);
}

std::size_t DenseBlock::element(Site site, std::size_t slot) const {
  const auto row_axis = last_axis();
  if (parameters.wraps_last_axis) {
    const auto n = static_cast<std::ptrdiff_t>(block[row_axis]);
    site[row_axis] = (site[row_axis] + n) % n;
  }
  std::ptrdiff_t at = 0;
  for (std::size_t a = 0; a < 3; ++a) at += site[a] * step_[a];
  return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(origin_ + stride_ * slot) + at);
}

bool DenseBlock::holds(const Site& site) const {
  for (std::size_t a = 0; a < 3; ++a) {
    const std::ptrdiff_t layer = a < table.dimensions ? 1 : 0;
    if (site[a] < -layer || site[a] >= static_cast<std::ptrdiff_t>(block[a]) + layer) return false;
  }
  return true;
}

std::unique_ptr<DenseBlock> make_dense_block(const DenseLattice::Extent& block, const DenseParameters& p) {
  if (p.storage == Storage::fp16) return std::make_unique<Block<Fp16>>(block, p);
  if (p.storage == Storage::fp16c) return std::make_unique<Block<Fp16c>>(block, p);
  if (p.precision == Precision::fp64) return std::make_unique<Block<double>>(block, p);
  return std::make_unique<Block<float>>(block, p);
}

}  // namespace weft::lattice::detail
