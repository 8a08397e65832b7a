// SPDX-License-Identifier: BSD-3-Clause
#include "fft/fft.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "fft/passes.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::fft {
namespace {

double factor_of(Normalisation normalisation, bool forward, std::size_t points) {
  const auto n = static_cast<double>(points);
  switch (normalisation) {
    case Normalisation::none: return 1;
    case Normalisation::inverse: return forward ? 1 : 1 / n;
    case Normalisation::unitary: return 1 / std::sqrt(n);
    case Normalisation::forward: return forward ? 1 / n : 1;
  }
  return 1;
}

// Messages of at least 64 KiB, if there are enough planes for eight tiles; a single plane needs no packing.
std::size_t choose_tile(const Size3& size, const Grid& grid, std::size_t value_bytes) {
  const auto planes = std::min(block(size[0], grid.rows, 0).count, block(size[1], grid.rows, 0).count);
  const auto bytes = std::max(size[0], size[1]) * size[2] * value_bytes / (grid.rows * grid.columns);
  const auto wanted = bytes > 0 ? (std::size_t{64} << 10) / bytes : planes;
  return std::max<std::size_t>(1, std::min(wanted, planes / 8));
}

void check_size(const char* what, std::size_t has, std::size_t needs) {
  if (has < needs)
    throw Error("The " + std::string(what) + " of a transform has " + std::to_string(has) +
                " values, which is too few. Give it " + std::to_string(needs) + ".");
}

}  // namespace

template <class Value>
Fft<Value>::Fft(Transport& transport, const Size3& size, const Options& options)
    : space_(transport, "The Fft"), transport_(*space_.transport()), size_(size), options_(options) {
  if (points() == 0)
    throw Error("A transform of " + text_of(size) + " points is empty. Give each axis at least 1.", true);
  if (options_.batch == 0) throw Error("The batch of a transform has no field. Use 1 or more.", true);
  if (!options_.backend) options_.backend = default_backend();
  if (!is_available(*options_.backend))
    throw Error("The backend " + std::string(backend_names.of(*options_.backend)) +
                " is not available. Use another one.");
  grid_ = make_grid(size, transport.size(), transport.rank(), options_.decomposition, options_.rows);
  tile_ = options_.tile > 0 ? options_.tile : choose_tile(size, grid_, sizeof(Value));
  if (options_.window != Options::chosen) return;
  const auto ranks = static_cast<std::size_t>(transport.size());
  const auto bytes = tile_ * std::max(size[0], size[1]) * size[2] * sizeof(Value) / ranks;
  const auto two_mib = (std::size_t{2} << 20) / std::max<std::size_t>(bytes, 1);
  options_.window = transport.piece_bytes() == 0 ? 2 : std::clamp<std::size_t>(two_mib, 2, 16);
}

template <class Value>
Fft<Value>::~Fft() = default;

template <class Value>
Box Fft<Value>::field() const {
  const auto row = !is_complex && options_.padded ? 2 * (size_[2] / 2 + 1) : size_[2];
  return {.axes = {block(size_[0], grid_.rows, grid_.row), block(size_[1], grid_.columns, grid_.column), {0, size_[2]}},
          .row = row};
}

template <class Value>
Box Fft<Value>::spectrum() const {
  const auto z = is_complex ? size_[2] : size_[2] / 2 + 1;
  if (!options_.transposed) {
    auto box = field();
    box.axes[2].count = box.row = z;
    return box;
  }
  const auto mine = block(z, grid_.columns, grid_.column);
  return {.axes = {Block{0, size_[0]}, block(size_[1], grid_.rows, grid_.row), mine},
          .order = {1, 0, 2},
          .row = mine.count};
}

