// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/exchange/requests.hpp"
#include "weft/graph/values.hpp"
#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {

namespace detail {
struct Owners;
}

/// The numbers first, first + 1, ..., `count` of them.
struct NumberRange {
  std::uint64_t first = 0;  ///< the first
  std::size_t count = 0;    ///< how many
};

/// The handles of a field's parts, in the order of Graph::readers() and Graph::owners(), whichever are the peers.
struct GraphParts {
  std::vector<SendPart> sends;        ///< one per rank to which this rank sends
  std::vector<ReceivePart> receives;  ///< one per rank from which this rank receives
};

/// Who sends what to whom, from global numbers: each rank names the numbers that it owns, and those of which it wants
/// copies. For vectors on unstructured meshes, sparse matrices, particles.
///
/// The numbers are of 64 bits, in any order and distribution, with any gaps. Each has one owner. A rank may want a
/// number several times, and numbers of its own. For example:
///
///     rank  owned     wanted     readers()                        owners()
///     0     4 7 9     12 3       1: value 2                       1: copies 0 1
///     1     3 12      9          0: values 1 0                    0: copy 0
///
/// A graph does not communicate after its construction: to_copies() and to_owners() list parts for an exchange, where
/// they share messages and waits with all other parts, for any number of fields. GraphExchange calls them for you.
///
///     Graph graph(world, owned, wanted);
///     Exchange exchange(world);
///     graph.to_copies(exchange.client("u"), 1, u, u_copies);   // u_copies[j] = the owner's value of wanted[j]
///     exchange.commit();
///
/// Owners are found without any rank holding all numbers. If each rank owns one range of consecutive numbers, in
/// increasing order, all ranks gather the ranges (two numbers a rank). Otherwise every rank is the directory of some
/// blocks of 1024 numbers: the owners tell it, the others ask it.
class Graph {
 public:
  /// What this rank exchanges with another, or with itself.
  struct Neighbour {
    int rank;       ///< the other rank
    Places places;  ///< positions in `owned` (readers) or `wanted` (owners), in the order of the message
  };

  /// An empty graph of no numbers.
  Graph() = default;
  /// Finds the owners. Value i of a field belongs to owned[i], copy j to wanted[j]. Collective. Costs two to four
  /// collectives, and messages that grow with this rank's numbers; the last two tags of the transport are in use
  /// meanwhile. Throws an Error on all ranks if nobody owns a wanted number, or if a number is owned twice; it names
  /// number and ranks.
  Graph(Transport& transport, std::span<const std::uint64_t> owned, std::span<const std::uint64_t> wanted);
  /// The same for a rank that owns a range, which need not be listed. Other ranks may list theirs.
  Graph(Transport& transport, const NumberRange& owned, std::span<const std::uint64_t> wanted);
  /// The same, after it has sorted `wanted` by owner and number, so that the copies from each owner are contiguous and
  /// are received without unpacking. For programs that choose the order of their copies themselves.
  static Graph sorted(Transport& transport, std::span<const std::uint64_t> owned, std::vector<std::uint64_t>& wanted);

  /// How many numbers this rank owns.
  std::size_t owned() const { return owned_; }
  /// How many copies it wants.
  std::size_t wanted() const { return wanted_; }
  /// The ranks that want numbers of this rank, ascending; perhaps this rank itself.
  const std::vector<Neighbour>& readers() const { return readers_; }
  /// The ranks whose numbers this rank wants, ascending. Of each, positions ascend.
  const std::vector<Neighbour>& owners() const { return owners_; }

  /// Lists the parts of a field that send values from owners to copies: one to each reader, one from each owner.
  /// `key`: of these parts. The layouts of both arrays have the same number of components on all ranks. Throws an Error
  /// if an array is too small for its numbers.
  GraphParts to_copies(Requests& requests, Key key, const Values& owned, const Values& copies, int round = 0) const;
  /// Lists the parts of a field that send copies to their owners, which combine them with their values:
  /// `{.combine = sum<double>()}` adds all copies of a number to its owner's value, in the order of ranks and, of one
  /// rank, of `wanted`. So sums have the same bits in every run. Without a combine, a copy replaces the owner's value:
  /// then only one rank may want a number, and of its copies the last counts. Otherwise as to_copies().
  GraphParts to_owners(Requests& requests, Key key, const Values& copies, const Values& owned,
                       const ReceiveOptions& options) const;

 private:
  bool check(Requests& requests, Key key, const Values& owned, const Values& copies) const;
  Graph(Transport& transport, std::size_t owned, const detail::Owners& found);

  std::size_t owned_ = 0, wanted_ = 0;
  std::vector<Neighbour> readers_, owners_;
};

}  // namespace weft
