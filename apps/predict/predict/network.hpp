// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace weft::predict {

/// A parameter and how far it may be off.
struct Range {
  double value = 0, low = 0, high = 0;

  static Range exact(double x) { return {x, x, x}; }
};

/// Which end of all ranges: what is likely, what makes steps short, what makes them long.
enum class Outlook : std::uint8_t { likely, good, bad };
/// A range of a cost: less is good.
double at(const Range& range, Outlook outlook);

/// What messages cost between two ranks while all ranks send, in seconds.
struct Path {
  Range latency;   ///< from a message's departure to its arrival, of the network alone
  Range overhead;  ///< of a rank's processor, for one message sent and one received
  Range point;     ///< of a synchronisation point that waits for nobody
  Range byte;      ///< each byte
  /// Each byte of messages of so many bytes, by size, where it was measured; empty: `byte` for all.
  std::map<double, Range> bytes_of_size{};

  /// Of a message of so many bytes: between two sizes that were measured in proportion to the size, beyond them as they
  /// are.
  Range byte_of(double message) const;
};

/// The network as `weft bench network` measures it, or as it is given.
struct Network {
  std::optional<Path> near;  ///< within a node
  std::optional<Path> far;   ///< between nodes; none: there is one node
  double per_node = 1;       ///< ranks of a node
  Range doubling;            ///< s of the MPI library's all-reduce, each time the ranks double
  /// The share of a small message (its latency) and of a large one (its bytes) that is hidden behind as much
  /// computation, by who drives it.
  std::map<std::string, std::array<Range, 2>> hidden;

  const Path& path(bool between_nodes) const;
  const std::array<Range, 2>& shares(const std::string& progress) const;
};

/// Reads what `weft bench network --json` wrote. `per_node`: instead of the ranks of a node it ran on; 0: those.
/// Throws InputError that names the file and what is wrong.
Network read_network(const std::filesystem::path& file, double per_node);

struct GivenNetwork {
  double latency_seconds = 0, bytes_per_second = 0, overhead_seconds = 0;
  double per_node = 1;
};
/// All ranks are as far from each other; messages move by themselves.
Network given_network(const GivenNetwork& given);

}  // namespace weft::predict