template <class Value>
void Fft<Value>::plan(bool forward) {
  auto& passes = forward ? forward_ : inverse_;
  if (!passes.empty()) return;
  const Shape shape{.size = size_,
                    .grid = grid_,
                    .real = !is_complex,
                    .row = field().row,
                    .transposed = options_.transposed,
                    .effort = options_.effort,
                    .backend = *options_.backend,
                    .pads = transport_.piece_bytes() == 0};
  Passes made;
  space_.failure()->together([&] {  // another rank may fail instead of planning
    together(transport_, [&] {      // FFTW may fail, or memory may be short, on one rank
      const PassOptions options{
          .tile = tile_, .window = options_.window, .carrier = options_.carrier, .timeline = options_.timeline};
      for (auto& p : plan_passes<Real>(shape, forward))
        made.push_back(std::make_unique<Pass<Real>>(transport_, std::move(p), options));
      make_scratch(shape);
    });
    for (auto& pass : made) pass->commit(space_);
  });
  passes = std::move(made);
}

template <class Value>
void Fft<Value>::make_scratch(const Shape& shape) {
  if (scratch_[0].size() > 0) return;
  const auto pitch = shape.pitch(sizeof(Complex));
  const auto x_whole = shape.y_transposed().count * size_[0] * pitch;
  const auto y_whole = shape.x().count * size_[1] * pitch;
  const auto z_whole = shape.x().count * shape.y().count * shape.spectrum_z();
  for (auto& scratch : scratch_) {
    if (&scratch == &scratch_[0] || grid_.columns > 1) scratch = Buffer<Complex>(std::max({x_whole, y_whole, z_whole}));
  }
}

template <class Value>
void Fft<Value>::run(bool forward, const void* in, void* out, bool compute, bool communicate) {
  space_.failure()->check();
  plan(forward);
  space_.failure()->guard([&] { transform(forward, in, out, compute, communicate); });
}

template <class Value>
void Fft<Value>::fail(const std::string& why) noexcept {
  space_.failure()->fail(why);
}

template <class Value>
void Fft<Value>::transform(bool forward, const void* in, void* out, bool compute, bool communicate) {
  auto& passes = forward ? forward_ : inverse_;
  Run r{.factor = factor_of(options_.normalisation, forward, points()),
        .progress = options_.progress.get(),
        .compute = compute,
        .communicate = communicate,
        .seconds = &seconds};
  const auto field_bytes = field().size() * sizeof(Value), spectrum_bytes = spectrum().size() * sizeof(Complex);
  for (std::size_t b = 0; b < options_.batch; ++b) {
    const auto* from = static_cast<const std::byte*>(in) + b * (forward ? field_bytes : spectrum_bytes);
    auto* to = static_cast<std::byte*>(out) + b * (forward ? spectrum_bytes : field_bytes);
    for (std::size_t k = 0; k < passes.size(); ++k) {
      const bool last = k + 1 == passes.size();
      r.in = k == 0 ? static_cast<const void*>(from) : scratch_[(k - 1) % 2].data();
      r.work = scratch_[k % 2].data();
      r.out = last ? static_cast<void*>(to) : r.work;
      passes[k]->run(r);
    }
  }
}

template <class Value>
void Fft<Value>::forward(std::span<const Value> field, std::span<Complex> spectrum) {
  check_size("field", field.size(), field_size());
  check_size("spectrum", spectrum.size(), spectrum_size());
  run(true, field.data(), spectrum.data(), true, true);
}

template <class Value>
void Fft<Value>::inverse(std::span<const Complex> spectrum, std::span<Value> field) {
  check_size("spectrum", spectrum.size(), spectrum_size());
  check_size("field", field.size(), field_size());
  run(false, spectrum.data(), field.data(), true, true);
}

template <class Value>
void Fft<Value>::run_part(bool forward, const void* in, void* out, bool compute, bool communicate) {
  run(forward, in, out, compute, communicate);
}

template class Fft<double>;
template class Fft<float>;
template class Fft<std::complex<double>>;
template class Fft<std::complex<float>>;

}  // namespace weft::fft
