// SPDX-License-Identifier: BSD-3-Clause
// An MPI library opened at run time, and two ranks that communicate with it.
#pragma once

#include <dlfcn.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#if defined(WEFT_ABI_OPENMPI)
#include "advise/abi/openmpi.hpp"
#elif defined(WEFT_ABI_MPICH)
#include "advise/abi/mpich.hpp"
#else
#include "advise/abi/standard.hpp"
#endif
#include "weft/clock.hpp"

namespace weft::doctor::probe {

/// The functions and handles that are used here.
struct Mpi {
  int (*Get_library_version)(char*, int*);
  int (*Init_thread)(int*, char***, int, int*);
  int (*Finalize)();
  int (*Comm_rank)(MPI_Comm, int*);
  int (*Comm_size)(MPI_Comm, int*);
  int (*Isend)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  int (*Irecv)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  int (*Iallreduce)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*);
  int (*Test)(MPI_Request*, int*, MPI_Status*);
  MPI_Comm world;
  MPI_Datatype byte, real;
  MPI_Op sum;

  /// Opens the library with global symbols, since its own plug-ins need them. False on failure; the reason is printed
  /// on stderr.
  bool open(const char* path) {
    library() = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (library() == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      return false;
    }
    namespace abi = weft::advise::abi;
    world = abi::handle<MPI_Comm>(abi::comm_world, symbol);
    byte = abi::handle<MPI_Datatype>(abi::byte, symbol);
    real = abi::handle<MPI_Datatype>(abi::double_type, symbol);
    sum = abi::handle<MPI_Op>(abi::sum, symbol);
    return get(Get_library_version, "MPI_Get_library_version") && get(Init_thread, "MPI_Init_thread") &&
           get(Finalize, "MPI_Finalize") && get(Comm_rank, "MPI_Comm_rank") && get(Comm_size, "MPI_Comm_size") &&
           get(Isend, "MPI_Isend") && get(Irecv, "MPI_Irecv") && get(Iallreduce, "MPI_Iallreduce") &&
           get(Test, "MPI_Test");
  }

  /// Tests until the operation is complete, and yields the core in between.
  void finish(MPI_Request& request) const {
    for (int done = 0; Test(&request, &done, MPI_STATUS_IGNORE), !done;) sched_yield();
  }

  /// Tests until the operation is complete, for at most `seconds`.
  bool done_within(MPI_Request& request, double seconds) const {
    int done = 0;
    const double end = now_seconds() + seconds;
    do Test(&request, &done, MPI_STATUS_IGNORE);
    while (!done && now_seconds() < end && sched_yield() == 0);
    return done != 0;
  }

 private:
  static void*& library() {
    static void* handle = nullptr;
    return handle;
  }
  static void* symbol(const char* name) { return dlsym(library(), name); }

  template <class F>
  static bool get(F& function, const char* name) {
    function = reinterpret_cast<F>(symbol(name));
    if (function == nullptr) std::fprintf(stderr, "the library has no %s (it is not an MPI library)\n", name);
    return function != nullptr;
  }
};

inline Mpi mpi;

/// This rank and the other one.
class Pair {
 public:
  int rank = 0, ranks = 0;

  Pair() {
    mpi.Comm_rank(mpi.world, &rank);
    mpi.Comm_size(mpi.world, &ranks);
  }

  MPI_Request send(const void* data, std::size_t bytes, int tag) const {
    MPI_Request request;
    mpi.Isend(data, static_cast<int>(bytes), mpi.byte, 1 - rank, tag, mpi.world, &request);
    return request;
  }
  MPI_Request receive(void* data, std::size_t bytes, int tag) const {
    MPI_Request request;
    mpi.Irecv(data, static_cast<int>(bytes), mpi.byte, 1 - rank, tag, mpi.world, &request);
    return request;
  }

  /// Exchanges values between the two ranks. Neither returns before the other has arrived.
  template <class T>
  T swap(const T& mine) const {
    T theirs{};
    MPI_Request in = receive(&theirs, sizeof theirs, 1), out = send(&mine, sizeof mine, 1);
    mpi.finish(in);
    mpi.finish(out);
    return theirs;
  }
  std::string swap(const std::string& mine) const {
    struct Text {
      char characters[4096];
    } text{};
    std::strncpy(text.characters, mine.c_str(), sizeof text.characters - 1);
    return swap(text).characters;
  }

  bool agree_both(bool mine) const { return static_cast<int>(swap(static_cast<int>(mine))) != 0 && mine; }

  double slower(double seconds) const { return std::max(seconds, swap(seconds)); }

  /// Both ranks get rank 0's value, and are synchronised.
  template <class T>
  T agree(T value) const {
    const T theirs = swap(value);
    return rank == 0 ? value : theirs;
  }
};

}  // namespace weft::doctor::probe
