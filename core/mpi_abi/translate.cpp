// SPDX-License-Identifier: BSD-3-Clause
//
// Defines the pointers of include/mpi.h for one MPI library: each function takes arguments of the MPI standard's ABI,
// and calls the library's. It is compiled once for each family of libraries (Open MPI, MPICH), and loaded with the
// library before programs that were compiled with include/mpi.h.
#include <cstring>
#include <memory>
#include <vector>

#include "mpi_abi/handles.hpp"

namespace weft::mpi_abi {
namespace {

using Aint = MPI_Aint;
using Count = std::int64_t;
using CopyAttribute = void*;  // always null: a duplicate has no attributes of weft
using Cvar = struct AbiCvar*;
using DeleteAttribute = int (*)(Comm, int, void*, void*);
using From = const void*;
using NewComm = struct AbiNewComm*;  // points to a Comm that is only written, and so on
using NewFile = struct AbiNewFile*;
using NewOp = struct AbiNewOp*;
using NewRequest = struct AbiNewRequest*;
using NewType = struct AbiNewType*;
using Offset = std::int64_t;
using Reduction = MPI_User_function*;  // those of weft don't look at the datatype
using To = void*;
struct Status {
  int source, tag, error;
  int rest[5];
};

// The library's own fields of a status lie in `rest`.
static_assert(sizeof(MPI_Status) - 3 * sizeof(int) <= sizeof(Status::rest));
void split(const MPI_Status& from, Status& to) {
  to.source = standard<Peer>(from.MPI_SOURCE);
  to.tag = standard<Tag>(from.MPI_TAG);
  to.error = from.MPI_ERROR;
#if defined(OPEN_MPI)
  std::memcpy(to.rest, &from._cancelled, sizeof from - offsetof(MPI_Status, _cancelled));
#else
  std::memcpy(to.rest, &from, offsetof(MPI_Status, MPI_SOURCE));
#endif
}
MPI_Status join(const Status& from) {
  MPI_Status to{};
  to.MPI_SOURCE = native(static_cast<Peer>(from.source));
  to.MPI_TAG = native(static_cast<Tag>(from.tag));
  to.MPI_ERROR = from.error;
#if defined(OPEN_MPI)
  std::memcpy(&to._cancelled, from.rest, sizeof to - offsetof(MPI_Status, _cancelled));
#else
  std::memcpy(&to, from.rest, offsetof(MPI_Status, MPI_SOURCE));
#endif
  return to;
}

// An argument of the ABI, which converts to that of the library. Its destructor writes back what the library has
// written.
template <class Abi>
struct Argument {
  Abi value;
  operator Abi() const { return value; }
};

template <class Abi>
requires requires { typename Known<Abi>::Type; }
struct Argument<Abi> {
  Abi value;
  operator typename Known<Abi>::Type() const { return native(value); }
};

template <class Abi>
requires requires { typename Known<Abi>::Type; }
struct Argument<Abi*> {
  explicit Argument(Abi* to) : to(to), value(native(*to)) {}
  Argument(const Argument&) = delete;
  Argument& operator=(const Argument&) = delete;
  ~Argument() { *to = standard<Abi>(value); }
  operator typename Known<Abi>::Type *() { return &value; }
  Abi* to;
  typename Known<Abi>::Type value;
};

template <class New, class Abi>
struct OutArgument {
  explicit OutArgument(New to) : to(reinterpret_cast<Abi*>(to)) {}
  OutArgument(const OutArgument&) = delete;
  OutArgument& operator=(const OutArgument&) = delete;
  ~OutArgument() { *to = standard<Abi>(value); }
  operator typename Known<Abi>::Type *() { return &value; }
  Abi* to;
  typename Known<Abi>::Type value = Known<Abi>::all()[0].native;
};
template <>
struct Argument<NewComm> : OutArgument<NewComm, Comm> {
  using OutArgument::OutArgument;
};
template <>
struct Argument<NewFile> : OutArgument<NewFile, File> {
  using OutArgument::OutArgument;
};
template <>
struct Argument<NewOp> : OutArgument<NewOp, Op> {
  using OutArgument::OutArgument;
};
template <>
struct Argument<NewRequest> : OutArgument<NewRequest, Request> {
  using OutArgument::OutArgument;
};
template <>
struct Argument<NewType> : OutArgument<NewType, Type> {
  using OutArgument::OutArgument;
};
template <>
struct Argument<Level*> : OutArgument<Level*, Level> {
  using OutArgument::OutArgument;
};

template <class Pointer>
requires std::is_same_v<Pointer, From> || std::is_same_v<Pointer, To>
struct Argument<Pointer> {
  Pointer value;
  operator Pointer() const {
    return reinterpret_cast<std::intptr_t>(value) == value::in_place ? static_cast<Pointer>(MPI_IN_PLACE) : value;
  }
};

template <>
struct Argument<Status*> {
  explicit Argument(Status* to) : to(to) {}
  Argument(const Argument&) = delete;
  Argument& operator=(const Argument&) = delete;
  ~Argument() {
    if (to != nullptr) split(value, *to);
  }
  operator MPI_Status*() { return to != nullptr ? &value : MPI_STATUS_IGNORE; }
  Status* to;
  MPI_Status value{};
};
template <>
struct Argument<const Status*> {
  explicit Argument(const Status* from) : value(join(*from)) {}
  operator const MPI_Status*() const { return &value; }
  MPI_Status value;
};
static_assert(std::is_same_v<Count, Aint>);
template <>
struct Argument<Count*> {
  Count* value;
  template <class Number>
  requires(sizeof(Number) == 8) operator Number*() const { return reinterpret_cast<Number*>(value); }
};
template <>
struct Argument<Cvar> {
  Cvar value;
  operator MPI_T_cvar_handle() const { return reinterpret_cast<MPI_T_cvar_handle>(value); }
};
template <>
struct Argument<Cvar*> {
  Cvar* value;
  operator MPI_T_cvar_handle*() const { return reinterpret_cast<MPI_T_cvar_handle*>(value); }
};

template <auto function>
struct Call {
  template <class... Abi>
  static int of(Abi... values) {
    return function(Argument<Abi>(values)...);
  }
};

// Functions with a translation of their own.

int of_Comm_idup(Comm comm, NewComm made, NewRequest request) {
  auto* to = reinterpret_cast<Comm*>(made);
  *to = nullptr;  // written when the request is complete, by MPICH as an int
  return MPI_Comm_idup(native(comm), reinterpret_cast<MPI_Comm*>(to), Argument<NewRequest>(request));
}

struct Attribute {
  DeleteAttribute remove;
  void* extra;
};
int remove_attribute(MPI_Comm comm, int keyval, void* value, void* extra) {
  const auto* attribute = static_cast<const Attribute*>(extra);
  return attribute->remove(standard<Comm>(comm), keyval, value, attribute->extra);
}
int of_Comm_create_keyval(CopyAttribute, DeleteAttribute remove, Keyval* keyval, void* extra) {
  auto* attribute = new Attribute{remove, extra};  // MPI does not tell when nobody uses it any more
  return MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, remove_attribute, Argument<Keyval*>(keyval), attribute);
}

const int* weights_of(const int* weights) {
  switch (reinterpret_cast<std::intptr_t>(weights)) {
    case value::unweighted: return MPI_UNWEIGHTED;
    case value::weights_empty: return MPI_WEIGHTS_EMPTY;
    default: return weights;
  }
}
int of_Dist_graph_create_adjacent(Comm comm, int in, const int* from, const int* in_weights, int out, const int* to,
                                  const int* out_weights, Info info, int reorder, NewComm made) {
  return MPI_Dist_graph_create_adjacent(native(comm), in, from, weights_of(in_weights), out, to,
                                        weights_of(out_weights), native(info), reorder, Argument<NewComm>(made));
}

int of_Type_create_struct(int count, const int* lengths, const Aint* places, const Type* types, NewType made) {
  std::vector<MPI_Datatype> all;
  for (int i = 0; i < count; ++i) all.push_back(native(types[i]));
  return MPI_Type_create_struct(count, lengths, places, all.data(), Argument<NewType>(made));
}

int of_Op_create(Reduction function, int commutes, NewOp made) {
  return MPI_Op_create(function, commutes, Argument<NewOp>(made));
}

// Requests of the ABI as the library's, which are written back when the call has returned.
struct Requests {
  Requests(int count, Request* to) : to(to) {
    all.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) all.push_back(native(to[i]));
  }
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;
  ~Requests() {
    for (std::size_t i = 0; i < all.size(); ++i) to[i] = standard<Request>(all[i]);
  }
  Request* to;
  std::vector<MPI_Request> all;
};

