// SPDX-License-Identifier: BSD-3-Clause
//
// What a client lists.
#include "weft/exchange/requests.hpp"

#include <numeric>

#include "c/objects.hpp"

namespace weft::c {

Requests& list_of(weft_requests list) {
  auto* requests = get(list).list;
  if (requests == nullptr) throw HandleError("The list is complete. Use it only in the callback that gets it.");
  return *requests;
}

namespace {

std::span<const std::byte> bytes_in(const void* data, std::size_t count, std::size_t bytes, const char* what) {
  const auto all = product_of(count, bytes, "A collective");
  if (count > 0) need(data, what);
  return {static_cast<const std::byte*>(data), all};
}
std::span<std::byte> bytes_out(void* data, std::size_t count, std::size_t bytes) {
  const auto in = bytes_in(data, count, bytes, "The output of a collective");
  return {static_cast<std::byte*>(data), in.size()};
}

std::vector<std::size_t> counts_of(const size_t* counts, int ranks) {
  at(counts, "The counts of a collective");
  return {counts, counts + ranks};
}
std::size_t sum_of(const std::vector<std::size_t>& counts) {
  std::size_t sum = 0;
  for (const auto n : counts) {
    if (n > PTRDIFF_MAX - sum) throw Error("A collective has more elements than memory.");
    sum += n;
  }
  return sum;
}
std::vector<std::size_t> times(std::vector<std::size_t> counts, std::size_t bytes) {
  for (auto& n : counts) n *= bytes;
  return counts;
}

void add(weft_requests list, const Collective& what, int round, weft_part* part) {
  const auto *in = what.in.data(), *out = static_cast<const std::byte*>(what.out.data());
  if (!what.in.empty() && !what.out.empty() && in < out + what.out.size() && out < in + what.in.size())
    throw Error(std::string("The input and the output of ") + name_of(what.kind) +
                " overlap. Give it two arrays (MPI_IN_PLACE has no counterpart).");
  give(part, part_of(list_of(list).collective(what, round), Request::Kind::collective));
}

void add_part(weft_requests list, bool is_sent, int peer, std::uint64_t key, int buffers, const weft_region* regions,
              int round, weft_part* part) {
  auto& requests = list_of(list);
  auto memory = buffers_of(buffers, regions, is_sent);
  const bool up_to = regions->up_to != 0;
  if (peer == MPI_PROC_NULL) return give(part, no_part);
  if (is_sent)
    give(part, part_of(up_to ? requests.send_up_to(peer, key, std::move(memory), round)
                             : requests.send(peer, key, std::move(memory), round),
                       Request::Kind::send));
  else
    give(part, part_of(up_to ? requests.receive_up_to(peer, key, std::move(memory), round)
                             : requests.receive(peer, key, std::move(memory), round),
                       Request::Kind::receive));
}

void add_combining(weft_requests list, int peer, std::uint64_t key, int buffers, const weft_region* regions, weft_op op,
                   bool in_any_order, int round, weft_part* part) {
  auto& requests = list_of(list);
  auto memory = buffers_of(buffers, regions, false);
  if (regions->up_to != 0)
    throw Error("A received part of up to n bytes is combined. Give it a fixed size, or receive it without a combine.");
  const ReceiveOptions options{.combine = combine_of(op, regions->type), .round = round, .in_any_order = in_any_order};
  if (peer == MPI_PROC_NULL) return give(part, no_part);
  give(part, part_of(requests.receive(peer, key, std::move(memory), options), Request::Kind::receive));
}

}  // namespace
}  // namespace weft::c

using namespace weft::c;
using Kind_ = weft::Collective::Kind;

int weft_send(weft_requests list, int peer, uint64_t key, weft_region region, int round, weft_part* part) {
  return call(__func__, [&] { add_part(list, true, peer, key, 1, &region, round, part); });
}

int weft_receive(weft_requests list, int peer, uint64_t key, weft_region region, int round, weft_part* part) {
  return call(__func__, [&] { add_part(list, false, peer, key, 1, &region, round, part); });
}

int weft_send_buffers(weft_requests list, int peer, uint64_t key, int buffers, const weft_region* regions, int round,
                      weft_part* part) {
  return call(__func__, [&] { add_part(list, true, peer, key, buffers, regions, round, part); });
}

int weft_receive_buffers(weft_requests list, int peer, uint64_t key, int buffers, const weft_region* regions, int round,
                         weft_part* part) {
  return call(__func__, [&] { add_part(list, false, peer, key, buffers, regions, round, part); });
}

int weft_receive_combine(weft_requests list, int peer, uint64_t key, weft_region region, weft_op op, int in_any_order,
                         int round, weft_part* part) {
  return call(__func__, [&] { add_combining(list, peer, key, 1, &region, op, in_any_order != 0, round, part); });
}

