// SPDX-License-Identifier: BSD-3-Clause
//
// MPI, objects, and the records of callbacks.
#include <mpi.h>

#include <cstring>
#include <mutex>
#include <unordered_map>

#include "fortran/array.hpp"

namespace weft::fortran {
namespace {

constexpr int interface_number = 3;  // of the functions in this folder; weft.f90 has it, too

thread_local int raised = 0;

/// The records of callbacks of each object, which the module deallocates after the object.
std::mutex records_mutex;
std::unordered_multimap<void*, void*>& records() {
  static std::unordered_multimap<void*, void*> all;
  return all;
}

/// The C handles of requests that weft waits for, by the address of the program's variable: it is in use as long as the
/// request is, so a later request in it may have the same place.
std::mutex requests_mutex;
std::unordered_map<const void*, MPI_Request>& requests() {
  static auto& all = *new std::unordered_map<const void*, MPI_Request>;  // a progress thread may still test one
  return all;
}

bool initialised_by_weft = false;

}  // namespace

extern "C" {

/// Initialises MPI if nobody has.
WEFT_API int weft_fortran_init(void) {
  int is_initialised = 0, provided = 0;
  MPI_Initialized(&is_initialised);
  if (is_initialised != 0) return WEFT_OK;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS)
    return weft_raise("MPI can't be initialised.");
  initialised_by_weft = true;
  return WEFT_OK;
}
/// Finalises MPI if weft has initialised it.
WEFT_API int weft_fortran_finalize(void) {
  int is_finalised = 0;
  MPI_Finalized(&is_finalised);
  if (initialised_by_weft && is_finalised == 0 && MPI_Finalize() != MPI_SUCCESS)
    return weft_raise("MPI can't be finalised.");
  return WEFT_OK;
}

/// `interface`: of weft.f90. `mpi`: the integer of a communicator, which is also all of a type(MPI_Comm); absent:
/// MPI_COMM_WORLD.
WEFT_API int weft_fortran_comm_create(int interface, const void* mpi, weft_comm* comm) {
  return call([&]() -> int {
    if (const int code = weft_fortran_init(); code != WEFT_OK) return code;  // first: errors then end by MPI_Abort
    if (interface != interface_number)
      refuse("weft.f90 does not fit to libweft_c, which has version " WEFT_VERSION
             ". Compile the weft.f90 that was installed with the library.");
    require_known_descriptors();
    int is_finalised = 0;
    MPI_Finalized(&is_finalised);
    if (is_finalised != 0) refuse("MPI was finalised. Make all objects of weft before.");
    MPI_Comm communicator = MPI_COMM_WORLD;
    if (mpi != nullptr) {
      MPI_Fint number = 0;
      std::memcpy(&number, mpi, sizeof number);
      communicator = MPI_Comm_f2c(number);
    }
    if (communicator == MPI_COMM_NULL) refuse("The communicator is MPI_COMM_NULL. Call this only on its ranks.");
    return weft_comm_create(communicator, comm);
  });
}

/// Frees an object of the module. `kind`: in the order of the module.
WEFT_API int weft_fortran_free(int kind, void** handle) {
  const auto free = [&](auto function, auto type) {
    type = static_cast<decltype(type)>(*handle);
    const int code = function(&type);
    *handle = type;
    return code;
  };
  switch (kind) {
    case 1: return free(weft_comm_free, weft_comm());
    case 2: return free(weft_space_free, weft_space());
    case 3: return free(weft_progress_free, weft_progress());
    case 4: return free(weft_timeline_free, weft_timeline());
    case 5: return free(weft_exchange_free, weft_exchange());
    case 6: return free(weft_op_free, weft_op());
    case 7: return free(weft_step_manager_free, weft_step_manager());
    case 8: return free(weft_grid_free, weft_grid());
    case 9: return free(weft_halo_free, weft_halo());
    case 10: return free(weft_halo_exchange_free, weft_halo_exchange());
    case 11: return free(weft_monitors_free, weft_monitors());
    case 12: return free(weft_rounds_free, weft_rounds());
    case 13: return free(weft_mailbox_free, weft_mailbox());
    case 14: return free(weft_tuning_free, weft_tuning());
    case 15: return free(weft_overlap_report_free, weft_overlap_report());
    case 16: return free(weft_graph_free, weft_graph());
    case 17: return free(weft_device_free, weft_device());
    default: return WEFT_OK;
  }
}

/// Marks the running callback of this thread as failed.
WEFT_API void weft_fortran_raise(const char* why) {
  weft_raise(why);
  raised = 1;
}
/// Sets the mark, and returns what it was.
WEFT_API int weft_fortran_raised(int value) {
  const int before = raised;
  raised = value;
  return before;
}

WEFT_API int weft_fortran_keep(void* owner, void* record) {
  return call([&] {
    const std::lock_guard lock(records_mutex);
    records().emplace(owner, record);
    return WEFT_OK;
  });
}
/// The next record of an object that is gone; NULL after the last.
WEFT_API void* weft_fortran_drop(void* owner) {
  const std::lock_guard lock(records_mutex);
  const auto found = records().find(owner);
  if (found == records().end()) return nullptr;
  void* record = found->second;
  records().erase(found);
  return record;
}

/// The communication of a tile: a started exchange, or the integer of an MPI request.
WEFT_API int weft_fortran_started(weft_communication* communication, weft_exchange exchange, const void* request) {
  communication->exchange = exchange;
  if (exchange == nullptr && request != nullptr) {
    MPI_Fint number = 0;
    std::memcpy(&number, request, sizeof number);
    communication->request = MPI_Request_f2c(number);
  }
  return WEFT_OK;
}

/// An exchange or a step also waits for a request, of whose integer this is the address.
WEFT_API int weft_fortran_wait_also(int in_step, void* object, const void* request) {
  return call([&] {
    MPI_Fint number = 0;
    std::memcpy(&number, request, sizeof number);
    MPI_Request* kept = nullptr;
    {
      const std::lock_guard lock(requests_mutex);
      kept = &requests()[request];
    }
    *kept = MPI_Request_f2c(number);
    return in_step != 0 ? weft_step_wait_also(static_cast<weft_step>(object), kept)
                        : weft_exchange_wait_also(static_cast<weft_exchange>(object), kept);
  });
}
}

}  // namespace weft::fortran
