// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators, progress, timelines and exchanges.
#include "weft/exchange/exchange.hpp"

#include <algorithm>
#include <array>

#include "c/objects.hpp"
#include "weft/clock.hpp"
#include "weft/mpi/foreign.hpp"
#include "weft/transport/failure.hpp"
#include "weft/transport/timeout.hpp"
#include "weft/warning.hpp"

namespace weft::c {

std::shared_ptr<mpi::Communicator> transport_of(weft_comm comm) {
  auto transport = share(comm);
  check_mpi();
  return transport;
}

MessageOptions message_options(const weft_message_options& given) {
  const auto options = nested_options_of(given, "weft_message_options");
  MessageOptions result;
  result.grouping = static_cast<Grouping>(one_of(options.grouping, WEFT_PER_NODE, "grouping"));
  result.carrier = static_cast<Carrier>(one_of(options.carrier, WEFT_PARTITIONED, "carrier"));
  result.packed_limit_bytes = options.packed_limit_bytes;
  result.by_size_bytes = options.by_size_bytes;
  if (options.piece_bytes == WEFT_NEVER_CUT)
    result.piece_bytes = 0;
  else if (options.piece_bytes != 0)
    result.piece_bytes = options.piece_bytes;
  result.most_requests = options.most_requests;
  result.direct_from_device = options.direct_from_device != 0;
  result.watchdog_seconds = seconds_of(options.watchdog_seconds, "The time of a watchdog");
  result.shared_memory = options.shared_memory != 0;
  result.defer_unpacking = options.defer_unpacking != 0;
  return result;
}

namespace {
using Kind = ProgressOptions::Kind;
constexpr std::array kinds{Kind::polling, Kind::passive, Kind::thread, Kind::send_receive_threads};
}  // namespace

int kind_of(ProgressOptions::Kind kind) {
  return static_cast<int>(std::find(kinds.begin(), kinds.end(), kind) - kinds.begin());
}

ProgressOptions progress_options(const weft_progress_options& given) {
  const auto options = nested_options_of(given, "weft_progress_options");
  ProgressOptions result;
  result.kind = kinds[static_cast<std::size_t>(one_of(options.kind, WEFT_SEND_RECEIVE_THREADS, "progress mode"))];
  if (options.threads != 0) result.threads = options.threads;
  if (options.interval_seconds != 0)
    result.interval_seconds = seconds_of(options.interval_seconds, "The polling interval");
  if (options.pin_count < 0) throw Error("The number of cores to pin to is negative.");
  if (options.pin_count > 0) result.pin.assign(need(options.pin, "The list of cores"), options.pin + options.pin_count);
  return result;
}

ExchangeOptions exchange_options(const weft_exchange_options& options) {
  return {.messages = message_options(options.messages),
          .compares_buffer_indices = options.ignores_buffer_indices == 0,
          .progress = share_if(options.progress),
          .timeline = share_if(options.timeline).get()};
}

namespace {

StartedExchange& started(weft_exchange exchange) {
  auto& object = get(exchange);
  if (object.started.is_over() && !object.exchange.has_failed())
    throw Error("The exchange was not started, or its start was waited for. Call weft_exchange_start first.");
  return object.started;
}

std::uint32_t number_of(const ExchangeObject& exchange, weft_requests client) {
  const auto& list = get(client);
  for (const auto& own : exchange.lists)
    if (own.get() == &list) return list.number;
  throw HandleError("The list belongs to another exchange.");
}

SendPart send_part(weft_exchange exchange, weft_part part) {
  return {checked(part, Request::Kind::send, get(exchange).exchange)};
}
ReceivePart receive_part(weft_exchange exchange, weft_part part) {
  return {checked(part, Request::Kind::receive, get(exchange).exchange)};
}

}  // namespace
}  // namespace weft::c

using namespace weft::c;
using weft::Request;

int weft_set_timeout(double seconds) {
  return call(__func__, [&] { weft::timeout().set_limit(seconds_of(seconds, "The time-out")); });
}

int weft_end(double seconds) {
  return call(__func__, [&] {
    weft::Failure::serve_for(seconds_of(seconds, "The time for other ranks"));
    weft::check_none_abandoned();
  });
}

int weft_set_warning_handler(void (*print)(void* context, const char* text), void* context) {
  return call(__func__, [&] {
    if (print == nullptr)
      weft::set_warning_handler({});
    else
      weft::set_warning_handler([=](const std::string& text) { print(context, text.c_str()); });
  });
}

int weft_comm_create(MPI_Comm mpi, weft_comm* comm) {
  return call(__func__, [&] {
    at(comm, "The address of the communicator");
    check_mpi();
    if (mpi == MPI_COMM_WORLD || mpi == MPI_COMM_SELF) {  // others may be of a program that has only sessions
      int has_begun = 0;
      MPI_Initialized(&has_begun);
      if (has_begun == 0) throw weft::Error("MPI was not initialised. Call MPI_Init_thread first.");
    }
    *comm = handle_of<weft_comm>(std::make_shared<weft::mpi::Communicator>(mpi));
  });
}

