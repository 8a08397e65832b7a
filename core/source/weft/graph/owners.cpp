// SPDX-License-Identifier: BSD-3-Clause
#include "weft/graph/owners.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "weft/transport/collectives.hpp"
#include "weft/transport/sparse.hpp"

namespace weft::detail {
namespace {

std::string twice(std::uint64_t number, std::uint64_t one, std::uint64_t other) {
  const auto text = "Number " + std::to_string(number);
  if (one == other) return text + " is owned twice by rank " + std::to_string(one) + ". Give each number once.";
  return text + " is owned by ranks " + std::to_string(std::min(one, other)) + " and " +
         std::to_string(std::max(one, other)) + ". Give each number one owner.";
}

// The ranks' ranges, if each rank owns one range of consecutive numbers.
class Ranges {
 public:
  Ranges(Transport& transport, const Numbers& owned) {
    const Range mine{.first = owned.size() == 0 ? 0 : owned[0],
                     .count = owned.size(),
                     .rank = static_cast<std::uint32_t>(transport.rank()),
                     .is_one = owned.are_consecutive()};
    all_ = all_gather(transport, mine);
    exist_ = std::ranges::all_of(all_, [](const Range& range) { return range.is_one; });
    std::erase_if(all_, [](const Range& range) { return range.count == 0; });
    std::ranges::sort(all_, {}, &Range::first);
  }
  bool exist() const { return exist_; }
  std::string problem() const {
    for (std::size_t i = 1; i < all_.size(); ++i)
      if (all_[i - 1].has(all_[i].first)) return twice(all_[i].first, all_[i - 1].rank, all_[i].rank);
    return {};
  }
  // Numbers are mostly looked for in ascending order.
  Owner find(std::uint64_t number) {
    if (all_.empty()) return {};
    if (!all_[last_].has(number)) {
      const auto after = std::ranges::upper_bound(all_, number, {}, &Range::first);
      last_ = after == all_.begin() ? 0 : static_cast<std::size_t>(after - all_.begin() - 1);
    }
    const auto& range = all_[last_];
    if (!range.has(number)) return {};
    return {number - range.first, range.rank};
  }

 private:
  struct Range {
    std::uint64_t first = 0, count = 0;
    std::uint32_t rank = 0;
    bool is_one = true;

    bool has(std::uint64_t number) const { return number - first < count; }
  };
  std::vector<Range> all_;  // ascending, none empty
  std::size_t last_ = 0;
  bool exist_ = false;
};

// Some of 64 consecutive numbers, which ascend at consecutive positions of one owner.
struct Patch {
  std::uint64_t key = 0;    // number / 64
  std::uint64_t mask = 0;   // bit i: the number key * 64 + i
  std::uint64_t index = 0;  // position of the lowest

  static std::uint64_t key_of(std::uint64_t number) { return number >> 6; }
  static std::uint64_t bit_of(std::uint64_t number) { return std::uint64_t{1} << (number & 63); }
};

template <class Use>
void for_each_patch(const Numbers& owned, const Use& use) {
  for (std::size_t i = 0; i < owned.size();) {
    auto last = owned[i];
    Patch patch{Patch::key_of(last), Patch::bit_of(last), i};
    for (++i; i < owned.size(); ++i) {
      const auto number = owned[i];
      if (Patch::key_of(number) != patch.key || number <= last) break;
      patch.mask |= Patch::bit_of(number);
      last = number;
    }
    use(patch);
  }
}

// The numbers of which this rank is the directory: a hash table of the patches, by their keys.
class Table {
 public:
  explicit Table(std::size_t patches) : slots_(std::bit_ceil(2 * patches + 1)) { patches_.reserve(patches); }

