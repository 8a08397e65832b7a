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

bool recording = false;
Session* session = nullptr;
thread_local int depth __attribute__((tls_model("initial-exec"))) = 0;

namespace {

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
      std::fprintf(stderr, "weft advise: no helper thread, since this MPI library does not give MPI_THREAD_MULTIPLE.\n");
  }
}

Session::~Session() { helper.reset(); }

void start_session(int provided, bool threads) {
  const Hook hook;
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
    recording = true;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "weft advise: error: %s\n", e.what());
    PMPI_Abort(MPI_COMM_WORLD, 1);
  }
}

void finish_session() {
  if (session == nullptr) return;
  const Hook hook;
  recording = false;
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
  recording = false;
  if (session != nullptr) session->helper.reset();
  session = nullptr;  // what it holds goes with the process
}

}  // namespace weft::advise