int weft_comm_free(weft_comm* comm) {
  return call(__func__, [&] { take(comm); });
}

int weft_comm_rank(weft_comm comm, int* rank, int* size) {
  return call(__func__, [&] {
    const auto& transport = get(comm);
    give(rank, transport.rank());
    give(size, transport.size());
  });
}

int weft_progress_create(weft_comm comm, const weft_progress_options* given, weft_progress* progress) {
  return call(__func__, [&] {
    at(progress, "The address of the progress");
    const auto options = options_of<weft_progress_options>(given, "weft_progress_options");
    *progress =
        handle_of<weft_progress>(std::make_shared<weft::Progress>(*transport_of(comm), progress_options(options)));
  });
}

int weft_progress_free(weft_progress* progress) {
  return call(__func__, [&] { take(progress); });
}

int weft_timeline_create(int keep_spans, weft_timeline* timeline) {
  return call(__func__, [&] {
    at(timeline, "The address of the timeline");
    *timeline = handle_of<weft_timeline>(std::make_shared<weft::Timeline>(keep_spans != 0));
  });
}

int weft_timeline_free(weft_timeline* timeline) {
  return call(__func__, [&] { take(timeline); });
}

namespace {
weft::Activity activity_of(int activity) {
  return static_cast<weft::Activity>(one_of(activity, WEFT_IN_FLIGHT, "activity"));
}
}  // namespace

int weft_timeline_add(weft_timeline timeline, const char* track, int activity, double start, double finish) {
  return call(__func__, [&] {
    auto& to = get(timeline);
    to.add(to.track(text_at(track, "The name of a track")), activity_of(activity), start, finish);
  });
}

int weft_timeline_total(weft_timeline timeline, const char* track, int activity, double* seconds) {
  return call(__func__, [&] {
    auto& of = get(timeline);
    give(seconds, of.total_seconds(of.track(text_at(track, "The name of a track")), activity_of(activity)));
  });
}

int weft_timeline_reset(weft_timeline timeline) {
  return call(__func__, [&] { get(timeline).reset(); });
}

int weft_timeline_write_trace(weft_timeline timeline, weft_comm comm, const char* path) {
  return call(__func__, [&] { get(timeline).write_trace(*transport_of(comm), text_at(path, "The path of a trace")); });
}

double weft_seconds(void) { return weft::now_seconds(); }

int weft_space_create(weft_comm comm, weft_space* space) {
  return call(__func__, [&] {
    at(space, "The address of the space");
    *space = handle_of<weft_space>(std::make_shared<weft::MessageSpace>(*transport_of(comm)));
  });
}

int weft_space_free(weft_space* space) {
  return call(__func__, [&] { take(space); });
}

int weft_exchange_create(weft_comm comm, const weft_exchange_options* given, weft_exchange* exchange) {
  return call(__func__, [&] {
    at(exchange, "The address of the exchange");
    const auto options = options_of<weft_exchange_options>(given, "weft_exchange_options");
    *exchange = handle_of<weft_exchange>(
        std::make_shared<ExchangeObject>(*transport_of(comm), share_if(options.space), options));
  });
}

int weft_exchange_free(weft_exchange* exchange) {
  return call(__func__, [&] {
    if (exchange != nullptr && *exchange != nullptr) check_idle(&get(*exchange), "exchange");
    take(exchange);
  });
}

int weft_exchange_client(weft_exchange exchange, const char* name, weft_requests* list) {
  return call(__func__, [&] {
    at(list, "The address of the list");
    auto& object = get(exchange);
    auto& requests = object.exchange.client(text_at(name, "The name of a client"));
    object.lists.push_back(std::make_unique<RequestsObject>(
        RequestsObject{&requests, static_cast<std::uint32_t>(object.exchange.clients().size() - 1), object.rank,
                       object.ranks, &object}));
    object.handles.push_back(std::make_unique<Lent<weft_requests>>(*object.lists.back()));
    *list = object.handles.back()->get();
  });
}

int weft_exchange_commit(weft_exchange exchange) {
  return call(__func__, [&] {
    auto& object = get(exchange);
    check_mpi();
    object.exchange.commit();
  });
}

int weft_exchange_start(weft_exchange exchange, uint64_t buffer_index) {
  return weft_exchange_start_queue(exchange, buffer_index, {});
}

int weft_exchange_start_queue(weft_exchange exchange, uint64_t buffer_index, weft_queue queue) {
  return call("weft_exchange_start", [&] {
    auto& object = get(exchange);
    check_mpi();
    object.started = object.exchange.start(queue_of(queue), buffer_index);
  });
}

int weft_exchange_ready(weft_exchange exchange, weft_part part) {
  return call(__func__, [&] {
    auto& running = started(exchange);
    if (part == no_part) return;
    if (is_collective(part))
      running.ready(weft::CollectivePart{checked(part, Request::Kind::collective, get(exchange).exchange)});
    else
      running.ready(send_part(exchange, part));
  });
}