  void add(const Patch& patch, int rank) {
    auto& slot = slot_of(patch.key);
    if (const auto both = slot.mask & patch.mask; both != 0 && problem_.empty()) {
      const auto number = patch.key << 6 | static_cast<std::uint64_t>(std::countr_zero(both));
      problem_ = twice(number, find(number).rank, static_cast<std::uint64_t>(rank));
    }
    slot.key = patch.key;
    slot.mask |= patch.mask;
    patches_.push_back({patch.mask, patch.index, static_cast<std::uint32_t>(rank), slot.last});
    slot.last = patches_.size();
  }
  Owner find(std::uint64_t number) {
    const auto& slot = slot_of(Patch::key_of(number));
    const auto bit = Patch::bit_of(number);
    if ((slot.mask & bit) == 0) return {};
    const auto* patch = &patches_[slot.last - 1];
    while ((patch->mask & bit) == 0) patch = &patches_[patch->before - 1];
    return {patch->index + static_cast<std::uint64_t>(std::popcount(patch->mask & (bit - 1))), patch->rank};
  }
  const std::string& problem() const { return problem_; }

 private:
  // Patches of one key are linked; 0: there is none.
  struct Slot {
    std::uint64_t key = 0, mask = 0;
    std::size_t last = 0;
  };
  struct Linked {
    std::uint64_t mask, index;
    std::uint32_t rank;
    std::size_t before;
  };
  // The slot of the key, or the empty one in which it belongs.
  Slot& slot_of(std::uint64_t key) {
    auto hash = key * 0x9e3779b97f4a7c15U;
    auto at = (hash ^ (hash >> 32)) & (slots_.size() - 1);
    while (slots_[at].last != 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }

  std::vector<Slot> slots_;
  std::vector<Linked> patches_;
  std::string problem_;
};

// Which rank is the directory of a number: neighbours have the same one, and clusters of numbers are spread.
class Directory {
 public:
  explicit Directory(int ranks) : ranks_(static_cast<std::uint64_t>(ranks)) {}
  std::uint32_t rank_of(std::uint64_t number) const {
    auto hash = (number >> 10) * 0x9e3779b97f4a7c15U;
    hash = (hash ^ (hash >> 32)) * 0xbf58476d1ce4e5b9U;
    return static_cast<std::uint32_t>((hash >> 32) * ranks_ >> 32);
  }

 private:
  std::uint64_t ranks_;
};

// Numbers as bytes of a message.
class Writer {
 public:
  explicit Writer(std::vector<std::byte>& bytes, std::size_t first = 0) : at_(bytes.data() + first) {}
  template <class T>
  void write(const T& value) {
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }

