// SPDX-License-Identifier: BSD-3-Clause
#include "fft/passes.hpp"

#include <utility>

namespace weft::fft {
namespace {

template <class Real>
class Planner {
 public:
  using Plan = PassPlan<Real>;
  using Serial = SerialTransform<Real>;
  using Kind = typename Serial::Kind;

  Planner(const Shape& s, bool forward)
      : s_(s), nx_(s.x().count), ny_(s.y().count), nz_(s.z().count), ty_(s.y_transposed().count),
        whole_z_(s.spectrum_z()), pitch_(s.pitch(2 * sizeof(Real))),
        complex_(forward ? Kind::forward : Kind::backward) {}

  std::vector<Plan> forward() {
    std::vector<Plan> passes;
    if (slabs()) {
      passes.push_back(x_planes(planes_serial(false)));
      from_field(passes.back());
      across(passes.back(), s_.size[0], s_.size[1], pitch_);
    } else {
      passes.push_back(x_planes(lines_serial(false)));
      from_field(passes.back());
      passes.back().plane = ny_ * whole_z_;
      cut_z(passes.back());
      passes.push_back(x_planes(y_serial(pitch_)));
      across(passes.back(), s_.size[0], s_.size[1], pitch_);
    }
    const auto row = s_.transposed || slabs() ? nz_ : pitch_;  // the result has no padding
    passes.push_back(y_planes(x_serial(pitch_, row)));
    passes.back().plane = s_.size[0] * row;
    if (s_.transposed) {
      passes.back().out_bytes = complex_bytes(s_.size[0] * nz_);
      return passes;
    }
    across(passes.back(), s_.size[1], s_.size[0], row);
    if (slabs()) return passes;
    passes.push_back(x_planes({}));
    join_z(passes.back());
    return passes;
  }

  std::vector<Plan> inverse() {
    std::vector<Plan> passes;
    if (!s_.transposed) {
      if (!slabs()) {
        passes.push_back(x_planes({}));
        passes.back().in_bytes = complex_bytes(ny_ * whole_z_);
        cut_z(passes.back());
      }
      passes.push_back(x_planes(y_serial(slabs() ? nz_ : pitch_)));
      if (slabs()) passes.back().in_bytes = complex_bytes(s_.size[1] * nz_);
      across(passes.back(), s_.size[0], s_.size[1], pitch_);
    }
    passes.push_back(y_planes(x_serial(s_.transposed ? nz_ : pitch_, pitch_)));
    if (s_.transposed) passes.back().in_bytes = complex_bytes(s_.size[0] * nz_);
    across(passes.back(), s_.size[1], s_.size[0], pitch_);
    if (slabs() && !s_.transposed) {  // z is transformed as it arrives
      passes.back().arrive =
          Serial(kind(true), {{s_.size[2], 1, 1}}, {{nx_, pitch_, s_.size[1] * s_.row}}, s_.effort, s_.backend);
      passes.back().out_bytes = value_bytes(s_.row);
    } else if (slabs()) {
      passes.push_back(x_planes(planes_serial(true)));
      passes.back().out_bytes = value_bytes(s_.size[1] * s_.row);
    } else {
      passes.push_back(x_planes(s_.transposed ? y_serial(pitch_) : Serial()));
      join_z(passes.back());
      passes.back().after = lines_serial(true);
      passes.back().out_bytes = value_bytes(ny_ * s_.row);
    }
    return passes;
  }

 private:
  bool slabs() const { return s_.grid.columns == 1; }
  int rank_at(std::size_t row, std::size_t column) const {
    const auto position = row * s_.grid.columns + column;
    return s_.ranks.empty() ? static_cast<int>(position) : s_.ranks[position];
  }
  std::size_t value_bytes(std::size_t n) const { return n * (s_.real ? sizeof(Real) : 2 * sizeof(Real)); }
  static std::size_t complex_bytes(std::size_t n) { return n * 2 * sizeof(Real); }
  Kind kind(bool backward) const { return s_.real ? (backward ? Kind::real_backward : Kind::real_forward) : complex_; }
  // From the field's rows to the spectrum's, or the reverse.
  static Axis axis(std::size_t count, std::size_t field, std::size_t spectrum, bool backward) {
    return backward ? Axis{count, spectrum, field} : Axis{count, field, spectrum};
  }
  Serial lines_serial(bool backward) const {
    return Serial(kind(backward), {{s_.size[2], 1, 1}}, {axis(ny_, s_.row, whole_z_, backward)}, s_.effort, s_.backend);
  }
  Serial planes_serial(bool backward) const {
    return Serial(kind(backward), {axis(s_.size[1], s_.row, pitch_, backward), {s_.size[2], 1, 1}}, {}, s_.effort,
                  s_.backend);
  }
  Serial y_serial(std::size_t in_row) const { return across_rows(s_.size[1], in_row, pitch_); }
  Serial x_serial(std::size_t in_row, std::size_t out_row) const { return across_rows(s_.size[0], in_row, out_row); }
  Serial across_rows(std::size_t count, std::size_t in_row, std::size_t out_row) const {
    return Serial(complex_, {{count, in_row, out_row}}, {{nz_, 1, 1}}, s_.effort, s_.backend);
  }

