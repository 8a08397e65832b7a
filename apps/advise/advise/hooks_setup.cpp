// SPDX-License-Identifier: BSD-3-Clause
// The program's start and end, in C and in Fortran.
#include <dlfcn.h>

#include <cstdlib>

#include "advise/calls.hpp"

namespace a = weft::advise;

namespace {

// Before MPI is there nobody can say what is wrong with it: start_session does.
bool wants_thread() {
  const char* value = std::getenv("WEFT_PROGRESS");
  const char* on = std::getenv("WEFT_ADVISE");
  return value != nullptr && std::string_view(value) == "thread" && !(on != nullptr && std::string_view(on) == "off");
}

template <class Symbol>
Symbol next(const char* name) {
  return reinterpret_cast<Symbol>(dlsym(RTLD_NEXT, name));
}

using Fortran1 = void (*)(void*);
using Fortran3 = void (*)(void*, void*, void*);

// MPI_Init, which becomes MPI_Init_thread where a helper is asked for.
void init_in_fortran(const char* name, const char* with_threads, void* error) {
  const bool first = a::depth == 0;
  MPI_Fint level = MPI_THREAD_SINGLE;
  {
    const a::Nested nested;
    MPI_Fint wanted = MPI_THREAD_MULTIPLE;
    wants_thread() ? next<Fortran3>(with_threads)(&wanted, &level, error) : next<Fortran1>(name)(error);
  }
  if (first) a::start_session(static_cast<int>(level), false);
}

void init_thread_in_fortran(const char* name, void* required, void* provided, void* error) {
  const bool first = a::depth == 0;
  const bool threads = *static_cast<const MPI_Fint*>(required) == MPI_THREAD_MULTIPLE;
  {
    const a::Nested nested;
    MPI_Fint wanted =
        wants_thread() ? static_cast<MPI_Fint>(MPI_THREAD_MULTIPLE) : *static_cast<const MPI_Fint*>(required);
    next<Fortran3>(name)(&wanted, provided, error);
  }
  if (first) a::start_session(static_cast<int>(*static_cast<const MPI_Fint*>(provided)), threads);
}

void finalize_in_fortran(const char* name, void* error) {
  if (a::depth == 0) a::finish_session();
  const a::Nested nested;
  next<Fortran1>(name)(error);
}

void mark(const void* place, int level) {
  const a::Hook hook;
  if (!hook.active() || level != 1) return;
  const a::Writing writing;
  const auto now = a::ticks();
  a::session->recorder.called(reinterpret_cast<std::uint64_t>(place), "MPI_Pcontrol", a::Kind::mark, now, now);
}

void forget(MPI_Comm comm) {
  const a::Hook hook;
  if (!hook.follows()) return;
  const a::Writing writing;
  a::session->communicators.forget(comm);
  a::session->streams.clear();
}

}  // namespace

extern "C" {

int MPI_Init(int* argc, char*** argv) {
  if (a::depth > 0) return PMPI_Init(argc, argv);
  int provided = MPI_THREAD_SINGLE;
  int code = MPI_SUCCESS;
  {
    const a::Nested nested;
    code = wants_thread() ? PMPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided) : PMPI_Init(argc, argv);
  }
  if (code == MPI_SUCCESS) a::start_session(provided, false);
  return code;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  if (a::depth > 0) return PMPI_Init_thread(argc, argv, required, provided);
  int code = MPI_SUCCESS;
  {
    const a::Nested nested;
    code = PMPI_Init_thread(argc, argv, wants_thread() ? MPI_THREAD_MULTIPLE : required, provided);
  }
  if (code == MPI_SUCCESS) a::start_session(*provided, required == MPI_THREAD_MULTIPLE);
  return code;
}

int MPI_Finalize() {
  if (a::depth == 0) a::finish_session();
  const a::Nested nested;
  return PMPI_Finalize();
}

int MPI_Abort(MPI_Comm comm, int code) {
  a::drop_session();
  return PMPI_Abort(comm, code);
}

int MPI_Pcontrol(const int level, ...) {
  mark(__builtin_return_address(0), level);
  return MPI_SUCCESS;
}

int MPI_Comm_free(MPI_Comm* comm) {
  forget(*comm);
  return PMPI_Comm_free(comm);
}

int MPI_Comm_disconnect(MPI_Comm* comm) {
  forget(*comm);
  return PMPI_Comm_disconnect(comm);
}

void mpi_init_(void* error) { init_in_fortran("mpi_init_", "mpi_init_thread_", error); }
void mpi_init_f08_(void* error) { init_in_fortran("mpi_init_f08_", "mpi_init_thread_f08_", error); }
void mpi_init_thread_(void* required, void* provided, void* error) {
  init_thread_in_fortran("mpi_init_thread_", required, provided, error);
}
void mpi_init_thread_f08_(void* required, void* provided, void* error) {
  init_thread_in_fortran("mpi_init_thread_f08_", required, provided, error);
}
void mpi_finalize_(void* error) { finalize_in_fortran("mpi_finalize_", error); }
void mpi_finalize_f08_(void* error) { finalize_in_fortran("mpi_finalize_f08_", error); }
void mpi_pcontrol_(const MPI_Fint* level) { mark(__builtin_return_address(0), *level); }
void mpi_pcontrol_f08_(const MPI_Fint* level) { mark(__builtin_return_address(0), *level); }
void mpi_abort_(void* comm, void* code, void* error) {
  a::drop_session();
  next<Fortran3>("mpi_abort_")(comm, code, error);
}
void mpi_abort_f08_(void* comm, void* code, void* error) {
  a::drop_session();
  next<Fortran3>("mpi_abort_f08_")(comm, code, error);
}
void mpi_comm_free_(void* comm, void* error) {
  forget(PMPI_Comm_f2c(*static_cast<const MPI_Fint*>(comm)));
  next<void (*)(void*, void*)>("mpi_comm_free_")(comm, error);
}
void mpi_comm_free_f08_(void* comm, void* error) {
  forget(PMPI_Comm_f2c(*static_cast<const MPI_Fint*>(comm)));
  next<void (*)(void*, void*)>("mpi_comm_free_f08_")(comm, error);
}

}  // extern "C"