int weft_exchange_ready_bytes(weft_exchange exchange, weft_part part, size_t bytes) {
  return call(__func__, [&] {
    auto& running = started(exchange);
    if (part != no_part) running.ready(send_part(exchange, part), bytes);
  });
}

int weft_exchange_ready_region(weft_exchange exchange, weft_part part, weft_region region) {
  return call(__func__, [&] {
    auto& running = started(exchange);
    if (part != no_part) running.ready(send_part(exchange, part), region_of(region, true));
  });
}

int weft_exchange_ready_all(weft_exchange exchange, weft_requests client, int round) {
  return call(__func__, [&] { started(exchange).ready_all(number_of(get(exchange), client), round); });
}

int weft_exchange_ready_queue(weft_exchange exchange, weft_part part, weft_queue queue) {
  return call(__func__, [&] {
    auto& running = started(exchange);
    if (part != no_part) running.ready(send_part(exchange, part), queue_of(queue));
  });
}

int weft_exchange_accept(weft_exchange exchange, weft_part part) {
  return weft_exchange_accept_queue(exchange, part, {});
}

int weft_exchange_accept_queue(weft_exchange exchange, weft_part part, weft_queue queue) {
  return call("weft_exchange_accept", [&] {
    auto& running = started(exchange);
    if (part != no_part) running.accept(receive_part(exchange, part), queue_of(queue));
  });
}

int weft_exchange_accept_all(weft_exchange exchange, weft_requests client, int round) {
  return call(__func__, [&] { started(exchange).accept_all(number_of(get(exchange), client), round); });
}

int weft_exchange_progress(weft_exchange exchange) {
  return call(__func__, [&] {
    auto& running = get(exchange).started;
    if (running.is_over()) return;
    check_mpi();
    running.progress();
  });
}

int weft_exchange_arrived(weft_exchange exchange, weft_part part, int* arrived) {
  return call(__func__, [&] {
    auto& running = started(exchange);
    at(arrived, "The address of the answer") = part == no_part || running.arrived(receive_part(exchange, part));
  });
}

int weft_exchange_test(weft_exchange exchange, int* done) {
  return call(__func__, [&] {
    auto& running = started(exchange);
    running.check_ready();
    at(done, "The address of the answer") = running.test();
    if (*done == 0) running.watch();
  });
}

int weft_exchange_wait_also(weft_exchange exchange, MPI_Request* request) {
  return call(__func__,
              [&] { started(exchange).wait_also(weft::mpi::foreign(at(request, "The address of the request"))); });
}

int weft_exchange_wait_round(weft_exchange exchange, int round) {
  return weft_exchange_wait_round_queue(exchange, round, {});
}

int weft_exchange_wait_round_queue(weft_exchange exchange, int round, weft_queue queue) {
  return call("weft_exchange_wait_round", [&] {
    check_mpi();
    started(exchange).wait(round, queue_of(queue));
  });
}

int weft_exchange_wait(weft_exchange exchange) { return weft_exchange_wait_queue(exchange, {}); }

int weft_exchange_wait_queue(weft_exchange exchange, weft_queue queue) {
  return call("weft_exchange_wait", [&] {
    check_mpi();
    started(exchange).wait(queue_of(queue));
  });
}

int weft_exchange_rebind(weft_exchange exchange, weft_part part, weft_region region) {
  return call(__func__, [&] {
    auto& object = get(exchange).exchange;
    if (part == no_part) return;
    const auto kind = part >> 61 == 1 ? Request::Kind::send : Request::Kind::receive;
    object.rebind(checked(part, kind, object), region_of(region, kind == Request::Kind::send));
  });
}

int weft_exchange_received_bytes(weft_exchange exchange, weft_part part, size_t* bytes) {
  return call(__func__, [&] {
    auto& of = get(exchange).exchange;
    give(bytes, part == no_part ? 0 : of.received_bytes(receive_part(exchange, part)));
  });
}

int weft_exchange_sent_bytes(weft_exchange exchange, weft_part part, size_t* bytes) {
  return call(__func__, [&] {
    auto& of = get(exchange).exchange;
    give(bytes, part == no_part ? 0 : of.sent_bytes(send_part(exchange, part)));
  });
}

int weft_exchange_take_received(weft_exchange exchange, weft_part part, void** data, size_t* bytes) {
  return call(__func__, [&] {
    at(data, "The address of the data"), at(bytes, "The address of the number of bytes");
    auto& of = get(exchange).exchange;
    give_bytes(part == no_part ? weft::Bytes{} : of.take_received(receive_part(exchange, part)), data, bytes);
  });
}

int weft_exchange_fail(weft_exchange exchange, const char* why) {
  return call(__func__, [&] { get(exchange).exchange.fail(text_at(why, "The reason")); });
}

int weft_exchange_has_failed(weft_exchange exchange, int* failed) {
  return call(__func__, [&] { at(failed, "The address of the answer") = get(exchange).exchange.has_failed(); });
}

int weft_exchange_describe(weft_exchange exchange, const char** text) {
  return call(__func__, [&] {
    auto& object = get(exchange);
    object.text = object.exchange.describe();
    at(text, "The address of the text") = object.text.c_str();
  });
}
