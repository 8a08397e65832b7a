// SPDX-License-Identifier: BSD-3-Clause
#include "core/end.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/raised.hpp"
#include "core/warning.hpp"
#include "core/world.hpp"
#include "weft/error.hpp"
#include "weft/transport/timeout.hpp"
#include "weft/transport/transport.hpp"

namespace weft::python {
namespace {

std::list<Live*>& all() {
  static auto& list = *new std::list<Live*>;  // never destroyed: objects of a leaked reference cycle end later
  return list;
}
bool ended = false;

// A program that ends by an exception does not wait long for others.
double seconds_to_end(double limit) { return limit > 0 ? std::min(limit, 2.0) : 2; }

// The exception that has ended the program; invalid if none has.
nb::object& exception_of_program() {
  static auto& exception = *new nb::object;
  return exception;
}

// A user who types commands goes on after an exception.
bool is_interactive() {
  const auto sys = nb::module_::import_("sys");
  return nb::hasattr(sys, "ps1") || PyObject_IsTrue(nb::object(sys.attr("flags").attr("interactive")).ptr()) == 1;
}

// MPI may still use memory of this process, so it must end without MPI.
[[noreturn]] void leave_without_mpi(const char* why) {
  for (const char* name : {"stdout", "stderr"}) try {
      nb::module_::import_("sys").attr(name).attr("flush")();
    } catch (...) {
    }
  std::fprintf(stderr, "error: The job can't end in order (%s). Wait for each operation.\n", why);
  std::fflush(nullptr);
  ::usleep(500000);  // the launcher ends the job when the first process ends: the others print first
  std::_Exit(1);
}

}  // namespace

Live::Live() : place_(all().insert(all().end(), this)) {}
Live::~Live() { all().erase(place_); }

InUse::Call::Call(InUse& use, bool again) : use_(use) {
  if (is_forked())
    throw Error("This process was forked from one that uses MPI (MPI does not support that). Start it with 'spawn'.");
  if (use.depth_ > 0 && !(again && use.by_ == std::this_thread::get_id()))
    throw Error(
        use.by_ == std::this_thread::get_id()
            ? "An object of weft is called by one of its own callbacks, which is not allowed for this function. Call "
              "it "
              "after the callback has returned."
            : "Two threads use one object of weft at once (it takes no lock). Let one thread call it at a time.");
  if (use.depth_++ == 0) use.by_ = std::this_thread::get_id();
}

bool has_ended() { return ended; }

void check_not_ended() {
  if (ended) throw Error("MPI has ended, so weft can't communicate. Use weft before MPI ends.");
}

void watch_exceptions() {
  const auto sys = nb::module_::import_("sys");
  const nb::object print = sys.attr("excepthook");
  sys.attr("excepthook") = nb::cpp_function(
      [print](nb::object type, nb::object value, nb::object traceback) {
        if (!is_interactive()) exception_of_program() = value;
        return print(type, value, traceback);
      },
      nb::arg("type").none(), nb::arg("value").none(), nb::arg("traceback").none());
}

void end() {
  if (ended || is_forked()) return;
  ended = true;
  bool is_stuck = false;
  const auto& raised = exception_of_program();
  const std::string why = raised.is_valid() ? text_of(raised) : "the program has ended, and a start was not waited for";
  // A call may destroy any of the objects, for example those that a client of a step manager owns.
  const auto each = [&](auto call) {
    const std::vector<Live*> at_first(all().rbegin(), all().rend());
    for (auto* live : at_first) {
      if (std::ranges::find(all(), live) == all().end()) continue;  // another one's end has destroyed it
      if (live->is_in_use())
        is_stuck = true;
      else
        call(*live);
    }
  };
  if (raised.is_valid()) timeout().set_limit(seconds_to_end(timeout().limit()));
  each([&](Live& live) { live.end_start(why, raised.is_valid()); });
  if (raised.is_valid()) end_job_unless_all_end(why);
  each([](Live& live) { live.close(); });
  reset_warning_handler();  // before the interpreter ends: no thread of weft is left that warns
  if (is_stuck) leave_without_mpi("a thread is still inside weft");
  if (abandoned_operations() > 0)
    leave_without_mpi("an operation was destroyed while it was active, and MPI may still use its memory");
  end_mpi();
}

}  // namespace weft::python
