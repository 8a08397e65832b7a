// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "program/run_frame.hpp"
#include "programs/document.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::python {

namespace nb = nanobind;

using DoubleArray = nb::ndarray<nb::numpy, double>;

/// A new array of Python with these numbers, which it owns.
template <class T>
nb::object array_of(std::vector<T> values, const std::vector<std::size_t>& shape) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner));
}

/// A table of a run: the rows of this run, on this rank.
struct Table {
  std::vector<std::string> columns{};
  std::vector<std::int64_t> steps{};
  std::vector<double> values{};  ///< row by row, without the step
};

/// What a run in this process shows Python, during the run and afterwards. The subclasses run the programs.
class Session {
 public:
  Session() = default;
  virtual ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Set before the run:
  nb::object on_step{};     ///< called without arguments, or None; returns False to end the run
  nb::object on_warning{};  ///< called with each warning about the case, on rank 0
  std::int64_t every = 1;   ///< steps between two calls
  std::string output{};     ///< folder of the files; empty: as in the case
  bool files = true;
  bool progress = false;
  std::optional<std::string> restart{};  ///< as RunSettings::restart
  std::string arguments{};               ///< all of case.run(), and the case: must be the same on all ranks

  // Of the run:
  std::int64_t first_step = 0, step = 0, steps = 0;
  int rank = 0, ranks = 1;
  double seconds = 0;
  bool is_running = false, is_over = false;
  bool converged = false, stopped = false;
  std::vector<std::string> written{};  ///< files

  /// The columns of a table as arrays, by name.
  nb::dict table(const std::string& name) const;
  std::vector<std::string> tables() const;
  /// The last row of a table, by column; empty if there is none yet.
  nb::dict last_row(const std::string& name) const;

  /// Runs the case on this communicator (Fortran's handle, negative for many of MPICH's; without: all ranks).
  /// Collective. The GIL is released.
  void run(const Document& document, std::optional<std::int64_t> communicator);

 protected:
  /// The program's run, without the GIL.
  virtual void run_in(mpi::Communicator& world, const Document& document) = 0;
  /// Connects tables and callbacks with a frame.
  void watch(program::RunFrame& frame);
  void warn(const std::string& text) const;
  /// Throws an Error if another thread asks for fields while the steps run.
  void check_between_steps() const;
  program::RunSettings settings() const;
  /// Keeps the run's numbers.
  void take(const program::RunEnd& end);
  /// Before on_step on all ranks, without the GIL. Collective.
  virtual void get_ready() {}
  /// Before and after on_step on this rank, with the GIL.
  virtual void enter() {}
  virtual void leave(bool) {}
  /// The changes to the run that this rank's on_step wants, as a number that differs for other changes.
  virtual std::uint64_t changes() const { return 0; }
  /// Makes the changes, after on_step on all ranks, which want the same ones. Without the GIL.
  virtual void make_changes() {}

 private:
  class Agreement;
  bool between_steps(Transport& world, Agreement& agreement);
  bool call();
  void check_signals();

  std::map<std::string, Table> tables_{};
  std::unique_ptr<nb::python_error> raised_{};
  bool is_in_call_ = false;
  double signals_checked_ = 0;
};

/// Starts MPI, unless it is already running, and ends it when Python ends.
void start_mpi();

}  // namespace weft::python
