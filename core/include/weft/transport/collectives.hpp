// SPDX-License-Identifier: BSD-3-Clause
//
// Blocking collectives for set-up and output, where there is nothing to overlap. All are collective over the
// transport's ranks, allocate memory, and wait with test and yield.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {

/// Returns when all ranks have called it.
void barrier(Transport& transport);

/// Runs `action` on every rank. If it throws on some rank, every rank throws the error of the lowest such rank, marked
/// `everywhere` (an InputError stays one); a PeerError only if there is no other error.
void together(Transport& transport, const std::function<void()>& action);

/// The same for an action that returns a number of 0 or more, at the same cost: returns the maximum over all ranks.
int largest_together(Transport& transport, const std::function<int()>& action);

/// Runs `action` on rank 0 only; if it throws there, every rank throws.
void on_root(Transport& transport, const std::function<void()>& action);

/// A collective on weft's own buffers, not started: start() copies the input, and the test() that returns true copies
/// the result. It can be leaked, so a rank whose peers fail may leave it.
std::unique_ptr<Operation> buffered(Transport& transport, const Collective& what);

namespace detail {
void run_collective(Transport& transport, const Collective& what);
template <class T>
std::span<const std::byte> bytes_of(std::span<const T> s) {
  return std::as_bytes(s);
}
}  // namespace detail

/// Returns the reduction of the values of all ranks, on every rank.
template <class T>
T all_reduce(Transport& transport, const T& value, const Reduction<std::type_identity_t<T>>& reduction) {
  T result = value;
  detail::run_collective(transport,
                         Collective::all_reduce(std::span<const T>(&value, 1), std::span<T>(&result, 1), reduction));
  return result;
}
/// The same for each element of an array.
template <class T, std::size_t N>
std::array<T, N> all_reduce(Transport& transport, const std::array<T, N>& values,
                            const Reduction<std::type_identity_t<T>>& reduction) {
  auto result = values;
  detail::run_collective(transport,
                         Collective::all_reduce(std::span<const T>(values), std::span<T>(result), reduction));
  return result;
}

/// Returns one value of each rank, by rank, on every rank.
template <class T>
std::vector<T> all_gather(Transport& transport, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto size = static_cast<std::size_t>(transport.size());
  std::vector<T> result(size);
  detail::run_collective(transport, {.kind = Collective::Kind::all_gather,
                                     .in = std::as_bytes(std::span(&value, 1)),
                                     .out = std::as_writable_bytes(std::span(result)),
                                     .out_bytes = std::vector<std::size_t>(size, sizeof(T))});
  return result;
}

/// Returns the values of all ranks, one rank after the other, on every rank.
template <class T>
std::vector<T> all_gather(Transport& transport, const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  auto bytes = all_gather(transport, values.size() * sizeof(T));
  std::vector<T> result(std::accumulate(bytes.begin(), bytes.end(), std::size_t{0}) / sizeof(T));
  detail::run_collective(transport, {.kind = Collective::Kind::all_gather,
                                     .in = std::as_bytes(std::span(values)),
                                     .out = std::as_writable_bytes(std::span(result)),
                                     .out_bytes = std::move(bytes)});
  return result;
}

/// Returns the values of all ranks on `root` (one vector per rank), nothing elsewhere.
template <class T>
std::vector<std::vector<T>> gather(Transport& transport, const std::vector<T>& values, int root = 0) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto counts = all_gather(transport, values.size());
  std::vector<T> all;
  std::vector<std::size_t> bytes;
  if (transport.rank() == root) {
    all.resize(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
    for (const auto n : counts) bytes.push_back(n * sizeof(T));
  }
  detail::run_collective(transport, {.kind = Collective::Kind::gather,
                                     .in = std::as_bytes(std::span(values)),
                                     .out = std::as_writable_bytes(std::span(all)),
                                     .root = root,
                                     .out_bytes = bytes});
  std::vector<std::vector<T>> result;
  if (transport.rank() == root) {
    auto from = all.begin();
    for (const auto n : counts) {
      result.emplace_back(from, from + static_cast<std::ptrdiff_t>(n));
      from += static_cast<std::ptrdiff_t>(n);
    }
  }
  return result;
}

/// Sends values[r] to rank r, and returns what rank r sent here as result[r].
template <class T>
std::vector<std::vector<T>> all_to_all(Transport& transport, const std::vector<std::vector<T>>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto size = static_cast<std::size_t>(transport.size());
  std::vector<std::size_t> out_counts(size), in_counts(size), in_bytes(size), out_bytes(size);
  std::vector<T> out, in;
  for (std::size_t r = 0; r < size; ++r) {
    in_counts[r] = values[r].size();
    in.insert(in.end(), values[r].begin(), values[r].end());
  }
  const std::vector<std::size_t> one(size, sizeof(std::size_t));
  detail::run_collective(transport, {.kind = Collective::Kind::all_to_all,
                                     .in = std::as_bytes(std::span(in_counts)),
                                     .out = std::as_writable_bytes(std::span(out_counts)),
                                     .in_bytes = one,
                                     .out_bytes = one});
  for (std::size_t r = 0; r < size; ++r) {
    in_bytes[r] = in_counts[r] * sizeof(T);
    out_bytes[r] = out_counts[r] * sizeof(T);
  }
  out.resize(std::accumulate(out_counts.begin(), out_counts.end(), std::size_t{0}));
  detail::run_collective(transport, {.kind = Collective::Kind::all_to_all,
                                     .in = std::as_bytes(std::span(in)),
                                     .out = std::as_writable_bytes(std::span(out)),
                                     .in_bytes = in_bytes,
                                     .out_bytes = out_bytes});
  std::vector<std::vector<T>> result(size);
  auto from = out.begin();
  for (std::size_t r = 0; r < size; ++r) {
    result[r].assign(from, from + static_cast<std::ptrdiff_t>(out_counts[r]));
    from += static_cast<std::ptrdiff_t>(out_counts[r]);
  }
  return result;
}

/// Returns the root's values on every rank.
template <class T>
std::vector<T> broadcast(Transport& transport, std::vector<T> values, int root = 0) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto counts = all_gather(transport, values.size());
  values.resize(counts[static_cast<std::size_t>(root)]);
  detail::run_collective(
      transport, {.kind = Collective::Kind::broadcast, .out = std::as_writable_bytes(std::span(values)), .root = root});
  return values;
}

/// Passes the texts of all ranks, one rank after the other, to `use` on rank 0. They come in pieces of `piece_bytes`
/// (the last may be smaller), whatever the ends of the texts. Costs one number per rank and one gather per piece; rank
/// 0 holds one piece.
void gather_text(Transport& transport, const std::string& text, const std::function<void(const std::string&)>& use,
                 std::size_t piece_bytes = std::size_t{16} << 20);

/// Returns the root's text on every rank.
std::string broadcast(Transport& transport, const std::string& text, int root = 0);
/// Returns the texts of all ranks, by rank, on every rank.
std::vector<std::string> all_gather(Transport& transport, const std::string& text);

}  // namespace weft
