// SPDX-License-Identifier: BSD-3-Clause
// MPICH's ABI (libmpi.so.12 of MPICH, Intel MPI and MVAPICH; Debian's libmpich.so.12): handles are numbers.
#pragma once

#include <cstdint>

using MPI_Comm = int;
using MPI_Datatype = int;
using MPI_Group = int;
using MPI_Info = int;
using MPI_Message = int;
using MPI_Op = int;
using MPI_Request = int;
using MPI_Session = int;
using MPI_Win = int;
using MPI_Aint = std::intptr_t;
using MPI_Count = std::int64_t;
using MPI_Fint = int;

struct MPI_Status {
  int count_low, count_high_and_cancelled;
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
};

inline constexpr int MPI_ANY_SOURCE = -2, MPI_ANY_TAG = -1, MPI_PROC_NULL = -1;
inline constexpr int MPI_THREAD_SINGLE = 0, MPI_THREAD_MULTIPLE = 3, MPI_COMM_TYPE_SHARED = 1;
inline constexpr int MPI_ERR_IN_STATUS = 17, MPI_ERR_PENDING = 18;
inline const void* const MPI_IN_PLACE = reinterpret_cast<void*>(-1);
inline MPI_Status* const MPI_STATUS_IGNORE = reinterpret_cast<MPI_Status*>(1);

namespace weft::advise::abi {
constexpr const char* name = "mpich";

template <class Handle>
Handle handle(unsigned number, void* (*)(const char*)) {
  return static_cast<Handle>(number);
}
constexpr unsigned comm_world = 0x44000000, comm_null = 0x04000000, byte = 0x4c00010d, int_type = 0x4c000405,
                   double_type = 0x4c00080b, uint64_type = 0x4c000819, type_null = 0x0c000000,
                   request_null = 0x2c000000, info_null = 0x1c000000, min = 0x58000002, max = 0x58000001,
                   sum = 0x58000003;
}  // namespace weft::advise::abi
