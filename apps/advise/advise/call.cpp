// SPDX-License-Identifier: BSD-3-Clause
#include "advise/call.hpp"

#include <unwind.h>

#include <algorithm>
#include <span>
#include <vector>

#include "advise/progress_thread.hpp"
#include "weft/clock.hpp"

namespace weft::advise {
namespace {

// The requests of this thread's call. The memory only grows, so that most calls allocate nothing.
thread_local std::vector<std::uint64_t> words __attribute__((tls_model("initial-exec")));

void wake_helper() {
  if (session->helper) session->helper->posted(session->recorder.outstanding());
}

MPI_Comm comm_of(std::uint64_t word) {
  MPI_Comm comm;
  std::memcpy(&comm, &word, sizeof comm);
  return comm;
}

// Finds the caller of the function that calls MPI.
struct Walk {
  std::uint64_t place;
  bool found = false;
  std::uint64_t caller = 0;
  int frames = 0;
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* data) {
  constexpr int most = 12;  // frames of the hook itself
  auto& walk = *static_cast<Walk*>(data);
  const auto address = static_cast<std::uint64_t>(_Unwind_GetIP(context));
  if (walk.found) {
    walk.caller = address;
    return _URC_END_OF_STACK;
  }
  walk.found = address == walk.place;
  return ++walk.frames < most ? _URC_NO_REASON : _URC_END_OF_STACK;
}

std::uint64_t caller_of(std::uint64_t place) {
  Walk walk{place};
  _Unwind_Backtrace(step, &walk);
  return walk.caller;
}

}  // namespace

void InCall::describe(const char* call, std::uint64_t address) {
  if (session != nullptr && session->live.is_new_place(address))
    session->live.add_place(call, address, caller_of(address));
}

void Call::look_who_called() const {
  const Writing writing;
  if (const auto caller = caller_of(address()); caller != 0) session->recorder.called_from(caller);
}

Call::~Call() {
  if (recorded() && session->recorder.wants_caller()) look_who_called();
  if (helper_waits_) session->helper->resume(session->recorder.outstanding());
}

void Call::enter() {
  if (session->helper) {
    session->helper->pause();
    helper_waits_ = true;
  }
  now_.at(start_ = ticks());
}

void Call::enter_test() {
  const Writing writing;
  unseen_ = session->recorder.is_one_of_many(address());
  if (unseen_)
    start_ = session->recorder.last_in_vain();
  else
    enter();
}

bool Call::was_unseen(bool found) {
  if (!unseen_) return false;
  if (found) {
    finish_ = ticks();
    return false;
  }
  session->recorder.unseen_in_vain();
  return true;
}

void Call::enter_wait(bool all) {
  enter();
  if (session->yields) yield_until_complete(words, all);
}

void Call::enter_wait(int peer, int tag, MPI_Comm comm) {
  enter();
  if (session->yields) yield_until_there(peer, tag, comm);
}

void Call::requests(int n, const MPI_Request* first) {
  auto& all = words;  // each access to a thread_local variable costs a call
  all.resize(static_cast<std::size_t>(std::max(0, n)));
  if constexpr (sizeof(MPI_Request) == sizeof(std::uint64_t)) {
    if (n > 0) std::memcpy(all.data(), first, all.size() * sizeof(std::uint64_t));
  } else {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = word_of(first[i]);
  }
}

void Call::requests(int n, fortran::Requests first) {
  auto& all = words;
  all.resize(static_cast<std::size_t>(std::max(0, n)));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = word_of(fortran::request(first.first, static_cast<int>(i)));
}

void Call::forgotten(MPI_Request request) {
  const Writing writing;
  session->recorder.forgotten(word_of(request));
}

void Call::forgotten_communicator(MPI_Comm comm) {
  const Writing writing;
  session->communicators.forget(comm);
  session->streams.clear();
}

Message Call::matched_message(MPI_Message handle) {
  const Writing writing;
  const auto* found = session->matched.find(word_of(handle));
  if (found == nullptr) return {0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_COMM_NULL};
  const auto message = *found;
  session->matched.erase(word_of(handle));
  return message;
}

void Call::sent(const Message& message) {
  const Writing writing;
  session->recorder.called(address(), name_, Kind::send, start_, finish_, message.bytes(), message.stream(true));
}

void Call::received(const Message& message, const MPI_Status* status) {
  const Writing writing;
  auto stream = message.stream(false);
  if (stream == no_stream && status != nullptr) stream = message.stream_of(*status);
  session->recorder.called(address(), name_, Kind::receive, start_, finish_, message.bytes(), stream);
}

void Call::received_matched(const Message& from, std::int64_t count, MPI_Datatype type) {
  received({count, type, from.peer, from.tag, from.comm}, nullptr);
}

void Call::exchanged(const Message& out, const Message& in) {
  const Writing writing;
  session->recorder.called(address(), name_, Kind::exchange, start_, finish_, out.bytes(), out.stream(true));
  session->recorder.also(Kind::receive, in.bytes(), in.stream(false));
}

void Call::posted(Kind kind, const Message& message, MPI_Request request) {
  if (code_ != MPI_SUCCESS) return;
  const Writing writing;
  session->recorder.posted(address(), name_, kind, start_, finish_, message.bytes(),
                           message.stream(kind == Kind::post_send), word_of(request), word_of(message.comm));
  wake_helper();
}

void Call::posted_both(const Message& out, const Message& in, MPI_Request request) {
  if (code_ != MPI_SUCCESS) return;
  const Writing writing;
  session->recorder.posted(address(), name_, Kind::post_send, start_, finish_, out.bytes(), out.stream(true),
                           word_of(request), word_of(out.comm));
  session->recorder.posted_too(Kind::post_receive, in.bytes(), in.stream(false), word_of(request));
  wake_helper();
}

void Call::posted_matched(const Message& from, std::int64_t count, MPI_Datatype type, MPI_Request request) {
  posted(Kind::post_receive, {count, type, from.peer, from.tag, from.comm}, request);
}

void Call::prepared(Kind kind, const Message& message, MPI_Request request) {
  if (code_ != MPI_SUCCESS) return;
  const Writing writing;
  session->recorder.prepared(kind, message.bytes(), message.stream(kind == Kind::post_send), word_of(request),
                             word_of(message.comm));
}

// Partitioned messages match only each other, so their streams differ from those of other messages with this tag.
void Call::prepared_parts(Kind kind, int parts, Message message, MPI_Request request) {
  message.count *= parts;
  message.tag = ~message.tag - 1;
  prepared(kind, message, request);
}

void Call::started() {
  const Writing writing;
  session->recorder.started(address(), name_, start_, finish_, words);
  wake_helper();
}

void Call::completed(Kind kind, Completed done, const MPI_Status* statuses) {
  const Writing writing;
  auto& recorder = session->recorder;
  const std::span<const std::uint64_t> of = words;
  if (was_unseen(done.count != MPI_UNDEFINED && done.count > 0)) return;
  if (done.count == MPI_UNDEFINED || done.count <= 0) {
    kind == Kind::test ? recorder.in_vain(address(), name_, kind, start_, finish_, words.size())
                       : recorder.completed(address(), name_, kind, start_, finish_, {});
    return;
  }
  thread_local std::vector<std::uint32_t> streams;  // used only by receives from any rank
  thread_local std::vector<std::uint64_t> some;
  streams.clear();
  some.clear();
  for (int i = 0; i < done.count; ++i) {
    const auto word = of[static_cast<std::size_t>(done.which ? done.which[i] - done.first : i)];
    if (done.which != nullptr && done.count > 1) some.push_back(word);
    const auto where = statuses == nullptr || statuses == MPI_STATUSES_IGNORE ? 0 : recorder.of_any_rank(word);
    if (where == 0) continue;
    streams.resize(static_cast<std::size_t>(done.count), no_stream);
    streams[static_cast<std::size_t>(i)] = Message{0, MPI_BYTE, 0, 0, comm_of(where)}.stream_of(statuses[i]);
  }
  const bool one = done.which != nullptr && done.count == 1;
  const auto which = one                     ? of.subspan(static_cast<std::size_t>(done.which[0] - done.first), 1)
                     : done.which != nullptr ? std::span<const std::uint64_t>(some)
                                             : of;
  recorder.completed(address(), name_, kind, start_, finish_, which, streams);
  if (kind == Kind::wait && session->helper) session->helper->waited(now_seconds());
}

void Call::looked() {
  const Writing writing;
  if (was_unseen(false)) return;
  session->recorder.in_vain(address(), name_, Kind::test, start_, finish_);
}

void Call::probed() {
  const Writing writing;
  was_unseen(true);
  session->recorder.called(address(), name_, Kind::probe, start_, finish_);
}

void Call::matched(bool found, MPI_Message handle, const MPI_Status* status, MPI_Comm comm) {
  found ? probed() : looked();
  if (!found || status == nullptr || code_ != MPI_SUCCESS) return;
  const Writing writing;
  session->matched[word_of(handle)] = {0, MPI_DATATYPE_NULL, status->MPI_SOURCE, status->MPI_TAG, comm};
}

void Call::collective(std::int64_t count, MPI_Datatype type, MPI_Comm comm) {
  const Writing writing;
  if (session->helper) session->helper->synchronised(now_seconds());
  session->recorder.called(address(), name_, Kind::collective, start_, finish_, bytes_of(count, type),
                           collective_stream(comm));
}

void Call::posted_collective(std::int64_t count, MPI_Datatype type, MPI_Comm comm, MPI_Request request) {
  if (code_ != MPI_SUCCESS) return;
  const Writing writing;
  session->recorder.posted(address(), name_, Kind::post_collective, start_, finish_, bytes_of(count, type),
                           collective_stream(comm), word_of(request));
  wake_helper();
}

void Call::prepared_collective(std::int64_t count, MPI_Datatype type, MPI_Comm comm, MPI_Request request) {
  if (code_ != MPI_SUCCESS) return;
  const Writing writing;
  session->recorder.prepared(Kind::post_collective, bytes_of(count, type), collective_stream(comm), word_of(request),
                             word_of(comm));
}

void Call::counted(Kind kind, std::int64_t count, MPI_Datatype type) {
  if (!recorded()) return;
  const Writing writing;
  session->recorder.called(address(), name_, kind, start_, finish_, bytes_of(count, type));
}

}  // namespace weft::advise
