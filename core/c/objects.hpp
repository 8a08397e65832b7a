// SPDX-License-Identifier: BSD-3-Clause
//
// What stands behind the handles. An object owns what it borrows in C++ (a timeline, a transport), so that handles may
// be freed in any order.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "c/calls.hpp"
#include "c/handles.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/exchange/message_space.hpp"
#include "weft/halo/halo.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/progress/progress.hpp"
#include "weft/step/client.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/timeline/timeline.hpp"

namespace weft::c {

/// The C++ forms of what is passed by value.
device::Queue queue_of(const weft_queue& queue);
Region region_of(const weft_region& region, bool is_sent);
Buffers buffers_of(int count, const weft_region* regions, bool is_sent);
ReductionOfBytes reduction_of(weft_op op, weft_type type);
Combine combine_of(weft_op op, weft_type type);
ElementType element_type(weft_type type);
std::size_t element_bytes(weft_type type);
MessageOptions message_options(const weft_message_options& options);
int kind_of(ProgressOptions::Kind kind);
ProgressOptions progress_options(const weft_progress_options& options);
StepOptions step_options(const weft_step_options& options);
ExchangeOptions exchange_options(const weft_exchange_options& options);
/// The communicator of a handle, if MPI still runs.
std::shared_ptr<mpi::Communicator> transport_of(weft_comm comm);

struct OpObject {
  ReductionOfBytes reduction;
};

/// A client's list: of an exchange, or in a client's request().
struct RequestsObject {
  Requests* list = nullptr;
  std::uint32_t number = 0;  // in the exchange
  int rank = 0, ranks = 1;
  const void* owner = nullptr;  // the exchange or the step manager
};

/// Its list, which can still be filled.
Requests& list_of(weft_requests list);

/// The running step of a client; null outside of callbacks.
struct StepObject {
  Step* step;
  const std::vector<Request::Kind>& listed;  // the client's requests
  Step& get() const {
    if (step == nullptr) throw HandleError("The step is over. Use it only in the callback that gets it.");
    return *step;
  }
};

struct ExchangeObject {
  ExchangeObject(Transport& transport, std::shared_ptr<MessageSpace> in, const weft_exchange_options& options)
      : rank(transport.rank()), ranks(transport.size()), timeline(share_if(options.timeline)), space(std::move(in)),
        exchange(space ? Exchange(*space, exchange_options(options)) : Exchange(transport, exchange_options(options))) {
  }

  int rank, ranks;
  std::shared_ptr<Timeline> timeline;
  std::shared_ptr<MessageSpace> space;
  std::string text;
  Exchange exchange;
  StartedExchange started;
  std::vector<std::unique_ptr<RequestsObject>> lists;
  std::vector<std::unique_ptr<Lent<weft_requests>>> handles;
};

struct HaloObject {
  Halo halo;
  std::string text;
};

/// A client of a step manager in C.
class CallingClient {
 public:
  virtual ~CallingClient() = default;
  virtual Client& client() = 0;
  /// The kinds of its requests.
  virtual const std::vector<Request::Kind>& listed() const = 0;
  /// Sets the address of a halo's field; throws if this is no halo.
  virtual void rebind_field(StepManager& steps, std::size_t field, void* data) = 0;
};

struct StepManagerObject {
  StepManagerObject(Transport& transport, const StepOptions& options, std::shared_ptr<Timeline> timeline)
      : rank(transport.rank()), ranks(transport.size()), timeline(std::move(timeline)), manager(transport, options) {}

  int rank, ranks;
  std::shared_ptr<Timeline> timeline;
  std::string text;
  std::vector<std::pair<std::string, std::unique_ptr<CallingClient>>> clients;  // outlive the manager
  StepManager manager;
  int members = 0;  // monitors and collectives by rounds that are in it
};

/// The part of a request whose peer is MPI_PROC_NULL.
constexpr weft_part no_part = ~weft_part{0};

// A part as a number: the kind and one in the upper bits (so that 0 is no part), the client, the index.
namespace parts {
constexpr int kind_shift = 61;
constexpr std::uint64_t client_mask = 0x1fffffff;
inline std::uint32_t client(weft_part part) { return static_cast<std::uint32_t>(part >> 32 & client_mask); }
inline std::uint32_t index(weft_part part) { return static_cast<std::uint32_t>(part); }
inline bool is(weft_part part, Request::Kind kind) {
  return part >> kind_shift == static_cast<std::uint64_t>(kind) + 1;
}
}  // namespace parts

inline weft_part part_of(Part part, Request::Kind kind) {
  return (static_cast<std::uint64_t>(kind) + 1) << parts::kind_shift |
         (std::uint64_t{part.client} & parts::client_mask) << 32 | part.index;
}
inline bool is_collective(weft_part part) { return parts::is(part, Request::Kind::collective); }

/// Throws the HandleError that says why the number is no part of this kind; if it is one: `otherwise`.
[[noreturn]] void refuse_part(weft_part part, Request::Kind kind, const char* otherwise);

/// The part of a number. Throws a HandleError if it is of another kind, or not in the list. Inline, for programs that
/// mark many parts ready.
inline Part checked(weft_part part, Request::Kind kind, const std::vector<Request::Kind>& listed) {
  const auto index = parts::index(part);
  if (!parts::is(part, kind) || index >= listed.size() || listed[index] != kind)
    refuse_part(part, kind, "The part is not in this client's list.");
  return {parts::client(part), index};
}
inline Part checked(weft_part part, Request::Kind kind, const Exchange& exchange) {
  const auto client = parts::client(part), index = parts::index(part);
  const auto& clients = exchange.clients();
  if (!parts::is(part, kind) || client >= clients.size() || index >= clients[client].list().size() ||
      clients[client].list()[index].kind != kind)
    refuse_part(part, kind, "The part is none of this exchange.");
  return {client, index};
}

/// Bytes that weft_memory_free frees.
void give_bytes(Bytes bytes, void** data, std::size_t* count);

/// Sets a pointer of the caller that may be NULL.
template <class T, class Value>
void give(T* to, const Value& value) {
  if (to != nullptr) *to = static_cast<T>(value);
}

}  // namespace weft::c
