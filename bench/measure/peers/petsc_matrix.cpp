// SPDX-License-Identifier: BSD-3-Clause
//
// The product of a sparse matrix and a vector: PETSc's MatMult against a product by rows with weft::MatrixGraph. The
// matrix is a 27-point stencil on blocks of n^3 points per rank, with numbers that ascend rank by rank. In both the
// interior is computed while values of other ranks are in flight: in PETSc all entries whose column is owned, with weft
// all rows without other columns. The turns are interleaved in one run, and the products compared. The last line of the
// output is a JSON object with medians in us. Built by bench/measure/prepare.py; on any number of ranks:
//
//   petsc_matrix [--points N] [--seconds S]
#include <mpi.h>
#include <petscmat.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "bench/shared/rotation.hpp"
#include "weft/error.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/graph/matrix_graph.hpp"
#include "weft/halo/cartesian_grid.hpp"
#include "weft/mpi/main.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

void check(PetscErrorCode error) {
  if (error) throw Error("PETSc reports error " + std::to_string(static_cast<int>(error)) + ".");
}

struct Rows {
  Rows(const Transport& world, std::size_t n) {
    const auto size = static_cast<std::size_t>(world.size());
    const auto processes = CartesianGrid(world, {.extent = {n * size, n * size, n * size}}).processes();
    std::vector<std::size_t> extent;
    for (const int p : processes) extent.push_back(n * static_cast<std::size_t>(p));
    const CartesianGrid grid(world, {.extent = extent, .processes = {processes.begin(), processes.end()}});
    const auto first = grid.block().first;
    const auto number_of = [&](const Index& p) {
      const auto owner =
          (p[0] / n * static_cast<std::size_t>(processes[1]) + p[1] / n) * static_cast<std::size_t>(processes[2]) +
          p[2] / n;
      return owner * n * n * n + (p[0] % n * n + p[1] % n) * n + p[2] % n;
    };
    for (std::size_t i = 0; i < n * n * n; ++i) {
      const Index at{first[0] + i / (n * n), first[1] + i / n % n, first[2] + i % n};
      owned.push_back(number_of(at));
      const auto begin = columns.size();
      for (std::size_t d = 0; d < 27; ++d) {
        const Index to{at[0] + d / 9 - 1, at[1] + d / 3 % 3 - 1, at[2] + d % 3 - 1};  // below 0: huge
        if (to[0] < extent[0] && to[1] < extent[1] && to[2] < extent[2]) columns.push_back(number_of(to));
      }
      std::sort(columns.begin() + static_cast<std::ptrdiff_t>(begin), columns.end());
      for (auto k = begin; k < columns.size(); ++k) values.push_back(columns[k] == owned.back() ? 26 : -1);
      starts.push_back(columns.size());
    }
  }
  std::vector<std::uint64_t> owned, columns;
  std::vector<std::size_t> starts{0};
  std::vector<double> values;
};

double x_of(std::uint64_t number) { return static_cast<double>(number * 7919 % 1009) / 1009; }

class WithWeft {
 public:
  WithWeft(Transport& world, const Rows& rows, const MessageOptions& messages)
      : rows_(rows), matrix_(world, rows.owned, rows.starts, rows.columns),
        starts_(rows.starts.begin(), rows.starts.end()), x_(rows.owned.size() + matrix_.copies.size()),
        y_(rows.owned.size()), exchange_(world, {.messages = messages}) {
    std::ranges::transform(rows.owned, x_.begin(), x_of);
    const std::span x(x_);
    matrix_.graph.to_copies(exchange_.client("x"), 0, x.first(y_.size()), x.subspan(y_.size()));
    exchange_.commit();
  }
  void multiply() {
    auto messages = exchange_.start();
    messages.ready_all(0, 0);
    multiply(matrix_.interior);
    messages.wait();
    multiply(matrix_.edge);
  }
  const std::vector<double>& y() const { return y_; }

 private:
  void multiply(const std::vector<std::uint32_t>& some) {
    const double *x = x_.data(), *values = rows_.values.data();
    const auto* columns = matrix_.columns.data();
    for (const auto i : some) {
      double sum = 0;
      for (auto k = starts_[i], end = starts_[i + 1]; k < end; ++k) sum += values[k] * x[columns[k]];
      y_[i] = sum;
    }
  }
  const Rows& rows_;
  MatrixGraph matrix_;
  std::vector<std::uint32_t> starts_;
  std::vector<double> x_, y_;
  Exchange exchange_;
};

