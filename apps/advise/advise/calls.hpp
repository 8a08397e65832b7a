// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "advise/helper_thread.hpp"
#include "advise/session.hpp"

// What the hooks of C and of Fortran share: each calls the library, and writes down what that was. They differ in how
// arguments look.
namespace weft::advise {

/// Where the program called from, and what it called.
struct Caller {
  const void* place;
  const char* call;
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(place); }
};

struct Message {
  int count;
  MPI_Datatype type;
  int peer, tag;
  MPI_Comm comm;

  std::uint64_t bytes() const {
    int size = 0;
    if (peer == MPI_PROC_NULL || type == MPI_DATATYPE_NULL || type == MPI_Datatype{} ||
        PMPI_Type_size(type, &size) != MPI_SUCCESS)
      return 0;
    return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
  }
  std::uint32_t stream(bool outgoing) const {
    if (peer == MPI_PROC_NULL || (!outgoing && (peer == MPI_ANY_SOURCE || tag == MPI_ANY_TAG))) return no_stream;
    const auto word = word_of(comm);
    auto& cached = session->streams.at(word, peer, tag, outgoing);
    if (cached.is(word, peer, tag, outgoing)) return cached.stream;
    const auto& members = session->communicators.of(comm);
    const auto stream = session->recorder.stream(members.name, Communicators::world_rank(members, peer), tag, outgoing);
    cached = {word, peer, tag, outgoing, stream};
    return stream;
  }
  /// Of what came from any rank or with any tag.
  std::uint32_t stream_of(const MPI_Status& status) const {
    return Message{count, type, status.MPI_SOURCE, status.MPI_TAG, comm}.stream(false);
  }
};

constexpr int collective_tag = -1;

/// A blocking collective, and a non-blocking one: all of a communicator's are one stream.
inline std::uint32_t collective_stream(MPI_Comm comm) {
  return Message{0, MPI_BYTE, no_rank, collective_tag, comm}.stream(true);
}

inline std::uint64_t bytes_of(int count, MPI_Datatype type) {
  return Message{count, type, 0, 0, MPI_COMM_NULL}.bytes();
}

/// The helper leaves MPI to the program while that waits in it.
class Inside {
 public:
  Inside() : helper_(session->helper.get()) {
    if (helper_ != nullptr) helper_->pause();
  }
  ~Inside() {
    if (helper_ != nullptr) helper_->resume(session->recorder.outstanding());
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  HelperThread* helper_;
};

/// The call, while which the helper rests; `record(start, finish)` is done after it.
template <class Call, class Record>
int watched(Call call, Record record) {
  const Hook hook;
  if (!hook.active()) return call();
  const Inside inside;
  const auto start = ticks();
  const int code = call();
  const auto finish = ticks();
  const Writing writing;
  record(start, finish);
  return code;
}

template <class Call>
int send(Caller caller, const Message& message, Call call) {
  return watched(call, [&](auto start, auto finish) {
    session->recorder.called(caller.address(), caller.call, Kind::send, start, finish, message.bytes(),
                             message.stream(true));
  });
}

/// `status` is null where the program does not want to know, and nor do we.
template <class Call>
int receive(Caller caller, const Message& message, const MPI_Status* status, Call call) {
  return watched(call, [&](auto start, auto finish) {
    auto stream = message.stream(false);
    if (stream == no_stream && status != nullptr) stream = message.stream_of(*status);
    session->recorder.called(caller.address(), caller.call, Kind::receive, start, finish, message.bytes(), stream);
  });
}

template <class Call>
int exchange(Caller caller, const Message& out, const Message& in, Call call) {
  return watched(call, [&](auto start, auto finish) {
    session->recorder.called(caller.address(), caller.call, Kind::exchange, start, finish, out.bytes(),
                             out.stream(true));
    session->recorder.also(Kind::receive, in.bytes(), in.stream(false));
  });
}

/// `request()` is asked after the call.
template <class Call, class Request>
int post(Caller caller, Kind kind, const Message& message, Request request, Call call) {
  const Hook hook;
  if (!hook.active()) return call();
  const auto start = ticks();
  const int code = call();
  const auto finish = ticks();
  if (code != MPI_SUCCESS) return code;
  const Writing writing;
  session->recorder.posted(caller.address(), caller.call, kind, start, finish, message.bytes(),
                           message.stream(kind == Kind::post_send), word_of<MPI_Request>(request()),
                           word_of(message.comm));
  if (session->helper) session->helper->resume(session->recorder.outstanding());
  return code;
}

template <class Call, class Request>
int prepare(Kind kind, const Message& message, Request request, Call call) {
  const Hook hook;
  const int code = call();
  if (!hook.follows() || code != MPI_SUCCESS) return code;
  const Writing writing;
  session->recorder.prepared(kind, message.bytes(), message.stream(kind == Kind::post_send),
                             word_of<MPI_Request>(request()), word_of(message.comm));
  return code;
}

/// Words for some requests, in memory of this thread's that is asked for when there are more of them than ever before.
class Words {
 public:
  template <class Request>
  Words(int n, Request request) : size_(n > 0 ? static_cast<std::size_t>(n) : 0) {
    thread_local std::vector<std::uint64_t> kept;
    if (kept.size() < size_) kept.resize(2 * size_);
    for (std::size_t i = 0; i < size_; ++i) kept[i] = word_of<MPI_Request>(request(static_cast<int>(i)));
    words_ = kept.data();
  }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;
  std::span<const std::uint64_t> all() const { return {words_, size_}; }