  // A pass over planes [y whole][z] for each x.
  Plan x_planes(Serial before) const { return planes(nx_, s_.size[0], s_.size[1], std::move(before)); }
  // A pass over planes [x whole][z] for each y.
  Plan y_planes(Serial before) const {
    auto p = planes(ty_, s_.size[1], s_.size[0], std::move(before));
    p.scaled = true;
    return p;
  }
  // This rank's share of planes that the ranks of a column divide, each plane with so many rows.
  Plan planes(std::size_t mine, std::size_t all, std::size_t rows, Serial before) const {
    Plan p;
    p.planes = mine;
    p.fewest_planes = block(all, s_.grid.rows, s_.grid.rows - 1).count;
    p.most_planes = block(all, s_.grid.rows, 0).count;
    p.plane = rows * pitch_;
    p.in_bytes = complex_bytes(p.plane);
    p.before = std::move(before);
    return p;
  }
  void from_field(Plan& p) const { p.in_bytes = value_bytes(ny_ * s_.row); }

  // From planes [v whole][z] for each u, to planes [u whole][z] for each v, with this distance between rows of z in
  // both; among the ranks of a column. Padding is sent too.
  void across(Plan& p, std::size_t u_size, std::size_t v_size, std::size_t row) const {
    const auto mine = block(v_size, s_.grid.rows, s_.grid.row);
    for (std::size_t q = 0; q < s_.grid.rows; ++q) {
      const auto u = block(u_size, s_.grid.rows, q), v = block(v_size, s_.grid.rows, q);
      p.lanes.push_back({.peer = rank_at(q, s_.grid.column),
                         .give = {v.first * row, v.count, row, row},
                         .planes = u.count,
                         .first = u.first,
                         .take = {u.first * row, mine.count, row, u_size * row},
                         .take_stride = row});
    }
  }
  // From planes [y][z whole] to planes [y whole][z]; among the ranks of a row, which have the same x.
  void cut_z(Plan& p) const {
    p.plane = ny_ * whole_z_;
    for (std::size_t q = 0; q < s_.grid.columns; ++q) {
      const auto y = block(s_.size[1], s_.grid.columns, q), z = block(whole_z_, s_.grid.columns, q);
      p.lanes.push_back({.peer = rank_at(s_.grid.row, q),
                         .give = {z.first, ny_, z.count, whole_z_},
                         .planes = nx_,
                         .take = {y.first * pitch_, y.count, nz_, pitch_},
                         .take_stride = s_.size[1] * pitch_});
    }
  }
  // The reverse.
  void join_z(Plan& p) const {
    for (std::size_t q = 0; q < s_.grid.columns; ++q) {
      const auto y = block(s_.size[1], s_.grid.columns, q), z = block(whole_z_, s_.grid.columns, q);
      p.lanes.push_back({.peer = rank_at(s_.grid.row, q),
                         .give = {y.first * pitch_, y.count, nz_, pitch_},
                         .planes = nx_,
                         .take = {z.first, ny_, z.count, whole_z_},
                         .take_stride = ny_ * whole_z_});
    }
  }

  const Shape& s_;
  std::size_t nx_, ny_, nz_, ty_, whole_z_, pitch_;
  Kind complex_;
};

}  // namespace

template <class Real>
std::vector<PassPlan<Real>> plan_passes(const Shape& shape, bool forward) {
  Planner<Real> planner(shape, forward);
  return forward ? planner.forward() : planner.inverse();
}

template std::vector<PassPlan<double>> plan_passes(const Shape& shape, bool forward);
template std::vector<PassPlan<float>> plan_passes(const Shape& shape, bool forward);

}  // namespace weft::fft