int weft_receive_combine_buffers(weft_requests list, int peer, uint64_t key, int buffers, const weft_region* regions,
                                 weft_op op, int in_any_order, int round, weft_part* part) {
  return call(__func__, [&] { add_combining(list, peer, key, buffers, regions, op, in_any_order != 0, round, part); });
}

int weft_all_reduce(weft_requests list, const void* in, void* out, size_t count, weft_type type, weft_op op, int round,
                    weft_part* part) {
  return call(__func__, [&] {
    const auto bytes = element_bytes(type);
    add(list,
        {.kind = Kind_::all_reduce,
         .in = bytes_in(in, count, bytes, "The input of an all-reduce"),
         .out = bytes_out(out, count, bytes),
         .reduction = reduction_of(op, type),
         .type = element_type(type)},
        round, part);
  });
}

int weft_reduce(weft_requests list, int root, const void* in, void* out, size_t count, weft_type type, weft_op op,
                int round, weft_part* part) {
  return call(__func__, [&] {
    const auto bytes = element_bytes(type);
    add(list,
        {.kind = Kind_::reduce,
         .in = bytes_in(in, count, bytes, "The input of a reduction"),
         .out = out != nullptr ? bytes_out(out, count, bytes) : std::span<std::byte>{},
         .reduction = reduction_of(op, type),
         .type = element_type(type),
         .root = root},
        round, part);
  });
}

int weft_broadcast(weft_requests list, int root, void* data, size_t count, weft_type type, int round, weft_part* part) {
  return call(__func__, [&] {
    add(list,
        {.kind = Kind_::broadcast,
         .out = bytes_out(data, count, element_bytes(type)),
         .type = element_type(type),
         .root = root},
        round, part);
  });
}

int weft_gather(weft_requests list, int root, const void* in, void* out, const size_t* counts, weft_type type,
                int round, weft_part* part) {
  return call(__func__, [&] {
    const auto bytes = element_bytes(type);
    const auto& of = get(list);
    const auto all = counts_of(counts, of.ranks);
    const bool is_root = of.rank == root;
    add(list,
        {.kind = Kind_::gather,
         .in = bytes_in(in, all[static_cast<std::size_t>(of.rank)], bytes, "The input of a gather"),
         .out = is_root ? bytes_out(out, sum_of(all), bytes) : std::span<std::byte>{},
         .type = element_type(type),
         .root = root,
         .out_bytes = is_root ? times(all, bytes) : std::vector<std::size_t>{}},
        round, part);
  });
}

int weft_all_gather(weft_requests list, const void* in, void* out, const size_t* counts, weft_type type, int round,
                    weft_part* part) {
  return call(__func__, [&] {
    const auto bytes = element_bytes(type);
    const auto& of = get(list);
    const auto all = counts_of(counts, of.ranks);
    add(list,
        {.kind = Kind_::all_gather,
         .in = bytes_in(in, all[static_cast<std::size_t>(of.rank)], bytes, "The input of an all-gather"),
         .out = bytes_out(out, sum_of(all), bytes),
         .type = element_type(type),
         .out_bytes = times(all, bytes)},
        round, part);
  });
}

int weft_all_to_all(weft_requests list, const void* in, const size_t* in_counts, void* out, const size_t* out_counts,
                    weft_type type, int round, weft_part* part) {
  return call(__func__, [&] {
    const auto bytes = element_bytes(type);
    const auto& of = get(list);
    const auto sent = counts_of(in_counts, of.ranks), received = counts_of(out_counts, of.ranks);
    add(list,
        {.kind = Kind_::all_to_all,
         .in = bytes_in(in, sum_of(sent), bytes, "The input of an all-to-all"),
         .out = bytes_out(out, sum_of(received), bytes),
         .type = element_type(type),
         .in_bytes = times(sent, bytes),
         .out_bytes = times(received, bytes)},
        round, part);
  });
}

int weft_barrier(weft_requests list, int round, weft_part* part) {
  return call(__func__, [&] { add(list, {}, round, part); });
}

int weft_continuation(weft_requests list, int round, int (*then)(void* context), void* context) {
  return call(__func__, [&] {
    auto& requests = list_of(list);
    need(then, "The function of a continuation");
    requests.continuation(round, [=, name = requests.client(), owner = get(list).owner] {
      call_back(
          owner, [&] { return "The continuation of '" + name + "'"; }, then, context);
    });
  });
}

int weft_agree_on(weft_requests list, const char* text) {
  return call(__func__, [&] { list_of(list).agree_on(text_at(text, "The text")); });
}
