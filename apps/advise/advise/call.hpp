// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "advise/fortran.hpp"
#include "advise/message.hpp"
#include "advise/record.hpp"
#include "advise/session.hpp"

namespace weft::advise {

/// What a call completed: all of the requests, none, or those with these numbers (that start from `first`: Fortran's
/// from 1).
struct Completed {
  int count = 0;  ///< or MPI_UNDEFINED
  const int* which = nullptr;
  int first = 0;
};

/// One call of the program's, from its hook (generate.py writes those): what is known before the library's function,
/// then enter(), the function, leave(), then what it was. Where calls pass unseen it costs a load, a store and two
/// branches.
class Call {
 public:
  Call(const char* name, const void* place) : name_(name), place_(place) {}
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Whether this call is to be recorded.
  bool recorded() const { return hook_.active(); }
  /// Whether the program's objects are followed, which goes on while calls pass.
  bool follows() const { return hook_.follows(); }

  /// Before a call in which the program may wait: the helper leaves MPI to it.
  void enter();
  /// Before a wait for the requests, all or any of them.
  void enter_wait(bool all);
  /// Before one for a message, whose values are those of C.
  void enter_wait(int peer, int tag, MPI_Comm comm);
  /// Before one that returns at once, found or not.
  void enter_test();
  /// Before one that only starts something.
  void enter_post() { start_ = ticks(); }
  /// After it; gives back the error code.
  int leave(int code) {
    if (!unseen_) finish_ = ticks();
    code_ = code;
    return code;
  }

  /// Before the call: the requests that it is about.
  void requests(int n, const MPI_Request* first);
  void requests(int n, fortran::Requests first);
  void forgotten(MPI_Request request);
  void forgotten_communicator(MPI_Comm comm);
  /// What a matched probe found by this handle.
  Message matched_message(MPI_Message handle);

  void sent(const Message& message);
  /// `status` is null where nobody knows it.
  void received(const Message& message, const MPI_Status* status);
  void received_matched(const Message& from, std::int64_t count, MPI_Datatype type);
  void exchanged(const Message& out, const Message& in);
  void posted(Kind kind, const Message& message, MPI_Request request);
  void posted_both(const Message& out, const Message& in, MPI_Request request);
  void posted_matched(const Message& from, std::int64_t count, MPI_Datatype type, MPI_Request request);
  void prepared(Kind kind, const Message& message, MPI_Request request);
  void prepared_parts(Kind kind, int parts, Message message, MPI_Request request);
  void started();
  void completed(Kind kind, Completed done, const MPI_Status* statuses);
  void looked();
  void probed();
  void matched(bool found, MPI_Message handle, const MPI_Status* status, MPI_Comm comm);
  void collective(std::int64_t count, MPI_Datatype type, MPI_Comm comm);
  void posted_collective(std::int64_t count, MPI_Datatype type, MPI_Comm comm, MPI_Request request);
  void prepared_collective(std::int64_t count, MPI_Datatype type, MPI_Comm comm, MPI_Request request);
  /// What is only counted, with its time.
  void counted(Kind kind, std::int64_t count = 0, MPI_Datatype type = MPI_DATATYPE_NULL);

 private:
  void look_who_called() const;
  /// Of a test that is one of many: in vain like them, so that all about it is said; else it is timed now.
  bool was_unseen(bool found);
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(place_); }

  const Hook hook_;
  const char* name_;
  const void* place_;
  std::uint64_t start_ = 0, finish_ = 0;
  int code_ = MPI_SUCCESS;
  bool helper_waits_ = false, unseen_ = false;
};

}  // namespace weft::advise