// The library's statuses of a call, if the caller wants any.
struct Statuses {
  Statuses(int count, Status* to) : to(to), all(to != nullptr ? static_cast<std::size_t>(count) : 0) {}
  MPI_Status* data() { return to != nullptr ? all.data() : MPI_STATUSES_IGNORE; }
  void write(int count) {
    for (std::size_t i = 0; to != nullptr && i < static_cast<std::size_t>(count); ++i) split(all[i], to[i]);
  }
  Status* to;
  std::vector<MPI_Status> all;
};

int of_Startall(int count, Request* requests) { return MPI_Startall(count, Requests(count, requests).all.data()); }

int of_Testsome(int count, Request* requests, int* completed, int* which, Status* statuses) {
  Statuses found(count, statuses);
  const int code = MPI_Testsome(count, Requests(count, requests).all.data(), completed, which, found.data());
  if (*completed != MPI_UNDEFINED) found.write(*completed);
  return code;
}

int of_Waitall(int count, Request* requests, Status* statuses) {
  Statuses found(count, statuses);
  const int code = MPI_Waitall(count, Requests(count, requests).all.data(), found.data());
  found.write(count);
  return code;
}

}  // namespace

// Calls of MPI 4: weak, so that a library that lacks one leaves a null pointer.
extern "C" {
#define WEFT_CALL(name, ...)
#define WEFT_OWN(name, ...)
#define WEFT_LATER(name, ...) extern decltype(MPI_##name) MPI_##name __attribute__((weak));
#include "mpi_abi/functions.hpp"
#undef WEFT_CALL
#undef WEFT_OWN
#undef WEFT_LATER
#define WEFT_CALL(name, ...)                  \
  extern int (*weft_mpi_##name)(__VA_ARGS__); \
  int (*weft_mpi_##name)(__VA_ARGS__) = Call<&MPI_##name>::of<__VA_ARGS__>;
#define WEFT_OWN(name, ...)                   \
  extern int (*weft_mpi_##name)(__VA_ARGS__); \
  int (*weft_mpi_##name)(__VA_ARGS__) = of_##name;
#define WEFT_LATER(name, ...)                 \
  extern int (*weft_mpi_##name)(__VA_ARGS__); \
  int (*weft_mpi_##name)(__VA_ARGS__) = MPI_##name != nullptr ? Call<&MPI_##name>::of<__VA_ARGS__> : nullptr;
#include "mpi_abi/functions.hpp"

extern double (*weft_mpi_Wtime)();
double (*weft_mpi_Wtime)() = MPI_Wtime;
extern Comm (*weft_mpi_Comm_f2c)(int);
Comm (*weft_mpi_Comm_f2c)(int) = [](int number) { return standard<Comm>(MPI_Comm_f2c(number)); };
}

}  // namespace weft::mpi_abi
