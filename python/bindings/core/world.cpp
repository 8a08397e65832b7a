// SPDX-License-Identifier: BSD-3-Clause
#include "core/world.hpp"

#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/bind.hpp"
#include "core/end.hpp"
#include "core/raised.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/mpi/check.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/failure.hpp"
#include "weft/transport/progress_gate.hpp"
#include "weft/transport/timeout.hpp"
#include "weft/version.hpp"
#include "weft/yield.hpp"

namespace weft::python {
namespace {

using Held = std::shared_ptr<mpi::Communicator>;

struct Duplicates {
  std::mutex mutex;  // mpi4py may free a communicator without the GIL
  std::map<Held*, MPI_Comm> all;
  int keyval = MPI_KEYVAL_INVALID;
};
Duplicates& duplicates() {
  static auto& one = *new Duplicates;
  return one;
}
bool initialised_here = false;
bool forked = false;  // in a process that was forked after start_mpi()

int free_duplicate(MPI_Comm, int, void* value, void*) {
  auto* held = static_cast<Held*>(value);
  {
    const std::lock_guard lock(duplicates().mutex);
    duplicates().all.erase(held);
  }
  delete held;
  return MPI_SUCCESS;
}

// The program ends MPI, such as by MPI.Finalize(), while objects of weft are alive. MPI calls this before it ends.
int end_before_mpi(MPI_Comm, int, void*, void*) {
  if (has_ended() || is_forked()) return MPI_SUCCESS;
  initialised_here = false;
  const nb::gil_scoped_acquire held;
  end();
  return MPI_SUCCESS;
}

// Without a launcher, Open MPI starts a daemon, in case the process wants to spawn others: as in weft::main.
void set_up_singleton() {
  if (std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr) return;
  ::setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  ::setenv("OMPI_MCA_orte_create_session_dirs", "0", 0);
  ::setenv("OMPI_MCA_sharedfp", "individual", 0);
}

void set_time_out() {
  const char* text = std::getenv("WEFT_GIVE_UP_SECONDS");
  double seconds = 600;
  if (text != nullptr && *text != 0) {
    char* rest = nullptr;
    seconds = std::strtod(text, &rest);
    if (*rest != 0 || !(seconds >= 0 && seconds <= 1e7))
      throw InputError("WEFT_GIVE_UP_SECONDS is not a time. Give 0 to 1e7 seconds (0: no time-out).");
  }
  timeout().set_limit(seconds);
}

// A signal such as Ctrl-C ends a wait by its exception. Handlers of signals run in the main thread only.
void look_for_signals() {
  if (::gettid() != ::getpid()) return;
  const nb::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0) throw Raised(nb::python_error());
}

void start_mpi() {
  int finalised = 0, initialised = 0;
  MPI_Finalized(&finalised);
  if (finalised != 0 || has_ended()) throw Error("MPI has ended, so weft can't communicate. Use weft before MPI ends.");
  if (is_forked())
    throw Error("This process was forked from one that uses MPI (MPI does not support that). Start it with 'spawn'.");
  if (duplicates().keyval != MPI_KEYVAL_INVALID) return;
  ::pthread_atfork(nullptr, nullptr, [] { forked = true; });
  MPI_Initialized(&initialised);
  if (initialised == 0) {
    set_up_singleton();
    int provided = 0;  // with the GIL: a second thread must not initialise MPI again
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS)
      throw Error("MPI does not start. Check the MPI installation and how the program was launched (weft doctor).");
    initialised_here = true;
  }
  set_time_out();
  set_interruption(look_for_signals);
  if (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_duplicate, &duplicates().keyval, nullptr) != MPI_SUCCESS)
    throw Error("MPI has no attribute left for weft. Free some in the program.");
  int at_end = MPI_KEYVAL_INVALID;
  mpi::check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_before_mpi, &at_end, nullptr), "MPI_Comm_create_keyval");
  mpi::check(MPI_Comm_set_attr(MPI_COMM_SELF, at_end, nullptr), "MPI_Comm_set_attr");
  mpi::check(MPI_Comm_free_keyval(&at_end), "MPI_Comm_free_keyval");
}

MPI_Comm handle_of(nb::handle comm) {
  if (comm.is_none()) return MPI_COMM_WORLD;
  if (PyBool_Check(comm.ptr()) != 0)
    throw nb::type_error(
        "The communicator is True or False. Give a communicator of mpi4py or None, and options by their names.");
  nb::object number = nb::borrow(comm);
  if (nb::hasattr(comm, "py2f")) number = comm.attr("py2f")();
  MPI_Fint handle = 0;
  if (!nb::try_cast(number, handle))
    throw nb::type_error(
        "A communicator is None (all ranks), a communicator of mpi4py (any object with py2f()), or the integer handle "
        "of "
        "MPI_Comm_c2f.");
  const MPI_Comm found = MPI_Comm_f2c(handle);
  if (found == MPI_COMM_NULL) throw InputError("The communicator is null. Give one that this rank belongs to.");
  int is_inter = 0;
  mpi::check(MPI_Comm_test_inter(found, &is_inter), "MPI_Comm_test_inter");
  if (is_inter != 0)
    throw InputError(
        "The communicator is an intercommunicator (of two groups of ranks). Give one of a single group, "
        "such as that of Intercomm.Merge().");
  return found;
}

