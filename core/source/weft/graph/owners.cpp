// SPDX-License-Identifier: BSD-3-Clause
#include "weft/graph/owners.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "weft/transport/collectives.hpp"
#include "weft/transport/sparse.hpp"

namespace weft {
namespace {

// Consecutive numbers that one rank owns at consecutive positions.
struct Run {
  std::uint64_t first = 0, count = 0, index = 0;
  std::uint64_t rank = 0;

  bool has(std::uint64_t number) const { return number - first < count; }
};

std::string twice(std::uint64_t number, std::uint64_t one, std::uint64_t other) {
  const auto text = "Number " + std::to_string(number);
  if (one == other) return text + " is owned twice by rank " + std::to_string(one) + ". Give each number once.";
  return text + " is owned by ranks " + std::to_string(std::min(one, other)) + " and " +
         std::to_string(std::max(one, other)) + ". Give each number one owner.";
}

// All runs that somebody tells this rank, for look-up.
class Table {
 public:
  explicit Table(std::vector<Run> runs) : runs_(std::move(runs)) {
    std::erase_if(runs_, [](const Run& run) { return run.count == 0; });
    const auto before = [](const Run& a, const Run& b) { return a.first < b.first; };
    if (!std::ranges::is_sorted(runs_, before)) std::ranges::sort(runs_, before);
    for (std::size_t i = 1; i < runs_.size() && problem_.empty(); ++i)
      if (runs_[i - 1].has(runs_[i].first)) problem_ = twice(runs_[i].first, runs_[i - 1].rank, runs_[i].rank);
  }

  // Numbers are mostly asked for in ascending order.
  Owner find(std::uint64_t number) {
    if (runs_.empty()) return {};
    if (!runs_[last_].has(number)) {
      if (last_ + 1 < runs_.size() && runs_[last_ + 1].has(number))
        ++last_;
      else
        search(number);
    }
    const auto& run = runs_[last_];
    if (!run.has(number)) return {};
    return {run.index + (number - run.first), static_cast<std::uint32_t>(run.rank)};
  }

  const std::string& problem() const { return problem_; }

 private:
  void search(std::uint64_t number) {
    const auto after = std::ranges::upper_bound(runs_, number, {}, &Run::first);
    last_ = after == runs_.begin() ? 0 : static_cast<std::size_t>(after - runs_.begin() - 1);
  }

  std::vector<Run> runs_;
  std::size_t last_ = 0;
  std::string problem_;
};

// The ranks' ranges; none if some rank does not own one range of consecutive numbers.
std::vector<Run> gather_ranges(Transport& transport, std::span<const std::uint64_t> owned) {
  struct Range {
    std::uint64_t first = 0, count = 0, is_none = 0;
  };
  Range mine{.count = owned.size()};
  if (!owned.empty()) mine.first = owned.front();
  for (std::size_t i = 1; i < owned.size(); ++i)
    if (owned[i] != owned[i - 1] + 1 || owned[i] == 0) {
      mine.is_none = 1;
      break;
    }
  const auto all = all_gather(transport, mine);
  if (std::ranges::any_of(all, [](const Range& range) { return range.is_none != 0; })) return {};
  std::vector<Run> runs;
  runs.reserve(all.size());
  for (std::uint64_t rank = 0; rank < all.size(); ++rank) runs.push_back({all[rank].first, all[rank].count, 0, rank});
  return runs;
}

// Which rank is the directory of a number: neighbours have the same one, and clusters of numbers are spread.
class Directory {
 public:
  explicit Directory(int ranks) : ranks_(static_cast<std::uint64_t>(ranks)) {}
  static std::uint64_t block_of(std::uint64_t number) { return number >> 10; }
  int rank_of(std::uint64_t number) {
    const auto block = block_of(number);
    if (block != block_) {
      block_ = block;
      auto hash = block * 0x9e3779b97f4a7c15U;
      hash = (hash ^ (hash >> 32)) * 0xbf58476d1ce4e5b9U;
      rank_ = static_cast<int>((hash ^ (hash >> 29)) % ranks_);
    }
    return rank_;
  }

