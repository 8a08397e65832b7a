// SPDX-License-Identifier: BSD-3-Clause
//
// MPI for programs that are compiled once for all MPI libraries: the types and constants of the MPI standard's own ABI
// (MPI 5.0, chapter 20; mpi_abi.h of an MPI library that has it, such as MPICH 5). The functions are pointers, which a
// small library defines for the MPI library of the process (../mpi_abi/translate.cpp): it must be loaded before.
#pragma once

#include <mpi_abi.h>

#include <type_traits>

namespace weft::mpi_abi {

using Aint = MPI_Aint;
using Comm = MPI_Comm;
using CopyAttribute = MPI_Comm_copy_attr_function*;
using Count = MPI_Count;
using Cvar = MPI_T_cvar_handle;
using DeleteAttribute = MPI_Comm_delete_attr_function*;
using Errhandler = MPI_Errhandler;
using File = MPI_File;
using From = const void*;
using Info = MPI_Info;
using Keyval = int;
using Kind = int;
using Level = int;
using Mode = int;
using NewComm = MPI_Comm*;
using NewFile = MPI_File*;
using NewOp = MPI_Op*;
using NewRequest = MPI_Request*;
using NewType = MPI_Datatype*;
using Offset = MPI_Offset;
using Op = MPI_Op;
using Order = int;
using Peer = int;
using Reduction = MPI_User_function*;
using Request = MPI_Request;
using Status = MPI_Status;
using Tag = int;
using To = void*;
using Type = MPI_Datatype;

// Each row of the table is compared with the header's prototype.
#define WEFT_CALL(name, ...)                                                  \
  static_assert(std::is_same_v<decltype(&MPI_##name), int (*)(__VA_ARGS__)>); \
  extern "C" int (*weft_mpi_##name)(__VA_ARGS__);
#define WEFT_OWN WEFT_CALL
#define WEFT_LATER WEFT_CALL
#include "mpi_abi/functions.hpp"
#undef WEFT_CALL
#undef WEFT_OWN
#undef WEFT_LATER
extern "C" double (*weft_mpi_Wtime)();
extern "C" MPI_Comm (*weft_mpi_Comm_f2c)(int);  // Comm_fromint in the standard's ABI

}  // namespace weft::mpi_abi

using MPI_Fint = int;
#include "mpi_abi_names.h"  // such as #define MPI_Send ::weft::mpi_abi::weft_mpi_Send; made by CMake from the table
