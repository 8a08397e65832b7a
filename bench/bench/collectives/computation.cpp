// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/computation.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "weft/simulated.hpp"

namespace weft::bench::collectives {
namespace {

constexpr std::size_t per_unit = 512;  // multiplications, at least

class MatrixVector final : public Computation {
 public:
  explicit MatrixVector(std::size_t rows)
      : rows_(rows), matrix_(rows * rows, 0.5 / static_cast<double>(rows)), in_(rows, 1.0), out_(rows) {}
  std::string name() const override { return "matrix_vector"; }
  [[gnu::noinline]] void unit() override {
    if constexpr (simulated::here) return simulated::compute(1e-6);
    for (std::size_t n = 0; n < per_unit; n += rows_) row();
  }

 private:
  void row() {
    const double* row = matrix_.data() + at_ * rows_;
    double sum = 0;
    for (std::size_t k = 0; k < rows_; ++k) sum += row[k] * in_[k];
    out_[at_] = sum + 0.5;
    if (++at_ < rows_) return;
    at_ = 0;
    std::swap(in_, out_);  // so that each product differs from the last one
  }

  std::size_t rows_, at_ = 0;
  std::vector<double> matrix_, in_, out_;
};

class BusyLoop final : public Computation {
 public:
  std::string name() const override { return "busy_loop"; }
  [[gnu::noinline]] void unit() override {
    if constexpr (simulated::here) return simulated::compute(1e-6);
    for (auto& x : values_) x = last_ = 0.5 * x + 0.5 * last_;
  }

 private:
  std::array<double, 256> values_{};
  // Carried from one unit to the next. Otherwise the core would run two units at once, except when a clock is read
  // between them, and polling would seem to slow the computation down.
  double last_ = 1;
};

}  // namespace

std::unique_ptr<Computation> matrix_vector(int ranks) {
  return std::make_unique<MatrixVector>(static_cast<std::size_t>(ranks));
}
std::unique_ptr<Computation> busy_loop() { return std::make_unique<BusyLoop>(); }

}  // namespace weft::bench::collectives