 private:
  std::byte* at_;
};
class Reader {
 public:
  Reader() = default;
  explicit Reader(const std::vector<std::byte>& bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}
  template <class T>
  T read() {
    T value;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

 private:
  const std::byte *at_ = nullptr, *end_ = nullptr;
};

template <class T>
void append(std::vector<std::byte>& bytes, const T& value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), first, first + sizeof value);
}

// Tells each directory the numbers that this rank owns, and asks it for those that it wants: a count of patches, the
// patches, and the wanted numbers. `directories`: of the wanted numbers.
BytesByRank tell_and_ask(int ranks, const Numbers& owned, std::span<const std::uint64_t> wanted,
                         std::span<const std::uint32_t> directories) {
  const Directory directory(ranks);
  std::vector<std::vector<std::byte>> out(static_cast<std::size_t>(ranks));
  std::vector<std::uint64_t> patches(out.size()), asked(out.size());
  for_each_patch(owned, [&](const Patch& patch) {
    const auto to = directory.rank_of(patch.key << 6);
    if (patches[to]++ == 0) append(out[to], patches[to]);
    append(out[to], patch);
  });
  for (const auto to : directories) ++asked[to];
  std::vector<Writer> writers;
  BytesByRank by_rank;
  for (std::size_t r = 0; r < out.size(); ++r) {
    auto& bytes = out[r];
    const auto head = std::max(bytes.size(), sizeof(std::uint64_t));
    if (patches[r] + asked[r] > 0) bytes.resize(head + asked[r] * sizeof(std::uint64_t));
    if (!bytes.empty()) Writer(bytes).write(patches[r]);
    writers.emplace_back(bytes, head);
  }
  for (std::size_t j = 0; j < wanted.size(); ++j) writers[directories[j]].write(wanted[j]);
  for (std::size_t r = 0; r < out.size(); ++r)
    if (!out[r].empty()) by_rank[static_cast<int>(r)] = std::move(out[r]);
  return by_rank;
}

// The owners of `wanted`, from the directories.
std::vector<Owner> ask_directories(Transport& transport, const Numbers& owned, std::span<const std::uint64_t> wanted,
                                   std::string& problem) {
  std::vector<std::uint32_t> directories(wanted.size());
  std::ranges::transform(wanted, directories.begin(),
                         [of = Directory(transport.size())](std::uint64_t number) { return of.rank_of(number); });
  const auto asked =
      sparse_all_to_all(transport, tell_and_ask(transport.size(), owned, wanted, directories), transport.last_tag());
  std::size_t patches = 0;
  for (const auto& [rank, bytes] : asked) patches += Reader(bytes).read<std::uint64_t>();
  Table table(patches);
  std::vector<std::pair<int, Reader>> questions;
  for (const auto& [rank, bytes] : asked) {
    Reader reader(bytes);
    for (auto n = reader.read<std::uint64_t>(); n > 0; --n) table.add(reader.read<Patch>(), rank);
    if (reader.left() > 0) questions.emplace_back(rank, reader);
  }
  problem = table.problem();
  BytesByRank answers;
  for (auto& [rank, reader] : questions) {
    auto& bytes = answers[rank];
    bytes.resize(reader.left() / sizeof(std::uint64_t) * sizeof(Owner));
    Writer writer(bytes);
    while (reader.left() > 0) writer.write(table.find(reader.read<std::uint64_t>()));
  }
  const auto answered = sparse_all_to_all(transport, std::move(answers), transport.last_tag() - 1);
  std::vector<Reader> readers(static_cast<std::size_t>(transport.size()));
  for (const auto& [rank, bytes] : answered) readers[static_cast<std::size_t>(rank)] = Reader(bytes);
  std::vector<Owner> owners(wanted.size());
  for (std::size_t j = 0; j < wanted.size(); ++j) owners[j] = readers[directories[j]].read<Owner>();
  return owners;
}

}  // namespace

bool Numbers::are_consecutive() const {
  if (list_.empty()) return true;
  if (list_.back() - list_.front() != list_.size() - 1 || list_.back() < list_.front()) return false;
  std::uint64_t differ = 0;  // without a branch, so that the compiler vectorises the loop
  for (std::size_t i = 0; i < list_.size(); ++i) differ |= list_[i] ^ (first_ + i);
  return differ == 0;
}

Owners find_owners(Transport& transport, const Numbers& owned, std::span<const std::uint64_t> wanted) {
  Owners owners;
  if (Ranges ranges(transport, owned); ranges.exist()) {
    owners.problem = ranges.problem();
    owners.of.resize(wanted.size());
    for (std::size_t j = 0; j < wanted.size(); ++j) owners.of[j] = ranges.find(wanted[j]);
  } else {
    owners.of = ask_directories(transport, owned, wanted, owners.problem);
  }
  if (owned.is_too_long())
    owners.problem = "The " + std::to_string(owned.size()) + " numbers of rank " + std::to_string(transport.rank()) +
                     " begin at " + std::to_string(owned[0]) + " (the largest number is 2^64 - 1). Begin lower.";
  for (std::size_t j = 0; j < wanted.size() && owners.problem.empty(); ++j)
    if (owners.of[j].rank == Owner::nobody)
      owners.problem = "Number " + std::to_string(wanted[j]) + " is wanted by rank " +
                       std::to_string(transport.rank()) + ", but no rank owns it. Want only numbers that a rank owns.";
  return owners;
}

}  // namespace weft::detail
