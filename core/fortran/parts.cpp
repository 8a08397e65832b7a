// SPDX-License-Identifier: BSD-3-Clause
//
// Parts and collectives.
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "fortran/array.hpp"

namespace weft::fortran {
namespace {

/// What of an array is meant, as the module's type `section`: all, a box, or elements with an index.
struct Section {
  int type;        // as in array_of
  int dimensions;  // of the box, 0: all
  int up_to;
  int with_last;  // whether `last` was given
  std::int64_t first[most_ranks], last[most_ranks], lower[most_ranks];
  std::int64_t indices;  // -1: none
  const std::int64_t* index;
  weft_device device;  // NULL: in memory of the host
};

/// A region together with the numbers that it borrows.
struct Memory {
  weft_region region;
  std::vector<weft_loop> loops;
  std::vector<std::size_t> index;
};

Memory memory_of(Array&& array, const Section& section, const std::string& what) {
  const int rank = array.rank;
  // Most parts are whole arrays. The region is made in place: copying what was just written stalls the processor.
  if (section.indices < 0 && section.dimensions == 0 && section.up_to == 0 && section.device == nullptr &&
      array.is_contiguous())
    return {weft_contiguous(array.data, static_cast<std::size_t>(array.count()), array.type), {}, {}};
  Memory memory;
  const auto at = [](std::int64_t number) { return std::to_string(number); };
  if (section.indices >= 0) {
    if (!array.is_contiguous() || rank > 1)
      refuse(what + " with index= is not a contiguous array of one dimension. Pass the whole array.");
    for (std::int64_t i = 0; i < section.indices; ++i) {
      const auto position = section.index[i] - section.lower[0];
      if (position < 0 || position >= array.count())
        refuse("index(" + at(i + 1) + ") is " + at(section.index[i]) + ", but the array has the elements " +
               at(section.lower[0]) + " to " + at(section.lower[0] + array.count() - 1) +
               " (weft counts from 1 unless lower= says otherwise).");
      memory.index.push_back(static_cast<std::size_t>(position));
    }
    memory.region =
        weft_on(weft_indexed(array.data, array.type, memory.index.size(), memory.index.data()), section.device);
    return memory;
  }
  if (section.dimensions > 0) {
    if (section.dimensions != rank)
      refuse("first= or last= has " + at(section.dimensions) + " numbers, but the array has rank " + at(rank) + ".");
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
      const auto lower = section.lower[d], upper = lower + array.extent[d] - 1;
      const auto first = section.first[d], last = section.with_last != 0 ? section.last[d] : upper;
      if (last >= first && (first < lower || last > upper))
        refuse("first= and last= select " + at(first) + ":" + at(last) + " in dimension " + at(std::int64_t(d) + 1) +
               ", but the array has " + at(lower) + ":" + at(upper) +
               " (weft counts from 1 unless lower= says otherwise).");
      array.extent[d] = std::max<std::int64_t>(last - first + 1, 0);
      if (array.extent[d] > 0 && array.data != nullptr) array.data += (first - lower) * array.stride[d];
    }
  }
  if (array.is_contiguous()) {
    memory.region = weft_contiguous(array.data, static_cast<std::size_t>(array.count()), array.type);
  } else {
    for (auto d = static_cast<std::size_t>(rank); d-- > 0;) {
      if (array.extent[d] == 1) continue;
      if (array.stride[d] < 0) refuse(what + " runs backwards in a dimension. Pass it with a positive stride.");
      memory.loops.push_back({static_cast<std::size_t>(array.extent[d]), static_cast<std::size_t>(array.stride[d])});
    }
    memory.region = weft_strided(array.data, array.type, static_cast<int>(memory.loops.size()), memory.loops.data());
  }
  if (section.up_to != 0) memory.region = weft_up_to(memory.region);
  memory.region.device = section.device;
  return memory;
}

std::vector<std::size_t> counts_of(const std::int64_t* counts, int ranks, std::int64_t sum_is_at_most,
                                   const std::string& what) {
  std::vector<std::size_t> sizes;
  std::int64_t sum = 0;
  for (int r = 0; r < ranks; ++r) {
    if (counts[r] < 0) refuse("A number of elements is negative. Use 0 or more.");
    sizes.push_back(static_cast<std::size_t>(counts[r]));
    sum += counts[r];
  }
  if (sum > sum_is_at_most)
    refuse(what + " has " + std::to_string(sum_is_at_most) + " elements, but the counts need " + std::to_string(sum) +
           ".");
  return sizes;
}

}  // namespace

