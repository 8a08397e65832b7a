// SPDX-License-Identifier: BSD-3-Clause
#include "fft/fft.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "fft/boxes.hpp"
#include "fft/passes.hpp"
#include "fft/reshape.hpp"
#include "weft/clock.hpp"
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
  choose_layout();
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
Size3 Fft<Value>::waves() const {
  return {size_[0], size_[1], is_complex ? size_[2] : size_[2] / 2 + 1};
}

template <class Value>
Grid Fft<Value>::grid_of(std::size_t rank) const {
  const auto position = positions_.empty() ? static_cast<int>(rank) : positions_[rank];
  return make_grid(size_, transport_.size(), position, options_.decomposition, options_.rows);
}

// By node: each rank sends to its row and to its column, of which the largest shares stay on the node.
template <class Value>
void Fft<Value>::place_ranks(const std::vector<int>& nodes) {
  ranks_.clear();
  positions_.clear();
  if (nodes.empty()) return;
  const auto grid = grid_of(0);
  const auto rows = static_cast<int>(grid.rows), columns = static_cast<int>(grid.columns);
  ranks_ = ranks_by_node(nodes, {rows, columns, 1}, [&](const std::array<int, 3>& tile) {
    return -static_cast<double>(tile[0]) / rows - static_cast<double>(tile[1]) / columns;
  });
  positions_ = positions_of(ranks_, transport_.size());
}

// In weft's own layout.
template <class Value>
Box Fft<Value>::own_box(bool spectrum, std::size_t rank) const {
  return spectrum ? spectrum_box(waves(), grid_of(rank), transposed_) : field_box(size_, grid_of(rank));
}

// Takes the boxes that the program gives, and an own layout that is theirs, if there is one.
template <class Value>
void Fft<Value>::choose_layout() {
  const auto rank = static_cast<std::size_t>(transport_.rank());
  field_boxes_ = gather_boxes(transport_, options_.field_box, size_, "field");
  spectrum_boxes_ = gather_boxes(transport_, options_.spectrum_box, waves(), "spectrum");
  if (options_.padded && !field_boxes_.empty())
    throw Error("A transform with boxes of the field is also padded. Give the rows of the boxes alone.", true);
  if (options_.transposed && !spectrum_boxes_.empty())
    throw Error("A transform with boxes of the spectrum is also transposed. Give the order of the boxes alone.", true);
  const auto is_own = [&](bool spectrum) {
    const auto& boxes = spectrum ? spectrum_boxes_ : field_boxes_;
    bool same = !boxes.empty();
    for (std::size_t r = 0; r < boxes.size() && same; ++r) {
      auto own = own_box(spectrum, r);
      if (!spectrum) own.row = boxes[r].row;  // a pass can read and write rows of any length
      same = same_layout(own, boxes[r]);
    }
    return same;
  };
  std::vector<std::pair<Decomposition, std::size_t>> layouts{{options_.decomposition, options_.rows}};
  if (options_.decomposition == Decomposition::automatic && !(field_boxes_.empty() && spectrum_boxes_.empty())) {
    layouts.emplace_back(Decomposition::slabs, 0);
    const auto ranks = static_cast<std::size_t>(transport_.size());
    for (std::size_t rows = 1; rows < ranks; ++rows)
      if (ranks % rows == 0) layouts.emplace_back(Decomposition::pencils, rows);
  }
  const auto nodes = options_.rank_order == RankOrder::by_node ? nodes_of(transport_) : std::vector<int>();
  auto best = layouts.front();
  int most = -1;
  bool field_is_own = false, spectrum_is_own = false, transposed = false;
  for (const auto& layout : layouts) {
    std::tie(options_.decomposition, options_.rows) = layout;
    place_ranks(nodes);
    const bool of_field = is_own(false);
    transposed_ = false;
    bool of_spectrum = is_own(true);
    // A spectrum that is sent on anyway needs no transposition before.
    if (!of_spectrum && !spectrum_boxes_.empty()) {
      transposed_ = true;
      of_spectrum = is_own(true);
    }
    if (const int own = int{of_field} + int{of_spectrum}; own > most) {
      most = own;
      best = layout;
      field_is_own = of_field;
      spectrum_is_own = of_spectrum;
      transposed = spectrum_boxes_.empty() ? options_.transposed : transposed_;
    }
  }
  std::tie(options_.decomposition, options_.rows) = best;
  place_ranks(nodes);
  transposed_ = transposed;
  grid_ = grid_of(rank);
  field_ = field_boxes_.empty() ? own_box(false, rank) : field_boxes_[rank];
  spectrum_ = spectrum_boxes_.empty() ? own_box(true, rank) : spectrum_boxes_[rank];
  if (!is_complex && options_.padded) field_.row = 2 * waves()[2];
  if (field_is_own) field_boxes_.clear();
  if (spectrum_is_own) spectrum_boxes_.clear();
}

