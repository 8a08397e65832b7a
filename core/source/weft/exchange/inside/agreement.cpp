// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/inside/agreement.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "weft/error.hpp"
#include "weft/names.hpp"
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

// What must be alike on every rank, as text: a collective, or what a client gave to agree_on(). So it is described,
// hashed, compared and shown once.
struct Line {
  std::string client{};  // of agree_on(); empty: a collective
  std::string text;
  ElementType type{};  // of a collective's elements: bytes agree with every type
  std::uint64_t counts =
      0;  // a hash of the counts of an all-gather, whose shares are compared one by one if it differs

  bool agrees_with(const Line& other) const { return text == other.text && type.agrees_with(other.type); }
  std::string shown() const {
    return type.code == 0 || text.find(type.name()) != std::string::npos ? text : text + ", of " + type.name();
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
    for (auto& [peer, list] : *side)
      if (!std::is_sorted(list.begin(), list.end())) std::sort(list.begin(), list.end());  // most are, by their keys
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

// FNV-1a.
class Hash {
 public:
  template <class T>
  void add(std::span<const T> values) {
    for (const auto byte : std::as_bytes(values)) value_ = (value_ ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

// For example "sum of int64".
std::string reduction_text(const ReductionOfBytes& reduction) {
  using R = ReductionOfBytes;
  static constexpr Names<R::Operation> operations("operation", {{R::Operation::sum, "sum"},
                                                                {R::Operation::minimum, "minimum"},
                                                                {R::Operation::maximum, "maximum"},
                                                                {R::Operation::user, "user's operation"}});
  static constexpr Names<R::Type> types("type", {{R::Type::int32, "int32"},
                                                 {R::Type::int64, "int64"},
                                                 {R::Type::uint64, "uint64"},
                                                 {R::Type::float32, "float32"},
                                                 {R::Type::float64, "float64"}});
  return std::string(operations.of(reduction.operation)) + " of " +
         (reduction.type == R::Type::bytes ? "elements of " + bytes_text(reduction.element_bytes)
                                           : types.of(reduction.type));
}

Line line_of(const std::string& client, const Request& request) {
  const auto& c = request.collective;
  using K = Collective::Kind;
  const bool reduces = c.kind == K::reduce || c.kind == K::all_reduce;
  const auto bytes = reduces ? c.in.size() : c.kind == K::broadcast ? c.out.size() : 0;
  Hash counts;
  if (c.kind == K::all_gather) counts.add(std::span(c.out_bytes));
  return {.text = "client '" + client + "', collective " + std::to_string(request.key) + ": " + name_of(c.kind) +
                  " of " + bytes_text(bytes) + (reduces ? " (" + reduction_text(c.reduction) + ")" : "") + ", root " +
                  std::to_string(c.root) + ", round " + std::to_string(request.round),
          .type = c.type,
          .counts = counts.value()};
}

// By client what it agrees on, then the collectives in the order in which they start. So the lines do not depend on the
// order of clients.
std::vector<Line> lines_of(const std::deque<Requests>& clients) {
  std::map<std::tuple<int, std::string, Key>, Line> sorted;  // by round, client and number
  for (const auto& client : clients) {
    const auto& name = client.client();
    if (!client.agreed().empty()) sorted[{-1, name, 0}] = {.client = name, .text = client.agreed()};
    for (const auto& request : client.list())
      if (request.kind == Request::Kind::collective)
        sorted[{request.round, name, request.key}] = line_of(name, request);
  }
  std::vector<Line> lines;
  for (auto& [at, line] : sorted) lines.push_back(std::move(line));
  return lines;
}

std::uint64_t hash_of(const std::vector<Line>& lines) {
  Hash hash;
  for (const auto& line : lines) {
    hash.add(std::span<const char>(line.client));
    hash.add(std::span<const char>(line.text));
    hash.add(std::span(&line.type.code, 1));
    hash.add(std::span(&line.counts, 1));
  }
  return hash.value();
}

// Rank 0's lines on every rank. Collective.
std::vector<Line> lines_of_root(Transport& transport, const std::vector<Line>& mine) {
  std::string text;
  for (const auto& line : mine)
    for (const auto& word : {line.client, line.text, std::to_string(line.type.code)}) text += word + '\0';
  text = broadcast(transport, text);
  std::size_t at = 0;
  const auto next = [&] {
    const auto end = text.find('\0', at);
    return text.substr(std::exchange(at, end + 1), end - at);
  };
  std::vector<Line> lines;
  while (at < text.size()) {
    auto& line = lines.emplace_back();
    line.client = next();
    line.text = next();
    line.type.code = static_cast<std::uint32_t>(std::stoul(next()));
  }
  return lines;
}

// A client that one rank lacks is found by its parts.
void compare_agreed(const std::vector<Line>& root, const std::vector<Line>& mine, int rank) {
  for (const auto& a : root)
    for (const auto& b : mine)
      if (!a.client.empty() && a.client == b.client && a.text != b.text)
        throw Error("Client '" + a.client + "' is not the same on all ranks (rank 0: " + a.text + "; rank " +
                    std::to_string(rank) + ": " + b.text + "). Create it alike on every rank.");
}

void compare_collectives(std::vector<Line> root, std::vector<Line> mine, int rank, std::vector<std::string>& problems) {
  for (auto* lines : {&root, &mine}) std::erase_if(*lines, [](const Line& line) { return !line.client.empty(); });
  const auto shown = [](const std::vector<Line>& lines, std::size_t i) {
    return i < lines.size() ? " has " + lines[i].shown() : " has none";
  };
  for (std::size_t i = 0; i < std::max(root.size(), mine.size()); ++i)
    if (i >= root.size() || i >= mine.size() || !root[i].agrees_with(mine[i])) {
      problems.push_back("The ranks disagree on a collective (rank 0" + shown(root, i) + "; rank " +
                         std::to_string(rank) + shown(mine, i) + "). List the same collectives on every rank.");
      return;  // those behind it are only shifted
    }
}

// Whether this rank's input of an all-gather has the size of its own count.
bool gives_its_share(const Request& request, int rank) {
  if (request.kind != Request::Kind::collective || request.collective.kind != Collective::Kind::all_gather) return true;
  return request.collective.in.size() == request.collective.out_bytes[static_cast<std::size_t>(rank)];
}

// The least and the most of a number over all ranks: by one reduction to the minimum, of the number and its complement.
struct Bounds {
  std::uint64_t least, most_inverted;
  explicit Bounds(std::uint64_t value) : least(value), most_inverted(~value) {}
  std::uint64_t most() const { return ~most_inverted; }
  bool differ() const { return least != most(); }
};

// The numbers of one rank, of which the minimum over all ranks is computed.
struct Numbers {
  std::uint64_t packed_limit, by_size, piece;
  Bounds grouping, carrier, shared_memory, memory, indices, lines;
  std::uint64_t fewest_buffers, most_buffers_inverted;  // of parts that have several
  std::uint64_t most_rounds_inverted;
  std::uint64_t gives_shares;  // 0: some rank's share differs from its count
  std::uint64_t no_error;      // 0: some rank has an error
};
using Words = std::array<std::uint64_t, sizeof(Numbers) / sizeof(std::uint64_t)>;

// The result of the local checks.
struct Mine {
  std::vector<Line> lines;
  bool gives_shares = true;
  std::size_t buffer_count = 1;
  int rounds = 1;
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
  mine.lines = lines_of(clients);
  return mine;
}

void check_the_same(const Numbers& all) {
  const std::pair<const Bounds&, const char*> options[] = {{all.grouping, "grouping"},
                                                           {all.carrier, "carrier"},
                                                           {all.shared_memory, "shared_memory"},
                                                           {all.memory, "memory"},
                                                           {all.indices, "compares_buffer_indices"}};
  for (const auto& [bounds, name] : options)
    if (bounds.differ())
      throw Error(
          std::string("The ranks' exchanges differ in their option '") + name + "'. Give the same on all ranks.", true);
  const auto fewest = all.fewest_buffers, most = ~all.most_buffers_inverted;
  if (fewest != std::numeric_limits<std::uint64_t>::max() && fewest != most)
    throw Error("The ranks' parts have " + std::to_string(fewest) + " and " + std::to_string(most) +
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
  const Numbers here{
      .packed_limit = options.packed_limit_bytes,
      .by_size = options.by_size_bytes,
      .piece = options.piece_bytes.value_or(0),
      .grouping = Bounds(static_cast<std::uint64_t>(options.grouping)),
      .carrier = Bounds(static_cast<std::uint64_t>(options.carrier)),
      .shared_memory = Bounds(options.shared_memory ? 1 : 0),
      .memory = Bounds(wanted.memory ? 1 : 0),
      .indices = Bounds(wanted.compares_buffer_indices ? 1 : 0),
      .lines = Bounds(hash_of(mine.lines)),
      .fewest_buffers = mine.buffer_count > 1 ? mine.buffer_count : std::numeric_limits<std::uint64_t>::max(),
      .most_buffers_inverted = ~static_cast<std::uint64_t>(mine.buffer_count),
      .most_rounds_inverted = ~static_cast<std::uint64_t>(mine.rounds),
      .gives_shares = mine.gives_shares ? 1U : 0U,
      .no_error = failure ? 0U : 1U};
  const auto all = std::bit_cast<Numbers>(all_reduce(transport, std::bit_cast<Words>(here), minimum<std::uint64_t>()));
  check_the_same(all);
  if (all.no_error == 0)
    together(transport, [&] {
      if (failure) std::rethrow_exception(failure);
    });
  check_abilities(transport, options);

  Agreement agreement{.packed_limit_bytes = static_cast<std::size_t>(all.packed_limit),
                      .by_size_bytes = static_cast<std::size_t>(all.by_size),
                      .piece_bytes = static_cast<std::size_t>(all.piece),
                      .buffer_count = static_cast<std::size_t>(~all.most_buffers_inverted),
                      .rounds = static_cast<int>(~all.most_rounds_inverted)};
  const bool in_doubt = all.lines.differ() || all.gives_shares == 0;
  const auto of_root = in_doubt ? lines_of_root(transport, mine.lines) : mine.lines;
  if (in_doubt) together(transport, [&] { compare_agreed(of_root, mine.lines, rank); });
  const auto ends = list_ends(clients, rank, size, in_doubt);
  const auto came = sparse_all_to_all(transport, bytes_of(ends.to), transport.last_tag());
  agreement.tags = largest_together(transport, [&] {
    std::vector<std::string> problems;
    if (in_doubt) compare_collectives(of_root, mine.lines, rank, problems);
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