 private:
  std::size_t size_;
  const std::uint64_t* words_;
};

template <class Call, class Request>
int start(Caller caller, int n, Request request, Call call) {
  const Hook hook;
  if (!hook.active()) return call();
  const Words words(n, request);
  const auto began = ticks();
  const int code = call();
  const auto finish = ticks();
  const Writing writing;
  session->recorder.started(caller.address(), caller.call, began, finish, words.all());
  if (session->helper) session->helper->resume(session->recorder.outstanding());
  return code;
}

/// What a call completed: all of the requests, none, or those with these numbers (that start from `first`: Fortran's
/// from 1).
struct Completed {
  int count = 0;  ///< or MPI_UNDEFINED
  const int* which = nullptr;
  int first = 0;
};

/// MPI_Wait* and MPI_Test*. `request(i)` is asked before the call, `completed()` after it; `status(i)` is the i-th
/// completed one's, null where nobody knows.
template <class Call, class Request, class Done, class Status>
int complete(Caller caller, Kind kind, int n, Request request, Done completed, Status status, Call call) {
  const Hook hook;
  if (!hook.active()) return call();
  const Words words(n, request);
  const Inside inside;
  const auto start = ticks();
  const int code = call();
  const auto finish = ticks();
  const Completed done = completed();
  const Writing writing;
  auto& recorder = session->recorder;
  const auto of = words.all();
  if (done.count == MPI_UNDEFINED || done.count <= 0) {
    kind == Kind::test ? recorder.in_vain(caller.address(), caller.call, kind, start, finish)
                       : recorder.completed(caller.address(), caller.call, kind, start, finish, {});
    return code;
  }
  thread_local std::vector<std::uint32_t> streams;  // stays empty but for what comes from any rank
  thread_local std::vector<std::uint64_t> some;
  streams.clear();
  some.clear();
  for (int i = 0; i < done.count; ++i) {
    const auto word = of[static_cast<std::size_t>(done.which ? done.which[i] - done.first : i)];
    if (done.which != nullptr && done.count > 1) some.push_back(word);
    const auto where = recorder.of_any_rank(word);
    const MPI_Status* known = where != 0 ? status(i) : nullptr;
    if (known == nullptr) continue;
    MPI_Comm comm;
    std::memcpy(&comm, &where, sizeof comm);
    streams.resize(static_cast<std::size_t>(done.count), no_stream);
    streams[static_cast<std::size_t>(i)] = Message{0, MPI_BYTE, 0, 0, comm}.stream_of(*known);
  }
  const bool one = done.which != nullptr && done.count == 1;
  const auto which = one                     ? of.subspan(static_cast<std::size_t>(done.which[0] - done.first), 1)
                     : done.which != nullptr ? std::span<const std::uint64_t>(some)
                                             : of;
  recorder.completed(caller.address(), caller.call, kind, start, finish, which, streams);
  return code;
}

template <class Call>
int probe(Caller caller, Call call, const int* found = nullptr) {
  return watched(call, [&](auto start, auto finish) {
    if (found != nullptr)
      session->recorder.in_vain(caller.address(), caller.call, Kind::test, start, finish);
    else
      session->recorder.called(caller.address(), caller.call, Kind::probe, start, finish);
  });
}

template <class Call>
int collective(Caller caller, int count, MPI_Datatype type, MPI_Comm comm, Call call) {
  return watched(call, [&](auto start, auto finish) {
    session->recorder.called(caller.address(), caller.call, Kind::collective, start, finish, bytes_of(count, type),
                             collective_stream(comm));
  });
}

template <class Call, class Request>
int post_collective(Caller caller, int count, MPI_Datatype type, MPI_Comm comm, Request request, Call call) {
  const Hook hook;
  if (!hook.active()) return call();
  const auto start = ticks();
  const int code = call();
  const auto finish = ticks();
  if (code != MPI_SUCCESS) return code;
  const Writing writing;
  session->recorder.posted(caller.address(), caller.call, Kind::post_collective, start, finish, bytes_of(count, type),
                           collective_stream(comm), word_of<MPI_Request>(request()));
  if (session->helper) session->helper->resume(session->recorder.outstanding());
  return code;
}

}  // namespace weft::advise