template <class Value>
void Fft<Value>::plan(bool forward) {
  auto& passes = forward ? forward_ : inverse_;
  if (!passes.empty()) return;
  const Shape shape{
      .size = size_,
      .grid = grid_,
      .ranks = ranks_,
      .real = !is_complex,
      .row = sends_field() || field_.size() == 0 ? size_[2] : field_.row,  // no points: the box has no rows
      .transposed = transposed_,
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
    arriving_[forward] = make_reshape(!forward, true);
    leaving_[forward] = make_reshape(forward, false);
  });
  passes = std::move(made);
}

// Outwards in rounds of 256 KiB a rank, at most 8; without a window nothing may overlap.
template <class Value>
std::unique_ptr<Reshape> Fft<Value>::make_reshape(bool spectrum, bool inwards) {
  const auto& outer = spectrum ? spectrum_boxes_ : field_boxes_;
  if (outer.empty()) return nullptr;
  ReshapePlan plan{.outer = outer,
                   .inner = {},
                   .inwards = inwards,
                   .element_bytes = spectrum ? sizeof(Complex) : sizeof(Value),
                   .type = spectrum ? ElementType::of<Complex>() : ElementType::of<Value>(),
                   .memory = reinterpret_cast<std::byte*>(staged_.data())};
  for (std::size_t r = 0; r < outer.size(); ++r) plan.inner.push_back(own_box(spectrum, r));
  const auto bytes = points() * sizeof(Value) / outer.size();
  if (!inwards && options_.window > 0) plan.rounds = std::clamp<std::size_t>(bytes >> 18, 1, 8);
  return std::make_unique<Reshape>(
      space_, plan,
      ExchangeOptions{.messages = {.shared_memory = options_.carrier == Carrier::shared_memory},
                      .progress = options_.progress,
                      .timeline = options_.timeline});
}

template <class Value>
void Fft<Value>::make_scratch(const Shape& shape) {
  if (scratch_[0].size() > 0) return;
  const auto rank = static_cast<std::size_t>(transport_.rank());
  const auto field_bytes = sends_field() ? own_box(false, rank).size() * sizeof(Value) : 0;
  const auto spectrum_size = sends_spectrum() ? own_box(true, rank).size() : 0;
  staged_ = Buffer<Complex>(std::max((field_bytes + sizeof(Complex) - 1) / sizeof(Complex), spectrum_size));
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
  auto* const arriving = communicate ? arriving_[forward].get() : nullptr;
  auto* const leaving = communicate ? leaving_[forward].get() : nullptr;
  const auto timed = [](double& sum, const auto& action) {
    const double from = now_seconds();
    action();
    sum += now_seconds() - from;
  };
  const auto field_bytes = field().size() * sizeof(Value), spectrum_bytes = spectrum().size() * sizeof(Complex);
  for (std::size_t b = 0; b < options_.batch; ++b) {
    const auto* from = static_cast<const std::byte*>(in) + b * (forward ? field_bytes : spectrum_bytes);
    auto* to = static_cast<std::byte*>(out) + b * (forward ? spectrum_bytes : field_bytes);
    if (arriving) timed(seconds.pack, [&] { arriving->start(const_cast<std::byte*>(from)); });
    for (std::size_t k = 0; k < passes.size(); ++k) {
      const bool first = k == 0, last = k + 1 == passes.size();
      Run r{.factor = factor_of(options_.normalisation, forward, points()),
            .progress = options_.progress.get(),
            .compute = compute,
            .communicate = communicate,
            .seconds = &seconds};
      r.in = !first               ? scratch_[(k - 1) % 2].data()
             : arriving_[forward] ? staged_.data()
                                  : static_cast<const void*>(from);
      r.work = scratch_[k % 2].data();
      r.out = !last ? r.work : leaving_[forward] ? staged_.data() : static_cast<void*>(to);
      if (first && arriving) r.need = [arriving] { arriving->need(); };
      if (last && leaving) {
        r.give = [&](std::size_t planes) { timed(seconds.pack, [&] { leaving->give(planes); }); };
        timed(seconds.pack, [&] { leaving->start(to); });
      }
      passes[k]->run(r);
      if (first && arriving) timed(seconds.wait, [&] { arriving->finish(); });
      if (last && leaving) timed(seconds.wait, [&] { leaving->finish(); });
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
