// SPDX-License-Identifier: BSD-3-Clause
//
// docs/howto/graph.md: a sparse matrix, of which each rank has some rows, times a vector; and Poisson's equation on the
// unit square by pipelined conjugate gradients. (P. Ghysels, W. Vanroose: Hiding global synchronization latency in the
// preconditioned Conjugate Gradient algorithm, Parallel Computing 40, 2014.)
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include "weft/weft.hpp"

namespace {

constexpr std::uint64_t n = 64;  // points along each axis; the boundary, where the solution is 0, lies beyond
constexpr double h = 1.0 / (n + 1);

// x(1 - x) y(1 - y): the matrix's differences of it are exact.
double solution(std::uint64_t number) {
  const double x = h * static_cast<double>(number / n + 1), y = h * static_cast<double>(number % n + 1);
  return x * (1 - x) * y * (1 - y);
}
double right_side(std::uint64_t number) {
  const double x = h * static_cast<double>(number / n + 1), y = h * static_cast<double>(number % n + 1);
  return 2 * (x * (1 - x) + y * (1 - y));
}

// This rank's rows: those of some blocks of 64 unknowns.
struct Rows {
  explicit Rows(const weft::Transport& world) {
    const auto size = static_cast<std::uint64_t>(world.size()), rank = static_cast<std::uint64_t>(world.rank());
    for (std::uint64_t number = 0; number < n * n; ++number)
      if (number / 64 * 7 / 5 % size == rank) add(number);
  }
  void add(std::uint64_t number) {
    owned.push_back(number);
    const auto entry = [&](std::uint64_t column, double value) {
      columns.push_back(column);
      values.push_back(value / (h * h));
    };
    if (number >= n) entry(number - n, -1);
    if (number % n > 0) entry(number - 1, -1);
    entry(number, 4);
    if (number % n + 1 < n) entry(number + 1, -1);
    if (number + n < n * n) entry(number + n, -1);
    starts.push_back(columns.size());
  }
  std::vector<std::uint64_t> owned, columns;
  std::vector<std::size_t> starts{0};
  std::vector<double> values;
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {  // of the shorter one's length
  double sum = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) sum += a[i] * b[i];
  return sum;
}

int solve(weft::mpi::Communicator& world) {
  const Rows rows(world);
  // [matrix]
  // rows.owned: the numbers of my rows; rows.starts, columns, values: compressed rows, with global columns
  const weft::MatrixGraph matrix(world, rows.owned, rows.starts, rows.columns);
  const auto count = rows.owned.size();
  std::vector<double> w(count + matrix.copies.size()), q(count);  // behind my values of w: copies of others
  const auto multiply = [&](const std::vector<std::uint32_t>& some) {
    for (const auto i : some) {
      q[i] = 0;
      for (auto k = rows.starts[i]; k < rows.starts[i + 1]; ++k) q[i] += rows.values[k] * w[matrix.columns[k]];
    }
  };
  const std::span owned(w.data(), count), copies(w.data() + count, matrix.copies.size());
  // [matrix end]

  std::ranges::transform(rows.owned, w.begin(), right_side);
  const auto right = q = {owned.begin(), owned.end()};
  // [product]
  weft::GraphExchange exchange(world, matrix.graph, {{owned, copies}});
  exchange.start();
  multiply(matrix.interior);  // the copies are in flight
  exchange.finish();
  multiply(matrix.edge);  // q = A w
  // [product end]

  std::vector<double> x(count), r = right, p(count), s(count), z(count);  // r: the residual of x = 0
  std::ranges::copy(q, w.begin());
  // [gradients]
  weft::Exchange step(world);
  auto& client = step.client("conjugate gradients");
  std::array<double, 2> mine{}, sums{};
  client.all_reduce(std::span<const double>(mine), std::span<double>(sums), weft::sum<double>());
  matrix.graph.to_copies(client, 1, owned, copies);
  step.commit();
  // [gradients end]
  double last = 0, alpha = 0;
  int steps = 0;
  for (; steps < 1000; ++steps) {
    // [gradient]
    mine = {dot(r, r), dot(w, r)};
    auto messages = step.start();
    messages.ready_all(0, 0);
    multiply(matrix.interior);  // the copies and the sums are in flight
    messages.wait();
    multiply(matrix.edge);
    // [gradient end]
    const auto [rr, wr] = sums;
    if (rr < 1e-24 * static_cast<double>(n * n)) break;
    const double beta = steps == 0 ? 0 : rr / last;
    alpha = rr / (steps == 0 ? wr : wr - beta * rr / alpha);
    last = rr;
    for (std::size_t i = 0; i < count; ++i) {
      z[i] = q[i] + beta * z[i];  // A A p
      s[i] = w[i] + beta * s[i];  // A p
      p[i] = r[i] + beta * p[i];
      x[i] += alpha * p[i];
      r[i] -= alpha * s[i];
      w[i] -= alpha * z[i];  // A r
    }
  }

  // Of each column the sum of its entries, of which every rank has some.
  std::vector<double> column_sums(count + matrix.copies.size());
  for (std::size_t k = 0; k < rows.columns.size(); ++k) column_sums[matrix.columns[k]] += rows.values[k];
  // [assembly]
  const std::span own_sums(column_sums.data(), count);
  const std::span sums_for_others(column_sums.data() + count, matrix.copies.size());
  weft::GraphExchange assembly(world, matrix.graph, {{own_sums, sums_for_others, weft::sum<double>()}},
                               weft::GraphFlow::to_owners);
  assembly.start();
  assembly.finish();
  // [assembly end]
  double error = 0;
  std::ranges::fill(w, 1);
  multiply(matrix.interior);
  multiply(matrix.edge);  // of ones: the sums of the rows, which are those of the columns
  for (std::size_t i = 0; i < count; ++i) error = std::max(error, std::abs(q[i] - column_sums[i]));

  for (std::size_t i = 0; i < count; ++i) error = std::max(error, std::abs(x[i] - solution(rows.owned[i])));
  error = weft::all_reduce(world, error, weft::maximum<double>());
  if (world.rank() == 0) {
    std::printf("%d steps, largest error %.1e\n", steps, error);
    std::printf("%s\n", error < 1e-10 ? "This is the solution." : "This is not the solution.");
  }
  return error < 1e-10 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return weft::main(argc, argv, solve); }
