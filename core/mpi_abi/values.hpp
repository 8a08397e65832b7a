// SPDX-License-Identifier: BSD-3-Clause
//
// Constants of the MPI standard's ABI (MPI 5.0, appendix A.1), as numbers. same.cpp compares them with mpi_abi.h.
#pragma once

#include <cstdint>

namespace weft::mpi_abi::value {

inline constexpr std::intptr_t op_null = 0x20, sum = 0x21, min = 0x22, max = 0x23;
inline constexpr std::intptr_t comm_null = 0x100, comm_world = 0x101, comm_self = 0x102;
inline constexpr std::intptr_t file_null = 0x118, info_null = 0x130, request_null = 0x180;
inline constexpr std::intptr_t errors_are_fatal = 0x141, errors_return = 0x143;
inline constexpr std::intptr_t type_null = 0x200, type_int = 0x209, type_unsigned_long_long = 0x20f, type_float = 0x210,
                               type_double = 0x214, type_byte = 0x247, type_int32 = 0x250, type_int64 = 0x258,
                               type_uint64 = 0x259;
inline constexpr std::intptr_t bottom = 0, ignored = 0, no_copy = 0, in_place = 1, unweighted = 10, weights_empty = 11;
inline constexpr int any_source = -1, any_tag = -2, proc_null = -3, undefined = -32766;
inline constexpr int single = 0, funneled = 1024, serialized = 2048, multiple = 4096;
inline constexpr int shared = 221, keyval_invalid = 0, tag_ub = 501, read_only = 16, write_only = 256, order_c = 12;

}  // namespace weft::mpi_abi::value
