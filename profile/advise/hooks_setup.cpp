// SPDX-License-Identifier: BSD-3-Clause
// The hooks for start and end of MPI, in C and in Fortran.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "advise/call.hpp"
#include "advise/functions.hpp"
#include "advise/marked_regions.hpp"
#include "advise/one_sided.hpp"

namespace a = weft::advise;
using namespace weft::advise;  // the slots

namespace {

// A wrong value is reported later, by start_session: before MPI_Init it is not known which rank should report it.
bool wants_thread() {
  const char* value = std::getenv("WEFT_PROGRESS");
  return value != nullptr && std::string_view(value) == "thread";
}

// Whether the program gets a higher thread level than it asks for: not if that would make it fail.
bool raises_level() {
  static const bool raises = wants_thread() && !(a::windows_forbid_thread = a::threads_forbid_windows());
  return raises;
}

template <class Function>
Function next_as(Slot slot) {
  return reinterpret_cast<Function>(a::next(slot));
}

using Init = int (*)(int*, char***);
using InitThread = int (*)(int*, char***, int, int*);
using Fortran1 = void (*)(void*);
using Fortran2 = void (*)(void*, void*);
using Fortran3 = void (*)(void*, void*, void*);

// The thread level that the program sees, if the progress thread needs a higher one than the program asked for.
int reported_level = -1;

// The thread level to report to a program that asked for `asked` when the library provides `given`.
int reported(int asked, int given) { return reported_level = std::min(asked, given); }

int c_MPI_Init(int* argc, char*** argv) {
  int provided = MPI_THREAD_SINGLE;
  int code = MPI_SUCCESS;
  {
    const a::Nested nested;
    if (raises_level()) {
      code = next_as<InitThread>(slot_MPI_Init_thread)(argc, argv, MPI_THREAD_MULTIPLE, &provided);
      reported_level = MPI_THREAD_SINGLE;
    } else {
      code = next_as<Init>(slot_MPI_Init)(argc, argv);
      if (code == MPI_SUCCESS) PMPI_Query_thread(&provided);
    }
  }
  if (code == MPI_SUCCESS && a::depth == 0) a::start_session(provided, false);
  return code;
}

int c_MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  int given = MPI_THREAD_SINGLE;
  int code = MPI_SUCCESS;
  {
    const a::Nested nested;
    const int wanted = raises_level() ? MPI_THREAD_MULTIPLE : required;
    code = next_as<InitThread>(slot_MPI_Init_thread)(argc, argv, wanted, &given);
  }
  *provided = raises_level() ? reported(required, given) : given;
  if (code == MPI_SUCCESS && a::depth == 0) a::start_session(given, required == MPI_THREAD_MULTIPLE);
  return code;
}

int c_MPI_Query_thread(int* provided) {
  const int code = next_as<int (*)(int*)>(slot_MPI_Query_thread)(provided);
  if (reported_level >= 0) *provided = reported_level;
  return code;
}

int c_MPI_Finalize() {
  const a::InCall now("MPI_Finalize", __builtin_return_address(0));
  if (a::depth == 0) a::finish_session();
  const a::Nested nested;
  return next_as<int (*)()>(slot_MPI_Finalize)();
}

int c_MPI_Abort(MPI_Comm comm, int code) {
  a::drop_session();
  return next_as<int (*)(MPI_Comm, int)>(slot_MPI_Abort)(comm, code);
}

int c_MPI_Session_init(MPI_Info info, void* handler, MPI_Session* made) {
  int code = MPI_SUCCESS;
  {
    const a::Nested nested;
    code = next_as<int (*)(MPI_Info, void*, MPI_Session*)>(slot_MPI_Session_init)(info, handler, made);
  }
  if (code == MPI_SUCCESS && a::depth == 0) a::start_session_without_world();
  return code;
}

int c_MPI_Session_finalize(MPI_Session* one) {
  const a::InCall now("MPI_Session_finalize", __builtin_return_address(0));
  int code = MPI_SUCCESS;
  {
    const a::Nested nested;
    code = next_as<int (*)(MPI_Session*)>(slot_MPI_Session_finalize)(one);
  }
  if (code == MPI_SUCCESS && a::depth == 0) a::finish_session_without_world();
  return code;
}

// Level 1 ends a step. A higher one enters the region of its number, and the negative number leaves it.
void mark(const void* place, int level) {
  if (level > 1 || level < -1) {
    char name[32];
    std::snprintf(name, sizeof name, "level %d", std::abs(level));
    a::mark_region(name, level > 0);
  }
  if (level != 1) return;
  a::Call call("MPI_Pcontrol", place);
  if (!call.recorded()) return;
  call.enter_post();
  call.leave(MPI_SUCCESS);
  call.counted(a::Kind::mark);
}

