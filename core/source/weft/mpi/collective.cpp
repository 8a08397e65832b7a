// SPDX-License-Identifier: BSD-3-Clause
//
// MPI's collectives as operations: persistent where the library has them, started anew each time otherwise.
#include <array>
#include <functional>
#include <mutex>
#include <utility>

#include "weft/mpi/check.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/mpi/ended.hpp"
#include "weft/mpi/persistent.hpp"
#include "weft/mpi/request.hpp"

namespace weft::mpi {
namespace {

// MPI passes no user data to a reduction function, so each function in use gets a slot with its own trampoline. Slots
// are never released: a program has a handful of reductions, and every exchange that uses one shares its slot.
constexpr std::size_t slot_count = 64;
struct Slot {
  ReductionOfBytes::Combine combine = nullptr;
  bool commutative = true;
  MPI_Op op = MPI_OP_NULL;
};
std::array<Slot, slot_count> slots;
std::mutex slots_mutex;

template <std::size_t I>
void trampoline(void* left, void* inout, int* count, MPI_Datatype*) {
  slots[I].combine(left, inout, static_cast<std::size_t>(*count));
}

template <std::size_t... I>
constexpr std::array<MPI_User_function*, slot_count> make_trampolines(std::index_sequence<I...>) {
  return {&trampoline<I>...};
}
constexpr auto trampolines = make_trampolines(std::make_index_sequence<slot_count>{});

MPI_Op user_op(const ReductionOfBytes& reduction) {
  const std::lock_guard lock(slots_mutex);
  for (std::size_t i = 0; i < slot_count; ++i) {
    auto& slot = slots[i];
    if (slot.combine == nullptr) {
      slot.combine = reduction.combine;
      slot.commutative = reduction.commutative;
      check(MPI_Op_create(trampolines[i], reduction.commutative ? 1 : 0, &slot.op), "MPI_Op_create");
    }
    if (slot.combine == reduction.combine && slot.commutative == reduction.commutative) return slot.op;
  }
  throw Error("There is no room for another reduction (a program may use " + std::to_string(slot_count) +
              " different functions). Use one function for several reductions.");
}

MPI_Datatype builtin_type(ReductionOfBytes::Type type) {
  switch (type) {
    case ReductionOfBytes::Type::int32: return MPI_INT32_T;
    case ReductionOfBytes::Type::int64: return MPI_INT64_T;
    case ReductionOfBytes::Type::uint64: return MPI_UINT64_T;
    case ReductionOfBytes::Type::float32: return MPI_FLOAT;
    case ReductionOfBytes::Type::float64: return MPI_DOUBLE;
    case ReductionOfBytes::Type::bytes: break;
  }
  return MPI_DATATYPE_NULL;
}

MPI_Op builtin_op(const ReductionOfBytes& reduction) {
  // weft's own function is correct where MPI's extremes are not: MPICH 4.0.2 compares unsigned 64-bit numbers as if
  // they were signed, and both libraries lose a NaN or not by the order of the ranks.
  using Type = ReductionOfBytes::Type;
  if (reduction.operation != ReductionOfBytes::Operation::sum &&
      (reduction.type == Type::uint64 || reduction.type == Type::float32 || reduction.type == Type::float64))
    return MPI_OP_NULL;
  switch (reduction.operation) {
    case ReductionOfBytes::Operation::sum: return MPI_SUM;
    case ReductionOfBytes::Operation::minimum: return MPI_MIN;
    case ReductionOfBytes::Operation::maximum: return MPI_MAX;
    case ReductionOfBytes::Operation::user: break;
  }
  return MPI_OP_NULL;
}

// The addresses of empty buffers: MPI refuses null pointers, and one address for input and output.
std::array<std::byte, 2> empty_buffers;

// The arguments of one collective in MPI's types; they must live as long as its request.
struct Arguments {
  explicit Arguments(const Collective& what)
      : in(what.in.empty() ? &empty_buffers[0] : what.in.data()),
        out(what.out.empty() ? &empty_buffers[1] : what.out.data()), root(what.root) {
    in_count = narrow(what.in.size(), "A collective's input");
    out_count = narrow(what.out.size(), "A collective's output");
    const auto counts = [](const std::vector<std::size_t>& bytes, std::vector<int>& count, std::vector<int>& offset) {
      std::size_t at = 0;
      for (const auto n : bytes) {
        count.push_back(narrow(n, "A collective's share"));
        offset.push_back(narrow(at, "A collective's buffer"));
        at += n;
      }
    };
    counts(what.in_bytes, in_counts, in_offsets);
    counts(what.out_bytes, out_counts, out_offsets);
    if (what.kind != Collective::Kind::reduce && what.kind != Collective::Kind::all_reduce) return;
    type = builtin_type(what.reduction.type);
    op = builtin_op(what.reduction);
    if (type == MPI_DATATYPE_NULL || op == MPI_OP_NULL) {
      op = user_op(what.reduction);
      check(MPI_Type_contiguous(narrow(what.reduction.element_bytes, "An element"), MPI_BYTE, &type),
            "MPI_Type_contiguous");
      check(MPI_Type_commit(&type), "MPI_Type_commit");
      own_type = true;
    }
    in_count = narrow(what.in.size() / what.reduction.element_bytes, "A reduction");
  }
  ~Arguments() {
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (own_type && !finalised) MPI_Type_free(&type);
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  const void* in;
  void* out;
  int root, in_count, out_count;
  std::vector<int> in_counts, in_offsets, out_counts, out_offsets;
  MPI_Datatype type = MPI_BYTE;
  MPI_Op op = MPI_OP_NULL;
  bool own_type = false;
};

#if defined(WEFT_INIT)
int init_persistent(Collective::Kind kind, const Arguments& a, MPI_Comm comm, MPI_Request* request) {
  using K = Collective::Kind;
  const MPI_Info info = MPI_INFO_NULL;
  switch (kind) {
    case K::barrier: return WEFT_INIT(Barrier)(comm, info, request);
    case K::broadcast: return WEFT_INIT(Bcast)(a.out, a.out_count, MPI_BYTE, a.root, comm, info, request);
    case K::reduce: return WEFT_INIT(Reduce)(a.in, a.out, a.in_count, a.type, a.op, a.root, comm, info, request);
    case K::all_reduce: return WEFT_INIT(Allreduce)(a.in, a.out, a.in_count, a.type, a.op, comm, info, request);
    case K::gather:
      return WEFT_INIT(Gatherv)(a.in, a.in_count, MPI_BYTE, a.out, a.out_counts.data(), a.out_offsets.data(), MPI_BYTE,
                                a.root, comm, info, request);
    case K::all_gather:
      return WEFT_INIT(Allgatherv)(a.in, a.in_count, MPI_BYTE, a.out, a.out_counts.data(), a.out_offsets.data(),
                                   MPI_BYTE, comm, info, request);
    case K::all_to_all:
      return WEFT_INIT(Alltoallv)(a.in, a.in_counts.data(), a.in_offsets.data(), MPI_BYTE, a.out, a.out_counts.data(),
                                  a.out_offsets.data(), MPI_BYTE, comm, info, request);
  }
  return MPI_ERR_OTHER;
}
#endif

int start_nonblocking(Collective::Kind kind, const Arguments& a, MPI_Comm comm, MPI_Request* request) {
  using K = Collective::Kind;
  switch (kind) {
    case K::barrier: return MPI_Ibarrier(comm, request);
    case K::broadcast: return MPI_Ibcast(a.out, a.out_count, MPI_BYTE, a.root, comm, request);
    case K::reduce: return MPI_Ireduce(a.in, a.out, a.in_count, a.type, a.op, a.root, comm, request);
    case K::all_reduce: return MPI_Iallreduce(a.in, a.out, a.in_count, a.type, a.op, comm, request);
    case K::gather:
      return MPI_Igatherv(a.in, a.in_count, MPI_BYTE, a.out, a.out_counts.data(), a.out_offsets.data(), MPI_BYTE,
                          a.root, comm, request);
    case K::all_gather:
      return MPI_Iallgatherv(a.in, a.in_count, MPI_BYTE, a.out, a.out_counts.data(), a.out_offsets.data(), MPI_BYTE,
                             comm, request);
    case K::all_to_all:
      return MPI_Ialltoallv(a.in, a.in_counts.data(), a.in_offsets.data(), MPI_BYTE, a.out, a.out_counts.data(),
                            a.out_offsets.data(), MPI_BYTE, comm, request);
  }
  return MPI_ERR_OTHER;
}

// `Arguments` must outlive the request, so this holds both.
class CollectiveOperation final : public Operation {
 public:
  CollectiveOperation(const Collective& what, MPI_Comm comm, int rank) : arguments_(what) {
#if defined(WEFT_INIT)
    if (has_persistent_collectives()) {
      MPI_Request request;
      check(init_persistent(what.kind, arguments_, comm, &request), name_of(what.kind), rank);
      request_ = std::make_unique<PersistentRequest>(request, name_of(what.kind), rank, -1);
      return;
    }
#endif
    const auto begin = [kind = what.kind, comm, this](MPI_Request* request) {
      return start_nonblocking(kind, arguments_, comm, request);
    };
    request_ = std::make_unique<RestartedRequest>(begin, name_of(what.kind), rank);
  }

  void start() override { request_->start(); }
  bool test() override { return request_->test(); }
  bool abandon() noexcept override { return request_->abandon(); }

 private:
  Arguments arguments_;
  std::unique_ptr<Operation> request_;
};

}  // namespace

std::unique_ptr<Operation> Communicator::collective(const Collective& what) {
  check_not_ended();
  check_fit(what, rank_);
  return std::make_unique<CollectiveOperation>(what, comm_, rank_);
}

}  // namespace weft::mpi