 private:
  std::uint64_t ranks_, block_ = ~std::uint64_t{0};
  int rank_ = 0;
};

// Numbers as bytes of a message.
class Writer {
 public:
  explicit Writer(std::vector<std::byte>& bytes) : at_(bytes.data()) {}
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
  const std::byte *at_, *end_;
};

template <class Use>
void for_each_run(std::span<const std::uint64_t> owned, const Use& use) {
  for (std::size_t i = 0; i < owned.size();) {
    const auto first = owned[i], block = Directory::block_of(first);
    std::size_t end = i + 1;
    while (end < owned.size() && owned[end] == owned[end - 1] + 1 && Directory::block_of(owned[end]) == block) ++end;
    use(first, end - i, i);
    i = end;
  }
}

// Tells each directory the numbers that this rank owns, and asks it for those that it wants: a count of runs, the runs,
// and the wanted numbers.
BytesByRank tell_and_ask(int ranks, std::span<const std::uint64_t> owned, std::span<const std::uint64_t> wanted) {
  constexpr std::size_t run_words = 3;
  Directory directory(ranks);
  std::vector<std::uint64_t> runs(static_cast<std::size_t>(ranks)), asked(runs.size());
  for_each_run(owned, [&](std::uint64_t first, std::size_t, std::size_t) {
    ++runs[static_cast<std::size_t>(directory.rank_of(first))];
  });
  for (const auto number : wanted) ++asked[static_cast<std::size_t>(directory.rank_of(number))];
  BytesByRank out;
  std::vector<Writer> writers;
  std::vector<std::vector<std::byte>> none(1);
  writers.reserve(runs.size());
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (runs[r] + asked[r] == 0) {
      writers.emplace_back(none.front());
      continue;
    }
    auto& bytes = out[static_cast<int>(r)];
    bytes.resize((1 + run_words * runs[r] + asked[r]) * sizeof(std::uint64_t));
    writers.emplace_back(bytes).write(runs[r]);
  }
  for_each_run(owned, [&](std::uint64_t first, std::size_t count, std::size_t index) {
    auto& writer = writers[static_cast<std::size_t>(directory.rank_of(first))];
    writer.write(first);
    writer.write(std::uint64_t{count});
    writer.write(std::uint64_t{index});
  });
  for (const auto number : wanted) writers[static_cast<std::size_t>(directory.rank_of(number))].write(number);
  return out;
}

}  // namespace

Owners find_owners(Transport& transport, std::span<const std::uint64_t> owned, std::span<const std::uint64_t> wanted) {
  Owners owners;
  owners.of.resize(wanted.size());
  const auto note = [&](const std::string& problem) {
    if (owners.problem.empty()) owners.problem = problem;
  };
  const auto ranges = gather_ranges(transport, owned);
  if (!ranges.empty()) {
    Table table(ranges);
    note(table.problem());
    for (std::size_t j = 0; j < wanted.size(); ++j) owners.of[j] = table.find(wanted[j]);
  } else {
    const auto asked =
        sparse_all_to_all(transport, tell_and_ask(transport.size(), owned, wanted), transport.last_tag());
    std::vector<Run> runs;
    std::vector<std::pair<int, Reader>> questions;
    for (const auto& [rank, bytes] : asked) {
      Reader reader(bytes);
      for (auto n = reader.read<std::uint64_t>(); n > 0; --n) {
        auto& run = runs.emplace_back();
        run.first = reader.read<std::uint64_t>();
        run.count = reader.read<std::uint64_t>();
        run.index = reader.read<std::uint64_t>();
        run.rank = static_cast<std::uint64_t>(rank);
      }
      if (reader.left() > 0) questions.emplace_back(rank, reader);
    }
    Table table(std::move(runs));
    note(table.problem());
    BytesByRank answers;
    for (auto& [rank, reader] : questions) {
      auto& bytes = answers[rank];
      bytes.resize(reader.left() / sizeof(std::uint64_t) * sizeof(Owner));
      Writer writer(bytes);
      while (reader.left() > 0) writer.write(table.find(reader.read<std::uint64_t>()));
    }
    const auto answered = sparse_all_to_all(transport, std::move(answers), transport.last_tag() - 1);
    std::vector<Reader> readers(static_cast<std::size_t>(transport.size()), Reader({}));
    for (const auto& [rank, bytes] : answered) readers[static_cast<std::size_t>(rank)] = Reader(bytes);
    Directory directory(transport.size());
    for (std::size_t j = 0; j < wanted.size(); ++j)
      owners.of[j] = readers[static_cast<std::size_t>(directory.rank_of(wanted[j]))].read<Owner>();
  }
  for (std::size_t j = 0; j < wanted.size(); ++j)
    if (owners.of[j].rank == Owner::nobody) {
      note("Number " + std::to_string(wanted[j]) + " is wanted by rank " + std::to_string(transport.rank()) +
           ", but no rank owns it. Want only numbers that a rank owns.");
      break;
    }
  return owners;
}

}  // namespace weft
