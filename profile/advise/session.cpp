// SPDX-License-Identifier: BSD-3-Clause
#include "advise/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <limits>

#include "advise/claim.hpp"
#include "advise/functions.hpp"
#include "advise/in_call.hpp"
#include "advise/marked_regions.hpp"
#include "advise/progress_thread.hpp"
#include "advise/python_frames.hpp"
#include "advise/waiting.hpp"
#include "weft/error.hpp"
#include "weft/file/whole_file.hpp"

namespace weft::advise {

std::atomic<std::int64_t> passing = -1;
Session* session = nullptr;
bool windows_forbid_thread = false;
thread_local int depth __attribute__((tls_model("initial-exec"))) = 0;
std::atomic<ThreadNow*> threads_now = nullptr;
thread_local int thread_number __attribute__((tls_model("initial-exec"))) = -1;

int InCall::numbered() {
  static std::atomic<int> threads = 0;
  return thread_number = std::min(threads++, most_threads - 1);
}

namespace {

constexpr std::int64_t clock_every = 1024;
std::atomic<int> open_sessions = 0;  // of MPI_Session_init

int reduced_least(int mine) {
  int least = mine;
  MPI_Request request;
  PMPI_Iallreduce(&mine, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
  finish_at_once(1, &request);
  return least;
}

Seat seat_in_world() {
  Seat seat;
  PMPI_Comm_rank(MPI_COMM_WORLD, &seat.rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &seat.ranks);
  return seat;
}

int number_of(std::initializer_list<const char*> names, int otherwise) {
  for (const char* name : names)
    if (const char* value = std::getenv(name)) return std::atoi(value);
  return otherwise;
}

// From the launcher's environment variables.
Seat seat_by_launcher() {
  return {number_of({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}, 0),
          number_of({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}, 1)};
}

// A wrong setting ends the program right after MPI_Init; the lowest rank that found one reports it.
void end_where_wrong(const std::string& wrong, const Seat& seat) {
  const int first = reduced_least(wrong.empty() ? seat.ranks : seat.rank);
  if (first == seat.ranks) return;
  if (seat.rank == first) std::fprintf(stderr, "weft advise: error: %s\n", wrong.c_str());
  reinterpret_cast<int (*)()>(next(slot_MPI_Finalize))();
  std::exit(2);
}

// If WEFT_ADVISE_OUT is not set, a folder that can't be written must not end the program.
void choose_folder(Settings& settings, const Seat& seat) {
  if (seat.rank == 0 && settings.out_asked) WholeFile::check(settings.out + ".txt");
  if (settings.out_asked || access(std::filesystem::path(settings.out).parent_path().c_str(), W_OK) == 0) return;
  std::error_code none;
  const auto before = settings.out;
  settings.out = std::filesystem::temp_directory_path(none) / ("weft_advise-" + std::to_string(getuid()));
  if (seat.rank == 0)
    std::fprintf(stderr,
                 "weft advise: %s can't be written. The report goes to %s.txt; WEFT_ADVISE_OUT sets another path.\n",
                 before.c_str(), settings.out.c_str());
}

// The number of this program among those of one command; throws if there are too many.
int number_in(Settings& settings, const Seat& seat, bool has_world) {
  if (!settings.numbered) return 1;
  int number = !has_world || seat.rank == 0 ? claim_number(settings.out, seat.rank) : std::numeric_limits<int>::max();
  if (has_world) number = reduced_least(number);
  if (number == 0) throw Error("There are too many reports of one command. Give each program a WEFT_ADVISE_OUT.");
  settings.out = numbered(settings.out, number);
  return number;
}

bool is_spawned() {
  MPI_Comm parent = MPI_COMM_NULL;
  return PMPI_Comm_get_parent(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL;
}

MPI_Comm own_communicator(bool has_world) {
  MPI_Comm own = MPI_COMM_NULL;
  if (has_world) PMPI_Comm_dup(MPI_COMM_WORLD, &own);
  return own;
}

// For programs that end without MPI_Finalize. It runs after the program's own exit handlers, which may call
// MPI_Finalize.
__attribute__((destructor)) void at_the_end() {
  if (session == nullptr || session->process != getpid()) return;
  if (session->rank == 0 && session->settings.table && session->comm != MPI_COMM_NULL)
    std::fprintf(
        stderr,
        "weft advise: There is no report (the program ended without MPI_Finalize). Use weft run --report %s to see "
        "what its ranks had recorded.\n",
        session->settings.out.c_str());
  drop_session();
}

}  // namespace

Session::Session(const Settings& s, bool has_world, Seat seat)
    : settings(s), comm(own_communicator(has_world)), rank(seat.rank), ranks(seat.ranks),
      live(s.out, rank, ranks, s.live), recorder(s.events, live.sites()), communicators(has_world) {
  recorder.on_new_site = [this](std::size_t number, const Site& site) {
    live.add_site(number, site, call_site_of(site.address));
  };
  find_python();
  const auto before = TickScale::Moment::now();
  live.set_library(library_name());
  if (has_world) network = measure_network(comm);
  // If no network was measured, the two moments must still be some time apart.
  for (auto now = before; now.seconds - before.seconds < 1e-3; now = TickScale::Moment::now())
    live.set_clock(before, now);
  live.set_clock(before, TickScale::Moment::now());
  busy_at_start = Busy::now();  // the measurements yield the core
}

Session::~Session() { helper.reset(); }

long Session::spare_cores() const {
  return sysconf(_SC_NPROCESSORS_ONLN) - std::ranges::count(network.node, network.node[static_cast<std::size_t>(rank)]);
}

void Session::open_window(std::uint64_t calls) {
  window_start_ = recorder.effort();
  window_events_ = recorder.log().count();
  window_end = window_start_ + calls;
  window_ticks_ = ticks();
}

void Session::close_window() {
  seen_ticks += ticks() - window_ticks_;
  recorded_calls += recorder.effort() - window_start_;
}

// The cost of recording a call is about the same in any program, so only the rate of calls matters.
void Session::rest() {
  constexpr double budget = 0.01;
  constexpr std::uint64_t least_window = 16384, least_events = 256;
  const auto now = TickScale::Moment::now();
  live.set_clock(start, now);
  const double second = static_cast<double>(now.ticks - start.ticks) / (now.seconds - start.seconds);
  const double took = static_cast<double>(now.ticks - window_ticks_) / second;
  const auto calls = static_cast<double>(recorder.effort() - window_start_);
  const double share = calls * seconds_a_call / took;
  // The progress thread needs to know all requests in flight, and only recorded waits yield.
  const bool is_worth_it = yields || (helper && helper->gains());
  // Among tests in vain, which are no events, so many calls may be less than a step.
  const bool is_short = recorder.log().count() - window_events_ < least_events && calls < 64 * least_window;
  if (share <= budget || is_worth_it || is_short) {
    window_end = recorder.effort() + least_window;
    return;
  }
  if (helper) helper->retire();  // it has gained nothing so far, so it is not needed
  close_window();
  window_end = no_window;  // calls that are tracked meanwhile (MPI_Comm_free) must not end the window again
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

namespace {

void begin(bool threads) {
  session->threads = threads;
  session->recorder.begin_in(regions_before());
  session->start = TickScale::Moment::now();
  session->seen_ticks = session->recorded_calls = 0;
  session->open_window(session->settings.events);
  threads_now = session->live.threads();
  passing = 0;
}

}  // namespace

void start_session(int provided, bool threads) {
  const Nested nested;
  if (session != nullptr || is_spawned()) return;
  const auto seat = seat_in_world();
  std::string wrong;
  Settings settings;
  try {
    settings = Settings::from_environment(opening_folder);
    choose_folder(settings, seat);
  } catch (const std::exception& e) {
    wrong = e.what();
  }
  end_where_wrong(wrong, seat);
  try {
    const int number = number_in(settings, seat, true);
    session = new Session(settings, true, seat);
    session->number = number;
    session->thread_level = provided;
    if (settings.thread && session->spare_cores() < 0) {
      session->yields = true;  // a progress thread would be one more thread without a core
    } else if (settings.thread && provided == MPI_THREAD_MULTIPLE) {
      session->helper =
          std::make_unique<ProgressThread>(session->comm, session->network.far.seconds[0], session->spare_cores() > 0);
    } else if (settings.thread && seat.rank == 0) {
      std::fprintf(stderr, "weft advise: There is no progress thread (%s\n",
                   windows_forbid_thread
                       ? "the program makes MPI windows, which Open MPI may refuse with MPI_THREAD_MULTIPLE). Set "
                         "OMPI_MCA_osc=^pt2pt if another component for windows works here."
                       : "this MPI library does not provide MPI_THREAD_MULTIPLE).");
    }
    session->driven = session->helper != nullptr;
    begin(threads);
  } catch (const std::exception& e) {
    if (seat.rank == 0) std::fprintf(stderr, "weft advise: The program is not recorded. %s\n", e.what());
    session = nullptr;
  }
}

void start_session_without_world() {
  const Nested nested;
  ++open_sessions;
  if (session != nullptr) {
    if (session->comm == MPI_COMM_NULL) session->live.set_finished(false);
    return;
  }
  try {
    const auto seat = seat_by_launcher();
    auto settings = Settings::from_environment(opening_folder);
    choose_folder(settings, seat);
    number_in(settings, seat, false);
    session = new Session(settings, false, seat);
    begin(true);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "weft advise: The program is not recorded. %s\n", e.what());
    session = nullptr;
  }
}

void finish_session_without_world() {
  if (--open_sessions > 0 || session == nullptr || session->comm != MPI_COMM_NULL) return;
  session->live.set_clock(session->start, TickScale::Moment::now());
  session->live.set_finished(true);
}

void finish_session() {
  if (session == nullptr || session->comm == MPI_COMM_NULL) return;
  const Nested nested;
  if (passing == 0) session->close_window();
  passing = -1;
  session->recorder.end_spin();
  session->progress_thread_gains = session->helper && session->helper->gains();
  session->helper.reset();
  session->report();
  threads_now = nullptr;
  delete session;
  session = nullptr;
}

void drop_session() {
  passing = -1;
  if (session == nullptr) return;
  if (session->helper) session->helper->stop();
  session->live.set_clock(session->start, TickScale::Moment::now());
  session = nullptr;  // its memory is freed by the end of the process
}

}  // namespace weft::advise