// The arguments behind `level` are passed on as registers pass them, since C can't pass on those of a variadic
// function.
int c_MPI_Pcontrol(int level, long a, long b, long c, long d, long e, double p, double q, double r, double s) {
  mark(__builtin_return_address(0), level);
  return next_as<int (*)(int, ...)>(slot_MPI_Pcontrol)(level, a, b, c, d, e, p, q, r, s);
}

// The hooks of mpif.h and `use mpi`, and of `use mpi_f08`, differ only in their slots.

// MPI_Init; calls MPI_Init_thread if a progress thread is requested.
template <Slot alone, Slot with_threads>
void init(void* error) {
  MPI_Fint level = MPI_THREAD_SINGLE;
  {
    const a::Nested nested;
    MPI_Fint wanted = MPI_THREAD_MULTIPLE;
    if (raises_level()) {
      next_as<Fortran3>(with_threads)(&wanted, &level, error);
      reported_level = MPI_THREAD_SINGLE;
    } else {
      next_as<Fortran1>(alone)(error);
      PMPI_Query_thread(&level);
    }
  }
  if (a::depth == 0) a::start_session(level, false);
}
constexpr auto *f_mpi_init_ = &init<slot_mpi_init_, slot_mpi_init_thread_>,
               *f_mpi_init_f08_ = &init<slot_mpi_init_f08_, slot_mpi_init_thread_f08_>;

template <Slot slot>
void init_thread(void* required, void* provided, void* error) {
  const MPI_Fint asked = a::fortran::number(required);
  MPI_Fint given = MPI_THREAD_SINGLE;
  {
    const a::Nested nested;
    MPI_Fint wanted = raises_level() ? static_cast<MPI_Fint>(MPI_THREAD_MULTIPLE) : asked;
    next_as<Fortran3>(slot)(&wanted, &given, error);
  }
  *static_cast<MPI_Fint*>(provided) = raises_level() ? reported(asked, given) : given;
  if (a::depth == 0) a::start_session(given, asked == MPI_THREAD_MULTIPLE);
}
constexpr auto *f_mpi_init_thread_ = &init_thread<slot_mpi_init_thread_>,
               *f_mpi_init_thread_f08_ = &init_thread<slot_mpi_init_thread_f08_>;

template <Slot slot>
void query_thread(void* provided, void* error) {
  next_as<Fortran2>(slot)(provided, error);
  if (reported_level >= 0) *static_cast<MPI_Fint*>(provided) = reported_level;
}
constexpr auto *f_mpi_query_thread_ = &query_thread<slot_mpi_query_thread_>,
               *f_mpi_query_thread_f08_ = &query_thread<slot_mpi_query_thread_f08_>;

template <Slot slot>
void finalize(void* error) {
  const a::InCall now("MPI_Finalize", __builtin_return_address(0));
  if (a::depth == 0) a::finish_session();
  const a::Nested nested;
  next_as<Fortran1>(slot)(error);
}
constexpr auto *f_mpi_finalize_ = &finalize<slot_mpi_finalize_>,
               *f_mpi_finalize_f08_ = &finalize<slot_mpi_finalize_f08_>;

template <Slot slot>
void abort_all(void* comm, void* code, void* error) {
  a::drop_session();
  next_as<Fortran3>(slot)(comm, code, error);
}
constexpr auto *f_mpi_abort_ = &abort_all<slot_mpi_abort_>, *f_mpi_abort_f08_ = &abort_all<slot_mpi_abort_f08_>;

template <Slot slot>
void session_init(void* info, void* handler, void* made, void* error) {
  {
    const a::Nested nested;
    next_as<void (*)(void*, void*, void*, void*)>(slot)(info, handler, made, error);
  }
  if (a::depth == 0) a::start_session_without_world();
}
constexpr auto *f_mpi_session_init_ = &session_init<slot_mpi_session_init_>,
               *f_mpi_session_init_f08_ = &session_init<slot_mpi_session_init_f08_>;

template <Slot slot>
void session_finalize(void* one, void* error) {
  {
    const a::Nested nested;
    next_as<Fortran2>(slot)(one, error);
  }
  if (a::depth == 0) a::finish_session_without_world();
}
constexpr auto *f_mpi_session_finalize_ = &session_finalize<slot_mpi_session_finalize_>,
               *f_mpi_session_finalize_f08_ = &session_finalize<slot_mpi_session_finalize_f08_>;

template <Slot slot>
void pcontrol(void* level) {
  mark(__builtin_return_address(0), a::fortran::number(level));
  next_as<Fortran1>(slot)(level);
}
constexpr auto *f_mpi_pcontrol_ = &pcontrol<slot_mpi_pcontrol_>,
               *f_mpi_pcontrol_f08_ = &pcontrol<slot_mpi_pcontrol_f08_>;

}  // namespace

#define HOOK(symbol, hook) hooks[slot_##symbol] = reinterpret_cast<void*>(hook);

void weft::advise::add_setup_hooks(void** hooks) {
#include "advise/hook_table_setup.inc"
}
