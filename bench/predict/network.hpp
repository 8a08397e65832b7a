// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace weft::predict {

/// A parameter and its uncertainty.
struct Range {
  double value = 0, low = 0, high = 0;

  static Range exact(double x) { return {x, x, x}; }
};

/// The end of all ranges: likely values, values that make steps short, or long.
enum class Outlook : std::uint8_t { likely, good, bad };
/// The value of a cost's range: less is better.
double at(const Range& range, Outlook outlook);

/// The costs of messages between two ranks while all ranks send, in seconds.
struct Path {
  Range latency;   ///< from a message's departure to its arrival, of the network alone
  Range overhead;  ///< processor time of a rank, for one message sent and one received
  Range point;     ///< of a wait without anything to wait for
  Range byte;      ///< per byte
  /// Per byte for messages of measured sizes, by size; empty: `byte` for all.
  std::map<double, Range> bytes_of_size{};

  /// The cost per byte of a message of this size: interpolated between measured sizes, constant beyond them.
  Range byte_of(double message) const;
};

/// The network as measured by `weft bench network`, or as given.
struct Network {
  std::optional<Path> near;  ///< within a node
  std::optional<Path> far;   ///< between nodes; none: there is one node
  double per_node = 1;       ///< ranks per node
  Range doubling;            ///< s of the MPI library's all-reduce per doubling of the ranks
  /// The fraction of a small message (its latency) and of a large one (its bytes) that is overlapped by the same
  /// duration of computation, by kind of progress.
  std::map<std::string, std::array<Range, 2>> overlap;

  const Path& path(bool between_nodes) const;
  const std::array<Range, 2>& shares(const std::string& progress) const;
};

/// Reads a file of `weft bench network --json`. `per_node`: ranks per node; 0: as in the file. Throws InputError with
/// the file and the reason.
Network read_network(const std::filesystem::path& file, double per_node);

struct GivenNetwork {
  double latency_seconds = 0, bytes_per_second = 0, overhead_seconds = 0;
  double per_node = 1;
};
/// A network in which all ranks have the same distance, and messages need no progress calls.
Network given_network(const GivenNetwork& given);

}  // namespace weft::predict