std::vector<Held> transports() {
  const std::lock_guard lock(duplicates().mutex);
  std::vector<Held> all;
  for (const auto& [held, comm] : duplicates().all) all.push_back(*held);
  return all;
}

}  // namespace

std::shared_ptr<mpi::Communicator> transport_of(nb::handle comm) {
  start_mpi();
  const MPI_Comm handle = handle_of(comm);
  void* value = nullptr;
  int found = 0;
  mpi::check(MPI_Comm_get_attr(handle, duplicates().keyval, static_cast<void*>(&value), &found), "MPI_Comm_get_attr");
  if (found != 0) return *static_cast<Held*>(value);
  Held made;
  {
    const nb::gil_scoped_release released;
    made = std::make_shared<mpi::Communicator>(handle);
  }
  auto* held = new Held(made);
  {
    const std::lock_guard lock(duplicates().mutex);
    duplicates().all[held] = handle;
  }
  mpi::check(MPI_Comm_set_attr(handle, duplicates().keyval, held), "MPI_Comm_set_attr");
  return made;
}

bool is_forked() { return forked; }

void end_job_unless_all_end(const std::string& why) {
  int initialised = 0, finalised = 0, size = 1, rank = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  const char* wish = std::getenv("WEFT_ABORT");
  if (initialised == 0 || finalised != 0 || (wish != nullptr && std::string(wish) == "no")) return;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (size == 1) return;
  constexpr double patience = 2;  // seconds, in which others may print, too
  bool all_end = false;
  {
    const nb::gil_scoped_release released;
    const double until = now_seconds() + patience;
    std::vector<std::shared_ptr<Failure>> failures;
    for (const auto& transport : transports()) {
      failures.push_back(std::make_shared<Failure>(transport, "The program"));
      failures.back()->fail(why);
      all_end = all_end || transport->size() == size;
    }
    all_end = Failure::serve_for(patience) && all_end;
    while (!all_end && now_seconds() < until) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  if (all_end) return;
  for (const char* name : {"stdout", "stderr"}) try {
      nb::module_::import_("sys").attr(name).attr("flush")();
    } catch (...) {
    }
  mpi::abort_job(rank, "The program has ended by an exception, and other ranks may wait for it: the job is ended.", 1);
}

void end_mpi() {
  if (duplicates().keyval == MPI_KEYVAL_INVALID) return;
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (finalised != 0) return;
  set_interruption(nullptr);
  std::vector<MPI_Comm> all;
  {
    const std::lock_guard lock(duplicates().mutex);
    for (const auto& [held, comm] : duplicates().all) all.push_back(comm);
  }
  const nb::gil_scoped_release released;
  ProgressGate::of_process().close();
  Failure::serve_for(1);  // other ranks may still learn of an error that the program caught
  for (auto comm : all) MPI_Comm_delete_attr(comm, duplicates().keyval);
  MPI_Comm_free_keyval(&duplicates().keyval);
  if (initialised_here) MPI_Finalize();
}

void bind_world(nb::module_& m) {
  m.def(
      "rank",
      [](nb::object comm) {
        start_mpi();
        int rank = 0;
        mpi::check(MPI_Comm_rank(handle_of(comm), &rank), "MPI_Comm_rank");
        return rank;
      },
      nb::arg("comm") = nb::none(),
      R"(Return this rank, from 0. Local; the first call of weft initialises MPI if nobody has, which is collective.

Parameters
----------
comm : communicator of mpi4py, int or None
    None: all ranks.)");
  m.def(
      "size",
      [](nb::object comm) {
        start_mpi();
        int size = 0;
        mpi::check(MPI_Comm_size(handle_of(comm), &size), "MPI_Comm_size");
        return size;
      },
      nb::arg("comm") = nb::none(),
      R"(Return the number of ranks. Local, as ``rank()``.

Parameters
----------
comm : communicator of mpi4py, int or None
    None: all ranks.)");
  m.def(
      "barrier",
      [](nb::object comm) {
        const auto transport = transport_of(comm);
        const nb::gil_scoped_release released;
        barrier(*transport);
      },
      nb::arg("comm") = nb::none(),
      R"(Return when all ranks of the communicator have called it.

Parameters
----------
comm : communicator of mpi4py, int or None
    None: all ranks.)");
  m.def(
      "library",
      [] {
        char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
        int length = 0;
        mpi::check(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
        const std::string all(text);
        auto first = all.substr(0, all.find_first_of(",\n"));  // the rest describes the build
        std::replace(first.begin(), first.end(), '\t', ' ');
        return first;
      },
      "Return the name and version of the MPI library that weft has loaded. Local.");
  m.def(
      "build_info",
      [] {
        const BuildInfo& info = weft::build_info();
        nb::dict all;
        all["version"] = info.version;
        all["commit"] = info.commit;
        all["mpi"] = info.mpi;
        all["compiler"] = info.compiler;
        all["options"] = info.options;
        return all;
      },
      nb::sig("def build_info() -> dict[str, str]"),
      "Return how weft was built: its version, commit (empty if not from its repository), mpi, compiler and options. "
      "Local.");
}

}  // namespace weft::python
