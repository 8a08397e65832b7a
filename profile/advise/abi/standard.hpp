// SPDX-License-Identifier: BSD-3-Clause
// The MPI standard's own ABI (libmpi_abi.so.1; MPI 5.0, chapter 20): handles are pointers, and predefined handles are
// small numbers.
#pragma once

#include <cstdint>

using MPI_Comm = struct MPI_ABI_Comm*;
using MPI_Datatype = struct MPI_ABI_Datatype*;
using MPI_Group = struct MPI_ABI_Group*;
using MPI_Info = struct MPI_ABI_Info*;
using MPI_Message = struct MPI_ABI_Message*;
using MPI_Op = struct MPI_ABI_Op*;
using MPI_Request = struct MPI_ABI_Request*;
using MPI_Session = struct MPI_ABI_Session*;
using MPI_Win = struct MPI_ABI_Win*;
using MPI_Aint = std::intptr_t;
using MPI_Count = std::int64_t;
using MPI_Fint = int;

struct MPI_Status {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
  int internal[5];
};

inline constexpr int MPI_ANY_SOURCE = -1, MPI_ANY_TAG = -2, MPI_PROC_NULL = -3;
inline constexpr int MPI_THREAD_SINGLE = 0, MPI_THREAD_MULTIPLE = 4096, MPI_COMM_TYPE_SHARED = 221;
inline constexpr int MPI_ERR_IN_STATUS = 19, MPI_ERR_PENDING = 18;
inline const void* const MPI_IN_PLACE = reinterpret_cast<void*>(1);
inline MPI_Status* const MPI_STATUS_IGNORE = nullptr;

namespace weft::advise::abi {
constexpr const char* name = "abi";

template <class Handle>
Handle handle(std::intptr_t number, void* (*)(const char*)) {
  return reinterpret_cast<Handle>(number);
}
constexpr std::intptr_t comm_world = 0x101, comm_null = 0x100, byte = 0x247, int_type = 0x209, double_type = 0x214,
                        uint64_type = 0x20f, type_null = 0x200, request_null = 0x180, info_null = 0x130, min = 0x22,
                        max = 0x23, sum = 0x21;
}  // namespace weft::advise::abi
