// SPDX-License-Identifier: BSD-3-Clause
// Open MPI's ABI (libmpi.so.40, versions 3 to 5): handles are pointers to objects, and predefined handles are symbols
// of the library.
#pragma once

#include <cstddef>
#include <cstdint>

using MPI_Comm = struct ompi_communicator_t*;
using MPI_Datatype = struct ompi_datatype_t*;
using MPI_Group = struct ompi_group_t*;
using MPI_Info = struct ompi_info_t*;
using MPI_Message = struct ompi_message_t*;
using MPI_Op = struct ompi_op_t*;
using MPI_Request = struct ompi_request_t*;
using MPI_Session = struct ompi_instance_t*;
using MPI_Win = struct ompi_win_t*;
using MPI_Aint = std::intptr_t;
using MPI_Count = std::int64_t;
using MPI_Fint = int;

struct MPI_Status {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
  int cancelled;
  std::size_t count;
};

inline constexpr int MPI_ANY_SOURCE = -1, MPI_ANY_TAG = -1, MPI_PROC_NULL = -2;
inline constexpr int MPI_THREAD_SINGLE = 0, MPI_THREAD_MULTIPLE = 3, MPI_COMM_TYPE_SHARED = 0;
inline constexpr int MPI_ERR_IN_STATUS = 18, MPI_ERR_PENDING = 19;
inline const void* const MPI_IN_PLACE = reinterpret_cast<void*>(1);
inline MPI_Status* const MPI_STATUS_IGNORE = nullptr;

namespace weft::advise::abi {
constexpr const char* name = "openmpi";

/// A predefined handle. `symbol` looks a name up in the library; null if the library does not have it.
template <class Handle>
Handle handle(const char* name, void* (*symbol)(const char*)) {
  return static_cast<Handle>(symbol(name));
}
constexpr const char *comm_world = "ompi_mpi_comm_world", *comm_null = "ompi_mpi_comm_null", *byte = "ompi_mpi_byte",
                     *int_type = "ompi_mpi_int", *double_type = "ompi_mpi_double",
                     *uint64_type = "ompi_mpi_unsigned_long_long", *type_null = "ompi_mpi_datatype_null",
                     *request_null = "ompi_request_null", *info_null = "ompi_mpi_info_null", *min = "ompi_mpi_op_min",
                     *max = "ompi_mpi_op_max", *sum = "ompi_mpi_op_sum";
}  // namespace weft::advise::abi
