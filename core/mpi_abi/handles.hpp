// SPDX-License-Identifier: BSD-3-Clause
//
// Handles and numbers of the MPI standard's ABI as those of the MPI library that mpi.h belongs to, and back. A
// predefined handle is a small number in the ABI and has its own value in the library. All other handles are the
// library's, widened to a pointer.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include "mpi_abi/values.hpp"

namespace weft::mpi_abi {

using Comm = struct AbiComm*;
using Errhandler = struct AbiErrhandler*;
using File = struct AbiFile*;
using Info = struct AbiInfo*;
using Op = struct AbiOp*;
using Request = struct AbiRequest*;
using Type = struct AbiType*;
enum Keyval : int {};
enum Kind : int {};
enum Level : int {};
enum Mode : int {};
enum Order : int {};
enum Peer : int {};
enum Tag : int {};

/// A predefined handle, or one of MPI's numbers.
template <class Number, class Native>
struct Named {
  Number number;
  Native native;
};

/// The predefined values of a type of the ABI; of a handle, the null handle is the first.
template <class Abi>
struct Known;

#define WEFT_KNOWN(Abi, Number, Native, ...)                      \
  template <>                                                     \
  struct Known<Abi> {                                             \
    using Type = Native;                                          \
    static auto& all() {                                          \
      static const Named<Number, Native> known[] = {__VA_ARGS__}; \
      return known;                                               \
    }                                                             \
  };
WEFT_KNOWN(Comm, std::intptr_t, MPI_Comm, {value::comm_null, MPI_COMM_NULL}, {value::comm_world, MPI_COMM_WORLD},
           {value::comm_self, MPI_COMM_SELF})
WEFT_KNOWN(Errhandler, std::intptr_t, MPI_Errhandler, {value::errors_are_fatal, MPI_ERRORS_ARE_FATAL},
           {value::errors_return, MPI_ERRORS_RETURN})
WEFT_KNOWN(File, std::intptr_t, MPI_File, {value::file_null, MPI_FILE_NULL})
WEFT_KNOWN(Info, std::intptr_t, MPI_Info, {value::info_null, MPI_INFO_NULL})
WEFT_KNOWN(Op, std::intptr_t, MPI_Op, {value::op_null, MPI_OP_NULL}, {value::sum, MPI_SUM}, {value::min, MPI_MIN},
           {value::max, MPI_MAX})
WEFT_KNOWN(Request, std::intptr_t, MPI_Request, {value::request_null, MPI_REQUEST_NULL})
WEFT_KNOWN(Type, std::intptr_t, MPI_Datatype, {value::type_null, MPI_DATATYPE_NULL}, {value::type_byte, MPI_BYTE},
           {value::type_double, MPI_DOUBLE}, {value::type_float, MPI_FLOAT}, {value::type_int, MPI_INT},
           {value::type_int32, MPI_INT32_T}, {value::type_int64, MPI_INT64_T}, {value::type_uint64, MPI_UINT64_T},
           {value::type_unsigned_long_long, MPI_UNSIGNED_LONG_LONG})
WEFT_KNOWN(Keyval, int, int, {value::keyval_invalid, MPI_KEYVAL_INVALID}, {value::tag_ub, MPI_TAG_UB})
WEFT_KNOWN(Kind, int, int, {value::shared, MPI_COMM_TYPE_SHARED})
WEFT_KNOWN(Level, int, int, {value::single, MPI_THREAD_SINGLE}, {value::funneled, MPI_THREAD_FUNNELED},
           {value::serialized, MPI_THREAD_SERIALIZED}, {value::multiple, MPI_THREAD_MULTIPLE})
WEFT_KNOWN(Mode, int, int, {value::read_only, MPI_MODE_RDONLY}, {value::write_only, MPI_MODE_WRONLY})
WEFT_KNOWN(Order, int, int, {value::order_c, MPI_ORDER_C})
WEFT_KNOWN(Peer, int, int, {value::any_source, MPI_ANY_SOURCE}, {value::proc_null, MPI_PROC_NULL})
WEFT_KNOWN(Tag, int, int, {value::any_tag, MPI_ANY_TAG})
#undef WEFT_KNOWN
static_assert(value::undefined == MPI_UNDEFINED && sizeof(MPI_Aint) == 8 && sizeof(MPI_Count) == 8);

template <class Abi>
inline constexpr bool is_handle = std::is_pointer_v<Abi>;

/// Another value of a type of the ABI is the library's, except that all of these have names.
template <class Abi>
inline constexpr bool is_named =
    std::is_same_v<Abi, Kind> || std::is_same_v<Abi, Mode> || std::is_same_v<Abi, Level> || std::is_same_v<Abi, Order>;

/// Keys of attributes are small in Open MPI; so they differ from the standard's.
template <class Abi>
inline constexpr int shift = std::is_same_v<Abi, Keyval> ? 0x10000 : 0;

template <class Abi>
typename Known<Abi>::Type native(Abi value) {
  using Native = typename Known<Abi>::Type;
  std::intptr_t number = 0;
  if constexpr (is_handle<Abi>)
    number = reinterpret_cast<std::intptr_t>(value);
  else
    number = value;
  constexpr std::intptr_t predefined = 0x1000;  // handles below it; an integer is rarely negative
  if (is_handle<Abi> ? number < predefined : is_named<Abi> || number <= 0 || shift<Abi> != 0) {
    for (const auto& [ours, theirs] : Known<Abi>::all())
      if (number == ours) return theirs;
    if (is_handle<Abi> || is_named<Abi>) {
      std::fprintf(stderr, "error: weft gives MPI the value 0x%llx, which core/mpi_abi lacks.\n",
                   static_cast<unsigned long long>(number));
      std::abort();
    }
  }
  if constexpr (std::is_pointer_v<Native>)
    return reinterpret_cast<Native>(number);
  else
    return static_cast<Native>(number - shift<Abi>);
}

template <class Abi>
Abi standard(typename Known<Abi>::Type value) {
  if constexpr (is_handle<Abi>)  // Open MPI has no handle for a number that was never given
    if (value == typename Known<Abi>::Type{}) value = Known<Abi>::all()[0].native;
  for (const auto& [ours, theirs] : Known<Abi>::all())
    if (value == theirs) {
      if constexpr (is_handle<Abi>)
        return reinterpret_cast<Abi>(ours);
      else
        return static_cast<Abi>(ours);
    }
  if constexpr (!is_handle<Abi>)
    return static_cast<Abi>(value + shift<Abi>);
  else if constexpr (std::is_pointer_v<typename Known<Abi>::Type>)
    return reinterpret_cast<Abi>(value);
  else
    return reinterpret_cast<Abi>(static_cast<std::uintptr_t>(static_cast<unsigned>(value)));
}

}  // namespace weft::mpi_abi