extern "C" {

/// Adds a send or a receive. `all`: `array` is a component of its first element, and the component of every element is
/// meant; may be NULL. `swap`: the same section of a second array, for programs that swap two; may be NULL. `op`: how
/// what is received is combined; 0: not.
WEFT_API int weft_fortran_part(weft_requests list, int receives, int peer, std::int64_t key, const void* array,
                               int rank, const void* all, int all_rank, const void* swap, int swap_rank,
                               const Section* section, std::intptr_t op, int in_any_order, int round, weft_part* part) {
  return call([&] {
    static const std::array<std::string, 2> names{"A sent array", "A received array"};
    const auto& what = names[receives != 0 ? 1 : 0];
    auto given = array_of(array, rank, section->type, what);
    if (all != nullptr) {
      const auto structs = array_of(all, all_rank, 0, "The array of component_of=");
      if (rank != 0 || given.data < structs.data || given.data + given.length > structs.data + structs.length)
        refuse(what +
               " with component_of= is no component of its first element. Use it as in send(peer, key, p(1)%x, "
               "component_of=p).");
      given.rank = all_rank;
      given.extent = structs.extent;
      given.stride = structs.stride;
    }
    const auto one = memory_of(std::move(given), *section, what);
    const auto add = [&](int buffers, const weft_region* regions) {
      const auto id = static_cast<std::uint64_t>(key);
      if (op != 0)
        return weft_receive_combine_buffers(list, peer, id, buffers, regions, reinterpret_cast<weft_op>(op),
                                            in_any_order, round, part);
      return (receives != 0 ? weft_receive_buffers : weft_send_buffers)(list, peer, id, buffers, regions, round, part);
    };
    if (swap == nullptr) return add(1, &one.region);
    const auto two =
        memory_of(array_of(swap, swap_rank, section->type, "The array of swap="), *section, "The array of swap=");
    const std::array regions{one.region, two.region};
    return add(2, regions.data());
  });
}

/// Adds a part without memory. `op`: as above, with the type of the elements.
WEFT_API int weft_fortran_given(weft_requests list, int receives, int peer, std::int64_t key, std::int64_t bytes,
                                int up_to, std::intptr_t op, int type, int in_any_order, int round, weft_part* part) {
  return call([&] {
    if (bytes < 0) refuse("A part has a negative number of bytes. Use 0 or more.");
    auto region = weft_given(static_cast<std::size_t>(bytes));
    if (up_to != 0) region = weft_up_to(region);
    const auto id = static_cast<std::uint64_t>(key);
    if (op == 0) return (receives != 0 ? weft_receive : weft_send)(list, peer, id, region, round, part);
    region.type = static_cast<weft_type>(type);
    return weft_receive_combine(list, peer, id, region, reinterpret_cast<weft_op>(op), in_any_order, round, part);
  });
}

/// Gives memory to such a part. `call_of`: ready in an exchange or a step, rebind in an exchange or a manager.
WEFT_API int weft_fortran_bind(int call_of, void* object, const char* name, weft_part part, const void* array, int rank,
                               const Section* section) {
  return call([&]() -> int {
    const std::string what = "The array of a part";
    const auto memory = memory_of(array_of(array, rank, section->type, what), *section, what);
    switch (call_of) {
      case 0: return weft_exchange_ready_region(static_cast<weft_exchange>(object), part, memory.region);
      case 1: return weft_step_ready_region(static_cast<weft_step>(object), part, memory.region);
      case 2: return weft_exchange_rebind(static_cast<weft_exchange>(object), part, memory.region);
      default: return weft_step_manager_rebind(static_cast<weft_step_manager>(object), name, part, memory.region);
    }
  });
}

/// Adds a collective (a weft_collective_kind; 6 is a gather). Counts are those of all ranks, one for each of `ranks`.
WEFT_API int weft_fortran_collective(weft_requests list, int kind, int this_rank, int ranks, int root, const void* in,
                                     int in_rank, const std::int64_t* in_counts, const void* out, int out_rank,
                                     const std::int64_t* out_counts, std::intptr_t op, int type, int round,
                                     weft_part* part) {
  return call([&]() -> int {
    const auto to = whole(out, out_rank, type, "The array of a collective");
    const auto total = to.count();
    if (kind == WEFT_COLLECTIVE_BROADCAST)
      return weft_broadcast(list, root, to.data, static_cast<std::size_t>(total), to.type, round, part);
    const auto from = whole(in, in_rank, type, "The array of a collective");
    const auto count = from.count();
    if (from.type != to.type)
      refuse("The two arrays of a collective differ in the type of their elements. Use one type.");
    const bool is_here = this_rank == root || (kind != WEFT_COLLECTIVE_REDUCE && kind != 6);
    switch (kind) {
      case WEFT_COLLECTIVE_REDUCE:
      case WEFT_COLLECTIVE_ALL_REDUCE: {
        if (is_here && total != count)
          refuse("The arrays of a reduction have " + std::to_string(count) + " and " + std::to_string(total) +
                 " elements. Give both the same number.");
        const auto how = reinterpret_cast<weft_op>(op);
        const auto n = static_cast<std::size_t>(count);
        return kind == WEFT_COLLECTIVE_REDUCE
                   ? weft_reduce(list, root, from.data, to.data, n, to.type, how, round, part)
                   : weft_all_reduce(list, from.data, to.data, n, to.type, how, round, part);
      }
      case WEFT_COLLECTIVE_ALL_TO_ALL: {
        const auto sent = counts_of(in_counts, ranks, count, "The sent array");
        const auto received = counts_of(out_counts, ranks, total, "The received array");
        return weft_all_to_all(list, from.data, sent.data(), to.data, received.data(), to.type, round, part);
      }
      default: {
        const auto counts = counts_of(out_counts, ranks, is_here ? total : std::numeric_limits<std::int64_t>::max(),
                                      "The gathered array");
        if (this_rank >= 0 && this_rank < ranks && out_counts[this_rank] > count)
          refuse("The counts say that this rank sends " + std::to_string(out_counts[this_rank]) +
                 " elements, but its array has " + std::to_string(count) + ".");
        return kind == 6 ? weft_gather(list, root, from.data, to.data, counts.data(), to.type, round, part)
                         : weft_all_gather(list, from.data, to.data, counts.data(), to.type, round, part);
      }
    }
  });
}
}

}  // namespace weft::fortran
