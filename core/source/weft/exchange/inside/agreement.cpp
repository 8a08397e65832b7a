// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/inside/agreement.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/sparse.hpp"

namespace weft::inside {
namespace {

constexpr std::size_t name_length = 48;

// One end of a part (or one rank's share of a collective), as sent to the other end.
struct End {
  std::array<char, name_length> client{};
  Key key = 0;
  std::uint64_t bytes = 0;
  std::int32_t round = 0;
  ElementType type{};
  std::int32_t collective = 0;
  std::int32_t is_up_to = 0;

  auto identity() const { return std::tie(client, collective, key); }
  bool operator<(const End& other) const { return identity() < other.identity(); }
  std::string describe() const {
    return "Client '" + std::string(client.data()) + (collective ? "', collective " : "', key ") + std::to_string(key);
  }
};

// The properties of a collective that must be the same on every rank.
struct Signature {
  std::array<char, name_length> client{};
  Key number = 0;
  std::int32_t round = 0, root = 0, kind = 0, operation = 0, type = 0;
  ElementType element{};
  std::uint64_t element_bytes = 0, bytes = 0;
  bool operator==(const Signature&) const = default;
  bool agrees_with(Signature other) const {
    if (element.agrees_with(other.element)) other.element = element;
    return *this == other;
  }
};

std::array<char, name_length> fixed(const std::string& name) {
  std::array<char, name_length> result{};
  std::copy(name.begin(), name.end(), result.begin());
  return result;
}

std::string bytes_text(std::uint64_t n) { return std::to_string(n) + " byte" + (n == 1 ? "" : "s"); }

void check_peer(const Requests& client, const Request& request, int size) {
  if (request.kind == Request::Kind::collective || (request.peer >= 0 && request.peer < size)) return;
  throw Error("Client '" + client.client() + "', key " + std::to_string(request.key) + " names rank " +
              std::to_string(request.peer) + ". Use 0 to " + std::to_string(size - 1) + ".");
}

// Local checks: a root that exists, spans with the sizes of the counts (MPI would write beyond them), and whole
// elements to reduce.
void check_collective(const Requests& client, const Request& request, int rank, int size) {
  if (request.kind != Request::Kind::collective) return;
  const auto& what = request.collective;
  using K = Collective::Kind;
  const auto who =
      "Client '" + client.client() + "', collective " + std::to_string(request.key) + " (" + name_of(what.kind) + ") ";
  for (const auto bytes : {what.in.size(), what.out.size()})
    if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw Error(who + "has " + bytes_text(bytes) + " on one rank, more than MPI can count. Split it below 2 GiB.");
  if (what.root < 0 || what.root >= size)
    throw Error(who + "has root " + std::to_string(what.root) + ". Use 0 to " + std::to_string(size - 1) + ".");
  const bool on_root = rank == what.root;
  if (const auto misfit = misfit_of(what, rank); !misfit.empty()) throw Error(who + misfit);
  const auto check_shares = [&](const char* which, const std::vector<std::size_t>& shares, std::size_t bytes) {
    const auto sum = std::accumulate(shares.begin(), shares.end(), std::size_t{0});
    if (shares.size() == static_cast<std::size_t>(size) && sum == bytes) return;
    throw Error(who + "has an " + std::string(which) + " of " + bytes_text(bytes) + ", but counts for " +
                std::to_string(shares.size()) + " ranks and " + bytes_text(sum) + " (there are " +
                std::to_string(size) + " ranks). Give one count per rank, with the right sum.");
  };
  if (what.kind == K::all_to_all) check_shares("input", what.in_bytes, what.in.size());
  if (what.kind == K::all_to_all || what.kind == K::all_gather || (what.kind == K::gather && on_root))
    check_shares("output", what.out_bytes, what.out.size());
}

// The sends to each rank, and the receives expected from each; only ranks with which this one communicates.
struct Ends {
  std::map<int, std::vector<End>> to, from;
};

void list_shares(const Request& request, End end, int rank, int size, Ends& ends) {
  const auto& what = request.collective;
  using K = Collective::Kind;
  const bool to_root = what.kind == K::gather;
  const bool to_each = what.kind == K::all_to_all;
  end.collective = 1;
  // An empty share is not sent: a rank that expects a share that is not empty finds it missing.
  for (int r = 0; r < size; ++r) {
    const auto i = static_cast<std::size_t>(r);
    end.bytes = to_each ? what.in_bytes[i] : what.in.size();
    if ((!to_root || r == what.root) && end.bytes > 0) ends.to[r].push_back(end);
    if (to_root && rank != what.root) continue;
    end.bytes = what.out_bytes[i];
    if (end.bytes > 0) ends.from[r].push_back(end);
  }
}

// With `all_gathers` also their shares; otherwise the ranks' counts are known to be the same.
Ends list_ends(const std::deque<Requests>& clients, int rank, int size, bool all_gathers) {
  Ends ends;
  for (const auto& client : clients) {
    const auto name = fixed(client.client());
    for (const auto& request : client.list()) {
      const bool is_collective = request.kind == Request::Kind::collective;
      const End end{.client = name,
                    .key = request.key,
                    .bytes = request.buffers.bytes(),
                    .round = request.round,
                    .type = is_collective ? request.collective.type : request.buffers.type(),
                    .is_up_to = request.is_up_to ? 1 : 0};
      const auto kind = request.collective.kind;
      using K = Collective::Kind;
      if (request.kind == Request::Kind::send)
        ends.to[request.peer].push_back(end);
      else if (request.kind == Request::Kind::receive)
        ends.from[request.peer].push_back(end);
      else if (kind == K::gather || kind == K::all_to_all || (kind == K::all_gather && all_gathers))
        list_shares(request, end, rank, size, ends);
    }
  }
  for (auto* side : {&ends.to, &ends.from})
    for (auto& [peer, list] : *side) std::sort(list.begin(), list.end());
  return ends;
}

// Both lists are sorted. Appends the differences between `sent` by `sender` and `expected` by `receiver`.
void compare(const std::vector<End>& sent, const std::vector<End>& expected, int sender, int receiver,
             std::vector<std::string>& problems) {
  const auto a = " (rank " + std::to_string(sender), b = " rank " + std::to_string(receiver);
  for (const auto* list : {&sent, &expected})
    for (std::size_t i = 1; i < list->size(); ++i)
      if ((*list)[i].identity() == (*list)[i - 1].identity())
        problems.push_back((*list)[i].describe() + " is used twice" + a + " to" + b + "). Give each part its own key.");
  auto s = sent.begin();
  auto e = expected.begin();
  while (s != sent.end() || e != expected.end()) {
    if (e == expected.end() || (s != sent.end() && *s < *e)) {
      problems.push_back(s->describe() + " has no receive" + a + " sends " + bytes_text(s->bytes) + ", but" + b +
                         " receives 0 bytes: nothing under that key). Register it on both ends.");
      ++s;
    } else if (s == sent.end() || *e < *s) {
      problems.push_back(e->describe() + " has no send" + a + " sends 0 bytes: nothing under that key, but" + b +
                         " receives " + bytes_text(e->bytes) + "). Register it on both ends.");
      ++e;
    } else {
      const auto up_to = [](const End& end) { return std::string(end.is_up_to ? "up to " : "exactly "); };
      if (s->is_up_to != e->is_up_to)
        problems.push_back(s->describe() + " has a fixed size on one end only" + a + " sends " + up_to(*s) +
                           bytes_text(s->bytes) + "," + b + " receives " + up_to(*e) + bytes_text(e->bytes) +
                           "). Use send_up_to and receive_up_to, or neither.");
      else if (s->bytes != e->bytes)
        problems.push_back(s->describe() + " has two sizes" + a + " sends " + bytes_text(s->bytes) + "," + b +
                           " receives " + bytes_text(e->bytes) + "). Register the same size on both ends.");
      else if (s->round != e->round)
        problems.push_back(s->describe() + " has two rounds" + a + " sends " + bytes_text(s->bytes) + " in round " +
                           std::to_string(s->round) + "," + b + " receives " + bytes_text(e->bytes) + " in round " +
                           std::to_string(e->round) + "). Use the same round on both ends.");
      else if (!s->type.agrees_with(e->type))
        problems.push_back(s->describe() + " has two types" + a + " sends " + s->type.name() + "," + b + " receives " +
                           e->type.name() + ", whose bits mean something else). Use one type on both ends.");
      ++s, ++e;
    }
  }
}

std::vector<Signature> list_signatures(const std::deque<Requests>& clients) {
  std::vector<Signature> result;
  for (const auto& client : clients)
    for (const auto& request : client.list()) {
      if (request.kind != Request::Kind::collective) continue;
      const auto& c = request.collective;
      using K = Collective::Kind;
      Signature s{.client = fixed(client.client()),
                  .number = request.key,
                  .round = request.round,
                  .root = c.root,
                  .kind = static_cast<int>(c.kind),
                  .element = c.type};
      if (c.kind == K::reduce || c.kind == K::all_reduce) {
        s.operation = static_cast<int>(c.reduction.operation);
        s.type = static_cast<int>(c.reduction.type);
        s.element_bytes = c.reduction.element_bytes;
        s.bytes = c.in.size();
      }
      if (c.kind == K::broadcast) s.bytes = c.out.size();
      result.push_back(s);
    }
  std::sort(result.begin(), result.end(), [](const Signature& a, const Signature& b) {
    return std::tie(a.round, a.client, a.number) < std::tie(b.round, b.client, b.number);
  });
  return result;
}

// For example "sum of float64".
std::string reduction_of(const Signature& s) {
  using R = ReductionOfBytes;
  const auto operation = [&] {
    switch (static_cast<R::Operation>(s.operation)) {
      case R::Operation::sum: return "sum";
      case R::Operation::minimum: return "minimum";
      case R::Operation::maximum: return "maximum";
      case R::Operation::user: break;
    }
    return "user's operation";
  };
  return std::string(operation()) + " of " +
         (s.element.code != 0 ? s.element.name() : "elements of " + bytes_text(s.element_bytes));
}

std::string describe(const std::vector<Signature>& list, std::size_t i, int rank) {
  const auto who = "rank " + std::to_string(rank);
  if (i >= list.size()) return who + " has none";
  const auto& s = list[i];
  const auto kind = static_cast<Collective::Kind>(s.kind);
  const bool reduces = kind == Collective::Kind::reduce || kind == Collective::Kind::all_reduce;
  return who + " has client '" + s.client.data() + "', collective " + std::to_string(s.number) + ": " + name_of(kind) +
         " of " + bytes_text(s.bytes) +
         (reduces          ? " (" + reduction_of(s) + ")"
          : s.element.code ? " (" + s.element.name() + ")"
                           : "") +
         ", root " + std::to_string(s.root) + ", round " + std::to_string(s.round);
}

void compare_with_root(const std::vector<Signature>& root, const std::vector<Signature>& mine, int rank,
                       std::vector<std::string>& problems) {
  for (std::size_t i = 0; i < std::max(root.size(), mine.size()); ++i)
    if (i >= root.size() || i >= mine.size() || !root[i].agrees_with(mine[i])) {
      problems.push_back("The ranks disagree on a collective (" + describe(root, i, 0) + "; " +
                         describe(mine, i, rank) + "). List the same collectives on every rank.");
      return;  // those behind it are only shifted
    }
}

// What each client wants to be the same on all ranks.
using Agreed = std::map<std::string, std::string>;
Agreed list_agreed(const std::deque<Requests>& clients) {
  Agreed all;
  for (const auto& client : clients)
    if (!client.agreed().empty()) all[client.client()] = client.agreed();
  return all;
}

std::string text_of(const Agreed& all) {
  std::string text;
  for (const auto& [client, agreed] : all) text += client + '\0' + agreed + '\0';
  return text;
}

// A client that one rank lacks is found by its parts.
void compare_agreed(const std::string& root, const Agreed& mine, int rank) {
  std::vector<std::string> words;
  for (std::size_t at = 0, end = 0; at < root.size(); at = end + 1) {
    end = root.find('\0', at);
    words.push_back(root.substr(at, end - at));
  }
  for (std::size_t i = 0; i + 1 < words.size(); i += 2)
    if (const auto found = mine.find(words[i]); found != mine.end() && found->second != words[i + 1])
      throw Error("Client '" + words[i] + "' is not the same on all ranks (rank 0: " + words[i + 1] + "; rank " +
                  std::to_string(rank) + ": " + found->second + "). Create it alike on every rank.");
}

// FNV-1a, over what every rank must list alike: the signatures, what clients agree on, and the counts of all-gathers.
class Hash {
 public:
  void add(const void* data, std::size_t bytes) {
    const auto* p = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i) value_ = (value_ ^ p[i]) * 0x100000001b3;
  }
  template <class T>
  void add(const T& value) {
    static_assert(std::has_unique_object_representations_v<T>);
    add(&value, sizeof value);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

std::uint64_t hash_of(const std::vector<Signature>& signatures, const std::deque<Requests>& clients) {
  Hash hash;
  for (const auto& s : signatures) {
    hash.add(s.client);
    hash.add(s.number);
    for (const auto n : {s.round, s.root, s.kind, s.operation, s.type}) hash.add(n);
    hash.add(s.element.code);
    hash.add(s.element_bytes);
    hash.add(s.bytes);
  }
  // The order of clients may differ between ranks, so their shares are added up.
  std::uint64_t shares = 0;
  for (const auto& client : clients) {
    if (!client.agreed().empty()) {
      Hash one;
      one.add(fixed(client.client()));
      one.add(client.agreed().data(), client.agreed().size());
      shares += one.value();
    }
    for (const auto& request : client.list()) {
      if (request.kind != Request::Kind::collective || request.collective.kind != Collective::Kind::all_gather)
        continue;
      Hash one;
      one.add(fixed(client.client()));
      one.add(request.key);
      for (const auto bytes : request.collective.out_bytes) one.add(bytes);
      shares += one.value();
    }
  }
  hash.add(shares);
  return hash.value();
}

// Whether this rank's input of an all-gather has the size of its own count.
bool gives_its_share(const Request& request, int rank) {
  if (request.kind != Request::Kind::collective || request.collective.kind != Collective::Kind::all_gather) return true;
  return request.collective.in.size() == request.collective.out_bytes[static_cast<std::size_t>(rank)];
}

// The numbers of one rank, of which a minimum over all ranks is computed. One minimum reduction over (x, ~x) yields
// both the minimum and the maximum.
enum Number : std::size_t {
  packed_limit,
  by_size,
  piece,
  grouping,
  carrier = grouping + 2,
  shared_memory = carrier + 2,
  memory = shared_memory + 2,
  indices = memory + 2,
  collectives = indices + 2,  // their hash
  shares = collectives + 2,   // 0: some rank's share differs from its count
  rounds,                     // ~
  fewest_buffers,             // of parts that have several buffers
  most_buffers,               // ~
  no_error,                   // 0: some rank has an error
  numbers
};
using Numbers = std::array<std::uint64_t, numbers>;

void put(Numbers& all, Number number, std::uint64_t value) {
  all[number] = value;
  all[number + 1] = ~value;
}
bool differs(const Numbers& all, Number number) { return all[number] != ~all[static_cast<std::size_t>(number) + 1]; }

// The result of the local checks.
struct Mine {
  std::vector<Signature> signatures;
  std::uint64_t hash = 0;
  bool gives_shares = true;
  int rounds = 1;
  std::size_t buffer_count = 1;
};

Mine look_at(const std::deque<Requests>& clients, int rank, int size) {
  Mine mine;
  for (const auto& client : clients) {
    mine.rounds = std::max(mine.rounds, client.all_rounds());
    for (const auto& request : client.list()) {
      check_peer(client, request, size);
      check_collective(client, request, rank, size);
      mine.gives_shares = mine.gives_shares && gives_its_share(request, rank);
      const auto buffer_count = request.buffers.buffer_count();
      if (buffer_count == 1) continue;
      if (mine.buffer_count > 1 && buffer_count != mine.buffer_count)
        throw Error("Client '" + client.client() + "', key " + std::to_string(request.key) + " has " +
                    std::to_string(buffer_count) + " buffers, another part " + std::to_string(mine.buffer_count) +
                    ". Give each part of an exchange one buffer, or the same number of buffers.");
      mine.buffer_count = buffer_count;
    }
  }
  mine.signatures = list_signatures(clients);
  mine.hash = hash_of(mine.signatures, clients);
  return mine;
}

void check_the_same(const Numbers& all) {
  static constexpr std::pair<Number, const char*> options[] = {{grouping, "grouping"},
                                                               {carrier, "carrier"},
                                                               {shared_memory, "shared_memory"},
                                                               {memory, "memory"},
                                                               {indices, "compares_buffer_indices"}};
  for (const auto& [number, name] : options)
    if (differs(all, number))
      throw Error(
          std::string("The ranks' exchanges differ in their option '") + name + "'. Give the same on all ranks.", true);
  if (all[fewest_buffers] != std::numeric_limits<std::uint64_t>::max() && all[fewest_buffers] != ~all[most_buffers])
    throw Error("The ranks' parts have " + std::to_string(all[fewest_buffers]) + " and " +
                    std::to_string(~all[most_buffers]) +
                    " buffers. Give each part of an exchange one buffer, or the same number of buffers.",
                true);
}

BytesByRank bytes_of(const std::map<int, std::vector<End>>& lists) {
  BytesByRank result;
  for (const auto& [peer, list] : lists) {
    const auto bytes = std::as_bytes(std::span(list));
    result[peer].assign(bytes.begin(), bytes.end());
  }
  return result;
}

void check_ends(const Ends& ends, const BytesByRank& came, int rank, std::vector<std::string>& problems) {
  auto expected = ends.from;
  for (const auto& [peer, bytes] : came) expected.try_emplace(peer);
  for (const auto& [peer, list] : expected) {
    std::vector<End> sent;
    if (const auto found = came.find(peer); found != came.end()) {
      sent.resize(found->second.size() / sizeof(End));
      std::memcpy(sent.data(), found->second.data(), found->second.size());
    }
    compare(sent, list, peer, rank, problems);
  }
}

}  // namespace

Agreement agree(Transport& transport, const std::deque<Requests>& clients, const ExchangeOptions& wanted,
                const std::function<int(const Agreement&)>& prepare) {
  const int rank = transport.rank(), size = transport.size();
  const auto& options = wanted.messages;
  Mine mine;
  std::exception_ptr failure;
  try {
    if (wanted.memory && !transport.has_ranks_of(*wanted.memory))
      throw Error("The memory of an exchange was shared by other ranks, or in another order (this rank, " +
                  std::to_string(rank) +
                  ", would read the data of a wrong one). Call share() of a transport of the exchange's ranks.");
    mine = look_at(clients, rank, size);
  } catch (...) {
    failure = std::current_exception();
  }
  Numbers numbers_here{};
  numbers_here[packed_limit] = options.packed_limit_bytes;
  numbers_here[by_size] = options.by_size_bytes;
  numbers_here[piece] = options.piece_bytes.value_or(0);
  put(numbers_here, grouping, static_cast<std::uint64_t>(options.grouping));
  put(numbers_here, carrier, static_cast<std::uint64_t>(options.carrier));
  put(numbers_here, shared_memory, options.shared_memory ? 1 : 0);
  put(numbers_here, memory, wanted.memory ? 1 : 0);
  put(numbers_here, indices, wanted.compares_buffer_indices ? 1 : 0);
  put(numbers_here, collectives, mine.hash);
  numbers_here[shares] = mine.gives_shares ? 1 : 0;
  numbers_here[rounds] = ~static_cast<std::uint64_t>(mine.rounds);
  numbers_here[fewest_buffers] = mine.buffer_count > 1 ? mine.buffer_count : std::numeric_limits<std::uint64_t>::max();
  numbers_here[most_buffers] = ~static_cast<std::uint64_t>(mine.buffer_count);
  numbers_here[no_error] = failure ? 0 : 1;
  const auto all = all_reduce(transport, numbers_here, minimum<std::uint64_t>());
  check_the_same(all);
  if (all[no_error] == 0)
    together(transport, [&] {
      if (failure) std::rethrow_exception(failure);
    });
  check_abilities(transport, options);

  Agreement agreement{.packed_limit_bytes = static_cast<std::size_t>(all[packed_limit]),
                      .by_size_bytes = static_cast<std::size_t>(all[by_size]),
                      .piece_bytes = static_cast<std::size_t>(all[piece]),
                      .rounds = static_cast<int>(~all[rounds]),
                      .buffer_count = static_cast<std::size_t>(~all[most_buffers])};
  const bool in_doubt = differs(all, collectives) || all[shares] == 0;
  if (in_doubt) {
    const auto agreed = list_agreed(clients);
    const auto of_root = broadcast(transport, text_of(agreed));
    together(transport, [&] { compare_agreed(of_root, agreed, rank); });
  }
  const auto ends = list_ends(clients, rank, size, in_doubt);
  const auto came = sparse_all_to_all(transport, bytes_of(ends.to), transport.last_tag());
  const auto of_root = in_doubt ? broadcast(transport, mine.signatures) : std::vector<Signature>();
  agreement.tags = largest_together(transport, [&] {
    std::vector<std::string> problems;
    if (in_doubt) compare_with_root(of_root, mine.signatures, rank, problems);
    check_ends(ends, came, rank, problems);
    if (!problems.empty()) {
      if (problems.size() > 1)
        problems[0] +=
            " More such errors on rank " + std::to_string(rank) + ": " + std::to_string(problems.size() - 1) + ".";
      throw Error(problems[0]);
    }
    return prepare(agreement);
  });
  return agreement;
}

}  // namespace weft::inside
