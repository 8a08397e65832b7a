// SPDX-License-Identifier: BSD-3-Clause
#include "programs/session.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <nanobind/stl/string.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/progress_gate.hpp"
#include "weft/transport/timeout.hpp"
#include "weft/warning.hpp"

namespace weft::python {

namespace {

/// An error that only this rank has leaves the others waiting, so it ends the job, as in the programs.
[[noreturn]] void abort_job(MPI_Comm comm, int rank, const char* what) {
  std::fflush(stdout);
  std::fprintf(stderr, "error on rank %d: %s\n", rank, what);
  std::fflush(stderr);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  MPI_Abort(comm, 1);
  std::abort();
}

/// A time-out of this process, until the object is destroyed.
class WithTimeout {
 public:
  explicit WithTimeout(double seconds) : before_(timeout().limit()) { timeout().set_limit(seconds); }
  WithTimeout(const WithTimeout&) = delete;
  WithTimeout& operator=(const WithTimeout&) = delete;
  ~WithTimeout() { timeout().set_limit(before_); }

 private:
  double before_;
};

/// As in the programs if WEFT_GIVE_UP_SECONDS is set; otherwise the present one.
double wanted_timeout() {
  const char* text = std::getenv("WEFT_GIVE_UP_SECONDS");
  if (text == nullptr || *text == 0) return timeout().limit();
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (*end != 0 || !(seconds >= 0 && seconds <= 1e7))
    throw InputError("WEFT_GIVE_UP_SECONDS is not a time. Give 0 to 1e7 seconds (0: no time-out).", true);
  return seconds;
}

/// Other arguments on some ranks would make the ranks wait for each other forever.
void check_arguments(Transport& world, const std::string& mine) {
  const auto all = all_gather(world, static_cast<std::uint64_t>(std::hash<std::string>()(mine)));
  for (std::size_t r = 0; r < all.size(); ++r)
    if (all[r] != all.front())
      throw InputError(
          fmt::format("case.run() has another case or other arguments on rank {} than on rank 0. Give the same on all "
                      "ranks, or a communicator of the ranks that run this case.",
                      r),
          true);
}

}  // namespace

/// What the ranks' calls of on_step ended with. One reduction that is created once: Open MPI keeps some memory of every
/// collective that is created.
class Session::Agreement {
 public:
  struct Verdict {
    bool failed, stops, same_changes;
  };
  explicit Agreement(Transport& world)
      : operation_(world.collective(Collective::all_reduce(
            std::span<const std::uint64_t>(mine_), std::span<std::uint64_t>(all_), maximum<std::uint64_t>()))) {}
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;

  Verdict of(bool failed, bool stops, std::uint64_t changes) {
    mine_ = {failed ? 1U : 0U, stops ? 1U : 0U, changes, ~changes};
    complete(*operation_);
    return {all_[0] > 0, all_[1] > 0, all_[2] == ~all_[3]};
  }

 private:
  std::array<std::uint64_t, 4> mine_{}, all_{};
  std::unique_ptr<Operation> operation_;
};

// The module _core initialises MPI if nobody has, and finalises it at exit. This module ends its own threads before.
void start_mpi() {
  const nb::object core = nb::module_::import_("weft._native").attr("load")("_core");
  core.attr("rank")();
  static bool is_ending_arranged = false;
  if (std::exchange(is_ending_arranged, true)) return;
  // This module has a library weft of its own: its warnings go where those of _core go (weft.set_warning_handler).
  static auto& warn_of_core = *new nb::object(core.attr("_warn"));
  set_warning_handler([](const std::string& text) {
    const nb::gil_scoped_acquire held;
    warn_of_core(text);
  });
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([of = ::getpid()] {
    if (::getpid() != of) return;  // a forked process has no threads
    ProgressGate::of_process().close();
    set_warning_handler({});
  }));
}

nb::dict Session::table(const std::string& name) const {
  nb::dict result;
  const auto found = tables_.find(name);
  if (found == tables_.end()) return result;
  const auto& [columns, steps, values] = found->second;
  const auto rows = steps.size(), width = columns.size() - 1;
  result[columns[0].c_str()] = array_of(steps, {rows});
  for (std::size_t k = 0; k < width; ++k) {
    std::vector<double> column(rows);
    for (std::size_t row = 0; row < rows; ++row) column[row] = values[row * width + k];
    result[columns[k + 1].c_str()] = array_of(std::move(column), {rows});
  }
  return result;
}

std::vector<std::string> Session::tables() const {
  std::vector<std::string> names;
  for (const auto& [name, table] : tables_) names.push_back(name);
  return names;
}

nb::dict Session::last_row(const std::string& name) const {
  nb::dict result;
  const auto found = tables_.find(name);
  if (found == tables_.end() || found->second.steps.empty()) return result;
  const auto& [columns, steps, values] = found->second;
  const auto width = columns.size() - 1;
  result[columns[0].c_str()] = steps.back();
  for (std::size_t k = 0; k < width; ++k) result[columns[k + 1].c_str()] = values[values.size() - width + k];
  return result;
}

program::RunSettings Session::settings() const {
  program::RunSettings settings;
  settings.files = files;
  settings.quiet = !progress;
  if (restart) settings.restart = *restart;
  return settings;
}