class WithPetsc {
 public:
  WithPetsc(MPI_Comm comm, const Rows& rows) {
    const auto n = static_cast<PetscInt>(rows.owned.size());
    const std::vector<PetscInt> starts(rows.starts.begin(), rows.starts.end());
    const std::vector<PetscInt> columns(rows.columns.begin(), rows.columns.end());
    check(MatCreateMPIAIJWithArrays(comm, n, n, PETSC_DETERMINE, PETSC_DETERMINE, starts.data(), columns.data(),
                                    rows.values.data(), &matrix_));
    check(MatCreateVecs(matrix_, &x_, &y_));
    double* x = nullptr;
    check(VecGetArray(x_, &x));
    std::ranges::transform(rows.owned, x, x_of);
    check(VecRestoreArray(x_, &x));
  }
  WithPetsc(const WithPetsc&) = delete;
  WithPetsc& operator=(const WithPetsc&) = delete;
  ~WithPetsc() {
    PetscCallAbort(PETSC_COMM_SELF, VecDestroy(&x_));
    PetscCallAbort(PETSC_COMM_SELF, VecDestroy(&y_));
    PetscCallAbort(PETSC_COMM_SELF, MatDestroy(&matrix_));
  }
  void multiply() { check(MatMult(matrix_, x_, y_)); }
  std::vector<double> y() const {
    const double* y = nullptr;
    PetscInt n = 0;
    check(VecGetLocalSize(y_, &n));
    check(VecGetArrayRead(y_, &y));
    std::vector<double> all(y, y + n);
    check(VecRestoreArrayRead(y_, &y));
    return all;
  }

 private:
  Mat matrix_ = nullptr;
  Vec x_ = nullptr, y_ = nullptr;
};

void compare(mpi::Communicator& world, std::size_t points, double seconds) {
  const Rows rows(world, points);
  WithWeft weft(world, rows, {}), in_memory(world, rows, {.shared_memory = true});
  WithPetsc petsc(world.handle(), rows);
  weft.multiply();
  in_memory.multiply();
  petsc.multiply();
  const auto wanted = petsc.y();
  double error = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    error = std::max({error, std::abs(weft.y()[i] - wanted[i]), std::abs(in_memory.y()[i] - wanted[i])});
  if (all_reduce(world, error, maximum<double>()) > 1e-10) throw Error("The products differ.", true);
  std::vector<Timed> turns{{"weft", [&] { weft.multiply(); }},
                           {"weft, shared memory", [&] { in_memory.multiply(); }},
                           {"PETSc", [&] { petsc.multiply(); }}};
  time_in_turns(world, turns, {.seconds = seconds});
  if (world.rank() != 0) return;
  std::string json;
  for (const auto& turn : turns) {
    const auto us = scaled(turn.spread(), 1e6);
    std::printf("%s: %.2f us (%.2f, %.2f)\n", turn.name.c_str(), us.median, us.low, us.high);
    json += "\"" + turn.name + "\": " + std::to_string(us.median) + ", ";
  }
  std::printf("{%s\"weft / PETSc\": %.4f, \"weft, shared memory / PETSc\": %.4f}\n", json.c_str(),
              ratio(turns[0], turns[2]).median, ratio(turns[1], turns[2]).median);
}

int program(mpi::Communicator& world, int argc, char** argv) {
  std::size_t points = 48;
  double seconds = 10;
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string_view word(argv[k]);
    if (word == "--points")
      points = static_cast<std::size_t>(std::atoi(argv[k + 1]));
    else if (word == "--seconds")
      seconds = std::atof(argv[k + 1]);
    else
      throw InputError("Wrong options. Use --points N and --seconds S.", true);
  }
  check(PetscInitializeNoArguments());
  compare(world, points, seconds);
  check(PetscFinalize());
  return 0;
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  const auto run = [&](weft::mpi::Communicator& world) { return weft::bench::program(world, argc, argv); };
  return weft::main(argc, argv, run, false);  // no MPI calls from other threads: MPI takes no locks
}
