// SPDX-License-Identifier: BSD-3-Clause
#include "weft/mpi/main.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <thread>

#include "weft/mpi/check.hpp"
#include "weft/mpi/request.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/failure.hpp"
#include "weft/transport/progress_gate.hpp"
#include "weft/transport/timeout.hpp"

namespace weft {
namespace {

using mpi::abort_job;

// An active request was destroyed: this rank must not make MPI calls any more, because MPI might write to memory that
// was freed. So it exits without MPI, after a delay in which rank 0 prints, and the launcher ends the job. (Not by
// MPI_Abort: Open MPI's mpiexec was seen to crash, or to hang, in one of ten jobs that ended so.)
[[noreturn]] void leave_without_mpi(int rank, int status) {
  std::fflush(stdout);
  if (status == 0) {
    std::fprintf(
        stderr,
        "error on rank %d: The job can't end in order (an operation was destroyed while it was active, and MPI may "
        "still use its memory). Wait for each operation.\n",
        rank);
    status = 1;
  }
  std::fflush(stderr);
  std::this_thread::sleep_for(std::chrono::milliseconds(rank == 0 ? 500 : 1000));
  std::_Exit(status);
}

// The value of WEFT_GIVE_UP_SECONDS; negative if it is not a time.
double give_up_seconds() {
  const char* text = std::getenv("WEFT_GIVE_UP_SECONDS");
  if (text == nullptr || *text == 0) return 600;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  return *end == 0 && seconds >= 0 && seconds <= 1e7 ? seconds : -1;
}

// MPI also waits for other ranks when it starts and when it ends, where no exchange of weft tests the time. The
// kernel's alarm does.
class Alarm {
 public:
  explicit Alarm(double seconds) {
    if (seconds <= 0) return;
    struct sigaction action {};
    action.sa_handler = [](int) {
      static const char text[] =
          "error: MPI has neither started nor ended within WEFT_GIVE_UP_SECONDS (a link or another rank may have "
          "failed). Check the hosts and the network.\n";
      (void)!::write(2, text, sizeof text - 1);
      ::_exit(1);
    };
    ::sigaction(SIGALRM, &action, &before_);
    ::alarm(static_cast<unsigned>(std::ceil(seconds)));
    set_ = true;
  }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  ~Alarm() {
    if (!set_) return;
    ::alarm(0);
    ::sigaction(SIGALRM, &before_, nullptr);
  }

 private:
  struct sigaction before_ {};
  bool set_ = false;
};

void finalise(std::optional<mpi::Communicator>& world) {
  const Alarm alarm(timeout().limit());
  ProgressGate::of_process().close();
  Failure::serve_for(world->seconds_to_arrive());  // other ranks may still learn of an error that the program caught
  world.reset();
  MPI_Finalize();
}

// Rank 0's value is used: launchers don't pass every variable on.
void agree_on_timeout(mpi::Communicator& world) {
  const double seconds = all_gather(world, give_up_seconds()).front();
  if (seconds < 0)
    throw InputError("WEFT_GIVE_UP_SECONDS is not a time. Give 0 to 1e7 seconds (0: no time-out).", true);
  timeout().set_limit(seconds);
}

}  // namespace

int main(int& argc, char**& argv, const std::function<int(mpi::Communicator&)>& program, bool threads) {
  // Without a launcher, Open MPI starts a daemon, in case the process wants to spawn others. On a busy machine that
  // takes seconds, and no program of weft spawns. All processes started so would share one session folder, which one
  // creates while another one that ends removes it: they don't need it. Shared file pointers, which weft does not use,
  // would print errors.
  if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr) {
    ::setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
    ::setenv("OMPI_MCA_orte_create_session_dirs", "0", 0);
    ::setenv("OMPI_MCA_sharedfp", "individual", 0);
  }
  std::optional<Alarm> alarm(std::in_place, give_up_seconds());  // until all ranks have started
  int provided = 0;
  if (MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
    std::fprintf(stderr, "error: MPI does not start. Check the MPI installation and how the program was launched.\n");
    return 1;
  }
  int status = 1;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::optional<mpi::Communicator> world;  // outlives the handlers: no rank may free it alone
  try {
    timeout().set_limit(std::max(give_up_seconds(), 0.0));
    world.emplace(MPI_COMM_WORLD);
    agree_on_timeout(*world);
    alarm.reset();
    status = program(*world);
  } catch (const PeerError& e) {  // the rank that failed prints first, and its abort ends this one, too
    std::this_thread::sleep_for(std::chrono::seconds(2));
    abort_job(rank, e.what(), 1);
  } catch (const Error& e) {
    status = dynamic_cast<const InputError*>(&e) != nullptr ? 2 : 1;
    if (!e.everywhere() || !world) abort_job(rank, e.what(), status);
    std::fflush(stdout);
    if (rank == 0) std::fprintf(stderr, "error: %s\n", e.what());
  } catch (const std::filesystem::filesystem_error& e) {  // of a path that the user gave
    abort_job(
        rank,
        (e.path1().string() + ": This path can't be used (" + e.code().message() + "). Give another path.").c_str(), 2);
  } catch (const std::bad_alloc&) {
    abort_job(rank, "There is no memory left. Make the problem smaller, or use more machines.", 1);
  } catch (const std::exception& e) {
    abort_job(rank, e.what(), 1);
  } catch (...) {
    abort_job(rank, "An exception of unknown type was thrown.", 1);
  }
  if (abandoned_operations() > 0) leave_without_mpi(rank, status);
  finalise(world);
  return status;
}

}  // namespace weft