void Session::watch(program::RunFrame& frame) {
  frame.on_row([this](const std::string& table, const std::vector<std::string>& columns, std::int64_t step_of_row,
                      std::span<const double> values) {
    const nb::gil_scoped_acquire locked;  // another thread may read the table
    auto& kept = tables_[table];
    if (kept.columns.empty()) kept.columns = columns;
    kept.steps.push_back(step_of_row);
    kept.values.insert(kept.values.end(), values.begin(), values.end());
  });
  const bool calls = on_step.is_valid() && !on_step.is_none();
  // Freed with the frame, before its communicator.
  const auto agreement = calls ? std::make_shared<Agreement>(frame.world()) : nullptr;
  frame.between_steps([this, &frame, agreement](std::int64_t done) {
    step = done;
    check_signals();
    return !agreement || done % every != 0 || between_steps(frame.world(), *agreement);
  });
}

void Session::take(const program::RunEnd& end) {
  first_step = end.from_step, step = steps = end.steps, seconds = end.seconds;
  for (const auto& file : end.files)
    if (!file.empty()) written.push_back(file.string());
}

void Session::warn(const std::string& text) const {
  const nb::gil_scoped_acquire locked;
  if (on_warning.is_valid() && !on_warning.is_none()) on_warning(text);
}

void Session::check_between_steps() const {
  if (is_running && !is_in_call_)
    throw Error(
        "The run is between two calls of on_step, and changes its fields. Read them in on_step, or after the run.");
}

// With several ranks a signal reaches one of them only, and their launcher ends the job.
void Session::check_signals() {
  constexpr double interval = 0.1;
  if (ranks > 1 || now_seconds() - signals_checked_ < interval) return;
  signals_checked_ = now_seconds();
  const nb::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() == 0) return;
  raised_ = std::make_unique<nb::python_error>();
  throw Error("The run was interrupted.", true);
}

namespace {

// One line for the other ranks. The exception's own text may be impossible to make.
std::string text_of(const nb::python_error& error) {
  const nb::str name(error.type().attr("__name__"));
  std::string text = name.c_str();
  try {
    text += ": " + nb::cast<std::string>(nb::str(error.value()));
  } catch (const std::exception&) {
    PyErr_Clear();
  }
  return text;
}

}  // namespace

// Returns whether the run shall go on, on this rank.
bool Session::call() {
  const nb::gil_scoped_acquire locked;
  is_in_call_ = true;
  try {
    enter();
    const nb::object result = on_step();
    const bool goes_on = !(nb::isinstance<nb::bool_>(result) && !nb::cast<bool>(result));
    leave(true);
    is_in_call_ = false;
    return goes_on;
  } catch (nb::python_error& e) {
    leave(false);
    is_in_call_ = false;
    const auto text = text_of(e);
    raised_ = std::make_unique<nb::python_error>(std::move(e));
    throw Error(
        fmt::format("on_step raised an exception on rank {} ({}). The run has ended on all ranks.", rank, text));
  }
}

// Returns whether the run goes on, on all ranks.
bool Session::between_steps(Transport& world, Agreement& agreement) {
  const WithTimeout without(0);  // on_step may take any time on another rank
  get_ready();
  bool stops = false;
  std::string failure;
  try {
    stops = !call();
  } catch (const Error& e) {
    failure = e.what();
  }
  const auto all = agreement.of(!failure.empty(), stops, changes());
  if (all.failed)
    together(world, [&] {
      if (!failure.empty()) throw Error(failure);
    });
  // Otherwise the ranks' fields would not fit together.
  if (!all.same_changes)
    throw InputError(
        "on_step made other changes on some ranks (all ranks must make the same). Compute the values from sums over "
        "all ranks, or send them from one rank.",
        true);
  make_changes();
  stopped = stopped || all.stops;
  return !all.stops;
}

void Session::run(const Document& document, std::optional<std::int64_t> communicator) {
  if (is_running || is_over) throw Error("This run has already been started. Call case.run() again.");
  start_mpi();
  if (communicator && !std::in_range<MPI_Fint>(*communicator))
    throw InputError(fmt::format("comm is {}, which is no handle. Give a communicator, or its py2f().", *communicator));
  MPI_Comm parent = communicator ? MPI_Comm_f2c(static_cast<MPI_Fint>(*communicator)) : MPI_COMM_WORLD;
  if (parent == MPI_COMM_NULL) throw InputError("The communicator is MPI.COMM_NULL. Give one that has this rank.");
  int is_inter = 0;
  MPI_Comm_test_inter(parent, &is_inter);
  if (is_inter != 0)
    throw InputError(
        "The communicator is an intercommunicator (of two groups of ranks). Give one of a single group, "
        "such as that of Intercomm.Merge().");
  MPI_Comm_rank(parent, &rank);
  MPI_Comm_size(parent, &ranks);
  std::exception_ptr failure;
  is_running = true;
  {
    const nb::gil_scoped_release unlocked;
    try {
      mpi::Communicator world(parent);
      check_arguments(world, arguments);
      const WithTimeout limited(wanted_timeout());
      run_in(world, document);
    } catch (const Error& e) {
      if (ranks > 1 && !e.everywhere()) {
        if (dynamic_cast<const PeerError*>(&e) != nullptr)  // the rank that failed prints first
          std::this_thread::sleep_for(std::chrono::seconds(2));
        abort_job(parent, rank, e.what());
      }
      failure = std::current_exception();
    } catch (const std::exception& e) {
      if (ranks > 1) abort_job(parent, rank, e.what());
      failure = std::current_exception();
    }
  }
  is_running = false;
  is_over = true;
  on_step.reset();
  on_warning.reset();
  if (raised_) {
    raised_->restore();
    raised_.reset();
    failure = nullptr;
    nb::raise_python_error();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace weft::python
