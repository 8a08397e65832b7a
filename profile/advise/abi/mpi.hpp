// SPDX-License-Identifier: BSD-3-Clause
// MPI's types and functions in one ABI, declared without an mpi.h: all three libraries can be built on a machine with
// any MPI library, and none is linked with one. profile/tests/advise/abi_test.cpp compares them with the installed
// mpi.h.
#pragma once

#if defined(WEFT_ABI_OPENMPI)
#include "advise/abi/openmpi.hpp"
#elif defined(WEFT_ABI_MPICH)
#include "advise/abi/mpich.hpp"
#else
#include "advise/abi/standard.hpp"
#endif

inline MPI_Status* const MPI_STATUSES_IGNORE = MPI_STATUS_IGNORE;
inline constexpr int MPI_SUCCESS = 0, MPI_UNDEFINED = -32766;
inline constexpr int MPI_MAX_LIBRARY_VERSION_STRING = 8192, MPI_MAX_PROCESSOR_NAME = 256;

namespace weft::advise {

/// The predefined handles that are used here; set when the MPI library has been found (functions.cpp).
struct Handles {
  MPI_Comm comm_world, comm_null;
  MPI_Datatype byte, int_type, double_type, uint64_type, type_null;
  MPI_Request request_null;
  MPI_Info info_null;
  MPI_Op min, max, sum;
};
extern Handles handles;

}  // namespace weft::advise

#define MPI_COMM_WORLD (::weft::advise::handles.comm_world)
#define MPI_COMM_NULL (::weft::advise::handles.comm_null)
#define MPI_BYTE (::weft::advise::handles.byte)
#define MPI_INT (::weft::advise::handles.int_type)
#define MPI_DOUBLE (::weft::advise::handles.double_type)
#define MPI_UINT64_T (::weft::advise::handles.uint64_type)
#define MPI_DATATYPE_NULL (::weft::advise::handles.type_null)
#define MPI_REQUEST_NULL (::weft::advise::handles.request_null)
#define MPI_INFO_NULL (::weft::advise::handles.info_null)
#define MPI_MIN (::weft::advise::handles.min)
#define MPI_MAX (::weft::advise::handles.max)
#define MPI_SUM (::weft::advise::handles.sum)

// The functions that weft itself calls, as pointers into the program's MPI library: other tools don't see these calls.
#define WEFT_MPI_FUNCTIONS(F)                                                                                  \
  F(int, Query_thread, (int*))                                                                                 \
  F(int, Initialized, (int*))                                                                                  \
  F(int, Comm_dup, (MPI_Comm, MPI_Comm*))                                                                      \
  F(int, Comm_free, (MPI_Comm*))                                                                               \
  F(int, Comm_rank, (MPI_Comm, int*))                                                                          \
  F(int, Comm_size, (MPI_Comm, int*))                                                                          \
  F(int, Comm_group, (MPI_Comm, MPI_Group*))                                                                   \
  F(int, Comm_remote_group, (MPI_Comm, MPI_Group*))                                                            \
  F(int, Comm_test_inter, (MPI_Comm, int*))                                                                    \
  F(int, Error_class, (int, int*))                                                                             \
  F(int, Get_count, (const MPI_Status*, MPI_Datatype, int*))                                                   \
  F(int, Test_cancelled, (const MPI_Status*, int*))                                                            \
  F(int, Comm_get_parent, (MPI_Comm*))                                                                         \
  F(int, Group_size, (MPI_Group, int*))                                                                        \
  F(int, Group_free, (MPI_Group*))                                                                             \
  F(int, Group_translate_ranks, (MPI_Group, int, const int*, MPI_Group, int*))                                 \
  F(int, Type_size, (MPI_Datatype, int*))                                                                      \
  F(int, Get_library_version, (char*, int*))                                                                   \
  F(int, Get_processor_name, (char*, int*))                                                                    \
  F(int, Isend, (const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*))                            \
  F(int, Irecv, (void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*))                                  \
  F(int, Test, (MPI_Request*, int*, MPI_Status*))                                                              \
  F(int, Testall, (int, MPI_Request*, int*, MPI_Status*))                                                      \
  F(int, Request_get_status, (MPI_Request, int*, MPI_Status*))                                                 \
  F(int, Wait, (MPI_Request*, MPI_Status*))                                                                    \
  F(int, Iprobe, (int, int, MPI_Comm, int*, MPI_Status*))                                                      \
  F(int, Cancel, (MPI_Request*))                                                                               \
  F(int, Ibarrier, (MPI_Comm, MPI_Request*))                                                                   \
  F(int, Iallreduce, (const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*))                  \
  F(int, Iallgather, (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm, MPI_Request*))       \
  F(int, Ialltoall, (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm, MPI_Request*))        \
  F(int, Ialltoallv,                                                                                           \
    (const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*, MPI_Datatype, MPI_Comm, \
     MPI_Request*))                                                                                            \
  F(MPI_Comm, Comm_f2c, (MPI_Fint))                                                                            \
  F(MPI_Datatype, Type_f2c, (MPI_Fint))                                                                        \
  F(MPI_Request, Request_f2c, (MPI_Fint))                                                                      \
  F(MPI_Message, Message_f2c, (MPI_Fint))

#define WEFT_DECLARE(result, name, arguments) extern result(*PMPI_##name) arguments;
WEFT_MPI_FUNCTIONS(WEFT_DECLARE)
#undef WEFT_DECLARE
