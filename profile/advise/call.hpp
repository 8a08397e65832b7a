// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "advise/call_sites.hpp"
#include "advise/fortran.hpp"
#include "advise/in_call.hpp"
#include "advise/message.hpp"
#include "advise/python_frames.hpp"
#include "advise/record.hpp"
#include "advise/session.hpp"

namespace weft::advise {

/// The requests that a call completed: all, none, or those with these indices (which count from `first`: 1 in Fortran).
struct Completed {
  int count = 0;  ///< or MPI_UNDEFINED
  const int* which = nullptr;
  int first = 0;
};

/// One MPI call of the program, as its hook (written by generate.py) records it: arguments that are known before the
/// call, enter(), the MPI library's function, leave(), then the kind of the call. A call that is not recorded costs a
/// few nanoseconds: a load, a store and two branches, and those of InCall.
class Call {
 public:
  Call(const char* name, const void* place)
      : now_(name, place), name_(name), address_(hook_.active() ? site_of(reinterpret_cast<std::uint64_t>(place)) : 0) {
    if (is_source_place(address_)) now_.is_at(name, address_);
  }
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Whether this call is recorded.
  bool recorded() const { return hook_.active(); }
  /// Whether changes of the program's requests and communicators are tracked. They are also tracked while calls are not
  /// recorded.
  bool follows() const { return hook_.follows(); }
  /// Whether a handle that is freed must be forgotten: also in a callback within another call.
  bool forgets(const void* handle = "") const { return handle != nullptr && hook_.has_session(); }

  /// Before a call in which the program may wait; pauses the progress thread.
  void enter();
  /// Before a wait for all or any of the requests.
  void enter_wait(bool all);
  /// Before a wait for a message, with the values of C.
  void enter_wait(int peer, int tag, MPI_Comm comm);
  /// Before a test or probe.
  void enter_test();
  /// Before a window is made; warns where that may fail (one_sided.hpp).
  void enter_window();
  /// Before a call that only starts an operation.
  void enter_post() { now_.at(start_ = ticks()); }
  /// After the MPI library's function; returns its error code.
  int leave(int code) {
    if (!unseen_) now_.at(finish_ = ticks());
    code_ = code;
    return code;
  }

  /// Whether the call's outputs may be read: an erroneous call leaves them undefined.
  bool succeeded() const { return code_ == MPI_SUCCESS; }
  /// The same for a call that completes several requests, of which some may have failed.
  bool succeeded_in_part() const;
  /// Only number and time of a call that returned an error are recorded.
  void failed();

  /// Before the call: its requests.
  void requests(int n, const MPI_Request* first);
  void requests(int n, fortran::Requests first);
  void forgotten(MPI_Request request);
  void forgotten_communicator(MPI_Comm comm);
  /// The message that a matched probe found, by its handle.
  std::uint32_t matched_stream(MPI_Message handle);
  /// Memory for the statuses of so many requests, instead of MPI_STATUSES_IGNORE.
  static MPI_Status* own_statuses(int n);

  void sent(const Message& message);
  /// `status` is null if the program ignores it.
  void received(const Message& message, const MPI_Status* status);
  void received_matched(std::uint32_t stream, std::int64_t count, MPI_Datatype type, const MPI_Status* status);
  void exchanged(const Message& out, const Message& in, const MPI_Status* status);
  void posted(Kind kind, const Message& message, MPI_Request request);
  void posted_both(const Message& out, const Message& in, MPI_Request request);
  void posted_matched(std::uint32_t stream, std::int64_t count, MPI_Datatype type, MPI_Request request);
  void prepared(Kind kind, const Message& message, MPI_Request request);
  void prepared_parts(Kind kind, int parts, Message message, MPI_Request request);
  void started();
  void completed(Kind kind, Completed done, const MPI_Status* statuses);
  /// A probe, or a test of a request that completes nothing.
  void tested(Kind kind, bool found);
  void matched(bool found, MPI_Message handle, const MPI_Status* status, MPI_Comm comm);
  void collective(std::uint64_t bytes, MPI_Comm comm);
  void posted_collective(std::uint64_t bytes, MPI_Comm comm, MPI_Request request);
  void prepared_collective(std::uint64_t bytes, MPI_Comm comm, MPI_Request request);
  /// A call of which only number and time are recorded.
  void counted(Kind kind, std::int64_t count = 0, MPI_Datatype type = MPI_DATATYPE_NULL);

 private:
  void find_caller() const;
  /// For a test that is one of many: true if it found nothing, which completes its record; if it found something, its
  /// end is timed now.
  bool was_unseen(bool found);
  std::uint64_t address() const { return address_; }

  InCall now_;
  const Hook hook_;
  const char* name_;
  const std::uint64_t address_;
  std::uint64_t start_ = 0, finish_ = 0;
  int code_ = MPI_SUCCESS;
  bool helper_waits_ = false, unseen_ = false;
};

}  // namespace weft::advise
