// SPDX-License-Identifier: BSD-3-Clause
#include "advise/call.hpp"

#include <unwind.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "advise/call_sites.hpp"
#include "advise/one_sided.hpp"
#include "advise/progress_thread.hpp"
#include "weft/clock.hpp"

namespace weft::advise {
namespace {

// The requests of this thread's call. The memory only grows, so that most calls allocate nothing.
thread_local std::vector<std::uint64_t> words __attribute__((tls_model("initial-exec")));
thread_local std::vector<Recorder::InFlight> in_flight __attribute__((tls_model("initial-exec")));

// Other threads may soon have the handles of these requests.
void find_in_flight() {
  if (!session->threads) return;
  const Writing writing;
  in_flight.clear();
  for (const auto word : words) in_flight.push_back(session->recorder.in_flight(word));
}

void wake_helper() {
  if (session->helper) session->helper->posted(session->recorder.outstanding());
}

int class_of(int code) {
  int found = code;
  PMPI_Error_class(code, &found);
  return found;
}

// Stream and bytes of a received message. The status, if there is one, is more exact than the arguments.
std::pair<std::uint32_t, std::uint64_t> received_of(const Message& message, const MPI_Status* status) {
  const auto stream = message.stream(false);
  if (status == nullptr || message.peer == MPI_PROC_NULL) return {stream, message.bytes()};
  const auto by_status = arrived(*status, message.open());
  return {by_status.stream != no_stream ? by_status.stream : stream, std::min(message.bytes(), by_status.bytes)};
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
    session->live.add_place(call, address, is_source_place(address) ? python_caller() : caller_of(address));
}

void Call::find_caller() const {
  const Writing writing;
  if (!session->recorder.wants_caller(address(), finish_ - start_)) return;
  const auto began = ticks();
  const auto caller = is_source_place(address()) ? python_caller() : caller_of(address());
  if (caller != 0) session->recorder.called_from(caller, ticks() - began);
}

Call::~Call() {
  if (recorded()) find_caller();
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
  session->recorder.unseen_in_vain(address());
  return true;
}

void Call::enter_window() {
  enter();
  if (session->driven) warn_of_windows(session->rank);
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
  if (first == nullptr) n = 0;
  all.resize(static_cast<std::size_t>(std::max(0, n)));
  if constexpr (sizeof(MPI_Request) == sizeof(std::uint64_t)) {
    if (n > 0) std::memcpy(all.data(), first, all.size() * sizeof(std::uint64_t));
  } else {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = word_of(first[i]);
  }
  find_in_flight();
}

void Call::requests(int n, fortran::Requests first) {
  auto& all = words;
  all.resize(static_cast<std::size_t>(std::max(0, n)));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = word_of(fortran::request(first.first, static_cast<int>(i)));
  find_in_flight();
}

MPI_Status* Call::own_statuses(int n) {
  thread_local std::vector<MPI_Status> all;
  const auto size = static_cast<std::size_t>(std::max(1, n));
  if (all.size() < size) all.resize(size);
  return all.data();
}

bool Call::succeeded_in_part() const { return succeeded() || class_of(code_) == MPI_ERR_IN_STATUS; }

void Call::failed() {
  was_unseen(true);
  counted(Kind::other);
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

std::uint32_t Call::matched_stream(MPI_Message handle) {
  const Writing writing;
  const auto* found = session->matched.find(word_of(handle));
  const auto stream = found != nullptr ? *found : no_stream;
  session->matched.erase(word_of(handle));
  return stream;
}

void Call::sent(const Message& message) {
  const Writing writing;
  session->recorder.called(address(), name_, Kind::send, start_, finish_, message.bytes(), message.stream(true));
}

void Call::received(const Message& message, const MPI_Status* status) {
  const Writing writing;
  const auto [stream, bytes] = received_of(message, status);
  session->recorder.called(address(), name_, Kind::receive, start_, finish_, bytes, stream);
}

void Call::received_matched(std::uint32_t stream, std::int64_t count, MPI_Datatype type, const MPI_Status* status) {
  const Writing writing;
  const auto by_status = status != nullptr ? arrived(*status, 0) : Recorder::Arrived{};
  session->recorder.called(address(), name_, Kind::receive, start_, finish_,
                           std::min(bytes_of(count, type), by_status.bytes), stream);
}

void Call::exchanged(const Message& out, const Message& in, const MPI_Status* status) {
  const Writing writing;
  session->recorder.called(address(), name_, Kind::exchange, start_, finish_, out.bytes(), out.stream(true));
  const auto [stream, bytes] = received_of(in, status);
  session->recorder.also(Kind::receive, bytes, stream);
}

void Call::posted(Kind kind, const Message& message, MPI_Request request) {
  const Writing writing;
  session->recorder.posted(address(), name_, kind, start_, finish_, message.bytes(),
                           message.stream(kind == Kind::post_send), word_of(request),
                           kind == Kind::post_receive ? message.open() : 0);
  wake_helper();
}

void Call::posted_both(const Message& out, const Message& in, MPI_Request request) {
  const Writing writing;
  session->recorder.posted(address(), name_, Kind::post_send, start_, finish_, out.bytes(), out.stream(true),
                           word_of(request));
  session->recorder.posted_too(Kind::post_receive, in.bytes(), in.stream(false), word_of(request), in.open());
  wake_helper();
}

void Call::posted_matched(std::uint32_t stream, std::int64_t count, MPI_Datatype type, MPI_Request request) {
  const Writing writing;
  session->recorder.posted(address(), name_, Kind::post_receive, start_, finish_, bytes_of(count, type), stream,
                           word_of(request));
  wake_helper();
}

void Call::prepared(Kind kind, const Message& message, MPI_Request request) {
  const Writing writing;
  session->recorder.prepared(kind, message.bytes(), message.stream(kind == Kind::post_send), word_of(request),
                             kind == Kind::post_receive ? message.open() : 0);
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
  thread_local std::vector<Recorder::Arrived> all;
  thread_local std::vector<std::uint64_t> some;
  all.clear();
  some.clear();
  const bool has_statuses = statuses != nullptr && statuses != MPI_STATUSES_IGNORE;
  for (int i = 0; i < done.count; ++i) {
    const auto place = static_cast<std::size_t>(done.which ? done.which[i] - done.first : i);
    const auto word = of[place];
    const int error = has_statuses && code_ != MPI_SUCCESS ? class_of(statuses[i].MPI_ERROR) : MPI_SUCCESS;
    if (error == MPI_ERR_PENDING) continue;
    some.push_back(word);
    if (!has_statuses) continue;
    const auto message = session->threads ? in_flight[place] : recorder.in_flight(word);
    const bool is_read = message.receive != Recorder::none && error == MPI_SUCCESS;
    all.push_back(is_read ? arrived(statuses[i], message.open) : Recorder::Arrived{});
    if (session->threads) all.back().of = message;
  }
  if (kind == Kind::test && !recorder.awaits(some, word_of(MPI_REQUEST_NULL)))
    return recorder.in_vain(address(), name_, kind, start_, finish_, words.size());
  recorder.completed(address(), name_, kind, start_, finish_, some, all);
  if (kind == Kind::wait && session->helper) session->helper->waited(now_seconds());
}

void Call::tested(Kind kind, bool found) {
  const Writing writing;
  if (was_unseen(found)) return;
  if (found)
    session->recorder.called(address(), name_, kind, start_, finish_);
  else
    session->recorder.in_vain(address(), name_, kind, start_, finish_);
}

void Call::matched(bool found, MPI_Message handle, const MPI_Status* status, MPI_Comm comm) {
  tested(Kind::probe, found);
  if (!found || status == nullptr) return;
  const Writing writing;
  session->matched[word_of(handle)] = Message{0, MPI_BYTE, status->MPI_SOURCE, status->MPI_TAG, comm}.stream(false);
}

void Call::collective(std::uint64_t bytes, MPI_Comm comm) {
  const Writing writing;
  if (session->helper) session->helper->synchronised(now_seconds());
  session->recorder.called(address(), name_, Kind::collective, start_, finish_, bytes, collective_stream(comm));
}

void Call::posted_collective(std::uint64_t bytes, MPI_Comm comm, MPI_Request request) {
  const Writing writing;
  session->recorder.posted(address(), name_, Kind::post_collective, start_, finish_, bytes, collective_stream(comm),
                           word_of(request));
  wake_helper();
}

void Call::prepared_collective(std::uint64_t bytes, MPI_Comm comm, MPI_Request request) {
  const Writing writing;
  session->recorder.prepared(Kind::post_collective, bytes, collective_stream(comm), word_of(request));
}

void Call::counted(Kind kind, std::int64_t count, MPI_Datatype type) {
  if (!recorded()) return;
  const Writing writing;
  session->recorder.called(address(), name_, kind, start_, finish_, bytes_of(count, type));
}

}  // namespace weft::advise
