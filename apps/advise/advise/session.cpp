// SPDX-License-Identifier: BSD-3-Clause
#include "advise/session.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "advise/helper_thread.hpp"
#include "weft/error.hpp"
#include "weft/file/whole_file.hpp"

namespace weft::advise {

std::atomic<std::int64_t> passing = -1;
Session* session = nullptr;
thread_local int depth __attribute__((tls_model("initial-exec"))) = 0;

namespace {

constexpr std::int64_t clock_every = 1024;

// A wrong setting ends the program before it has begun: one rank says what it is, and none waits for another one.
void end_where_wrong(const std::string& wrong) {
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int mine = wrong.empty() ? ranks : rank, first = ranks;
  PMPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == ranks) return;
  if (rank == first) std::fprintf(stderr, "weft advise: error: %s\n", wrong.c_str());
  PMPI_Finalize();
  std::exit(2);
}

// Whoever ends here without MPI_Finalize is not asked why.
void at_exit() {
  if (session == nullptr) return;
  if (session->rank == 0)
    std::fprintf(stderr, "weft advise: no report, since the program ended without MPI_Finalize.\n");
  drop_session();
}

}  // namespace

Session::Session(const Settings& s, int provided) : settings(s), recorder(s.events) {
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  network = measure_network(comm);
  if (settings.thread) {
    if (provided == MPI_THREAD_MULTIPLE)
      helper = std::make_unique<HelperThread>(), driven = true;
    else if (rank == 0)
      std::fprintf(stderr,
                   "weft advise: no helper thread, since this MPI library does not give MPI_THREAD_MULTIPLE.\n");
  }
}

Session::~Session() { helper.reset(); }

void Session::open_window(std::uint64_t events) {
  window_start_ = recorder.log().count();
  window_end = window_start_ + events;
  window_ticks_ = ticks();
}

void Session::close_window() { seen_ticks += ticks() - window_ticks_; }

// Recording a call costs about as much as it does here, in any program; so all depends on how often it calls.
void Session::rest() {
  constexpr double budget = 0.01, seconds_a_call = 60e-9;
  constexpr std::uint64_t least_window = 16384;
  const auto now = TickScale::Moment::now();
  const double second = static_cast<double>(now.ticks - start.ticks) / (now.seconds - start.seconds);
  const double took = static_cast<double>(now.ticks - window_ticks_) / second;
  const auto calls = static_cast<double>(recorder.log().count() - window_start_);
  const double share = calls * seconds_a_call / took;
  if (share <= budget || helper) {  // the helper has to know what is on its way
    window_end = recorder.log().count() + least_window;
    return;
  }
  close_window();
  recorder.rest();
  const double calls_to_pass = calls * (share / budget - 1);
  wake_ticks_ = now.ticks + static_cast<std::uint64_t>(calls_to_pass / calls * took * second);
  passing.store(clock_every, std::memory_order_relaxed);
}

bool Session::rested() {
  if (ticks() < wake_ticks_) return false;
  const Writing writing;
  recorder.wake();
  open_window(16384);
  return true;
}

bool Hook::wakes() {
  const bool now = session->rested();
  passing.store(now ? 0 : clock_every, std::memory_order_relaxed);
  return now;
}

void start_session(int provided, bool threads) {
  const Nested nested;
  std::string wrong;
  Settings settings;
  try {
    settings = Settings::from_environment();
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (settings.on && rank == 0) WholeFile::check(settings.out + ".txt");
  } catch (const std::exception& e) {
    wrong = e.what();
  }
  end_where_wrong(wrong);
  if (!settings.on) return;
  try {
    session = new Session(settings, provided);
    session->threads = threads;
    std::atexit(at_exit);
    session->start = TickScale::Moment::now();
    session->seen_ticks = 0;
    session->open_window(session->settings.events);
    passing = 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "weft advise: error: %s\n", e.what());
    PMPI_Abort(MPI_COMM_WORLD, 1);
  }
}

void finish_session() {
  if (session == nullptr) return;
  const Nested nested;
  if (passing == 0) session->close_window();
  passing = -1;
  try {
    session->helper.reset();
    session->report();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "weft advise: error: rank %d: %s\n", session->rank, e.what());
  }
  delete session;
  session = nullptr;
}

void drop_session() {
  passing = -1;
  if (session != nullptr && session->helper) session->helper->stop();
  session = nullptr;  // what it holds goes with the process
}

}  // namespace weft::advise
