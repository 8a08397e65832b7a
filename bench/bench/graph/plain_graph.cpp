// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "bench/graph/subject.hpp"

namespace weft::bench {
namespace {

using Numbers = std::vector<std::uint64_t>;
using ByRank = std::vector<Numbers>;

ByRank all_to_all(MPI_Comm comm, const ByRank& out) {
  const auto ranks = out.size();
  std::vector<int> sent(ranks), received(ranks), sent_at(ranks), received_at(ranks);
  Numbers sends, receives;
  for (std::size_t r = 0; r < ranks; ++r) {
    sent_at[r] = static_cast<int>(sends.size());
    sent[r] = static_cast<int>(out[r].size());
    sends.insert(sends.end(), out[r].begin(), out[r].end());
  }
  MPI_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, comm);
  std::exclusive_scan(received.begin(), received.end(), received_at.begin(), 0);
  receives.resize(static_cast<std::size_t>(received_at.back() + received.back()));
  MPI_Alltoallv(sends.data(), sent.data(), sent_at.data(), MPI_UINT64_T, receives.data(), received.data(),
                received_at.data(), MPI_UINT64_T, comm);
  ByRank in(ranks);
  for (std::size_t r = 0; r < ranks; ++r)
    in[r].assign(receives.begin() + received_at[r], receives.begin() + received_at[r] + received[r]);
  return in;
}

struct Place {
  std::uint64_t rank, index;
};

std::vector<Place> find_in_ranges(MPI_Comm comm, std::size_t ranks, const GraphProblem& problem) {
  const std::uint64_t mine = problem.owned.size();
  Numbers ends(ranks);
  MPI_Allgather(&mine, 1, MPI_UINT64_T, ends.data(), 1, MPI_UINT64_T, comm);
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<Place> places;
  places.reserve(problem.wanted.size());
  for (const auto number : problem.wanted) {
    const auto rank = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), number) - ends.begin());
    places.push_back({rank, number - (rank == 0 ? 0 : ends[rank - 1])});
  }
  return places;
}

std::vector<Place> find_in_directory(MPI_Comm comm, std::size_t ranks, const GraphProblem& problem) {
  const auto directory_of = [ranks](std::uint64_t number) { return (number >> 10) % ranks; };
  ByRank told(ranks), asked(ranks), answers(ranks);
  for (std::size_t i = 0; i < problem.owned.size(); ++i) {
    auto& to = told[directory_of(problem.owned[i])];
    to.push_back(problem.owned[i]);
    to.push_back(i);
  }
  for (const auto number : problem.wanted) asked[directory_of(number)].push_back(number);
  told = all_to_all(comm, told);
  asked = all_to_all(comm, asked);
  std::unordered_map<std::uint64_t, Place> places;
  places.reserve(problem.owned.size());
  for (std::size_t r = 0; r < ranks; ++r)
    for (std::size_t i = 0; i < told[r].size(); i += 2) places[told[r][i]] = {r, told[r][i + 1]};
  for (std::size_t r = 0; r < ranks; ++r)
    for (const auto number : asked[r]) {
      const auto& place = places.at(number);
      answers[r].push_back(place.rank);
      answers[r].push_back(place.index);
    }
  answers = all_to_all(comm, answers);
  std::vector<std::size_t> next(ranks);
  std::vector<Place> found;
  found.reserve(problem.wanted.size());
  for (const auto number : problem.wanted) {
    const auto r = directory_of(number);
    found.push_back({answers[r][next[r]], answers[r][next[r] + 1]});
    next[r] += 2;
  }
  return found;
}

// What is exchanged with a rank: elements of an array, through a buffer if they are not contiguous.
struct Side {
  int rank;
  std::vector<int> index{};
  std::vector<double> buffer{};

  double* memory(double* array) {
    for (std::size_t i = 1; i < index.size(); ++i)
      if (index[i] != index[0] + static_cast<int>(i)) {
        buffer.resize(index.size());
        return buffer.data();
      }
    return array + index[0];
  }
  void pack(const double* array) {
    for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = array[index[i]];
  }
  void unpack(double* array) const {
    for (std::size_t i = 0; i < buffer.size(); ++i) array[index[i]] = buffer[i];
  }
};

// The other direction: copies are sent, and added to the owners' values in the order of ranks.
struct Sums {
  int rank;
  const std::vector<int>* index;  // of the owner's values
  std::vector<double> received;

  void add_to(double* owned) const {
    for (std::size_t i = 0; i < received.size(); ++i) owned[(*index)[i]] += received[i];
  }
};

class PlainGraph final : public GraphSubject {
 public:
  PlainGraph(MPI_Comm comm, const GraphProblem& problem, GraphArrays& arrays)
      : owned_(arrays.owned.data()), copies_(arrays.copies.data()) {
    int rank = 0, size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const auto ranks = static_cast<std::size_t>(size);
    const auto places =
        problem.in_ranges ? find_in_ranges(comm, ranks, problem) : find_in_directory(comm, ranks, problem);
    ByRank wanted(ranks);
    std::vector<std::vector<int>> at(ranks);
    for (std::size_t j = 0; j < places.size(); ++j) {
      wanted[places[j].rank].push_back(places[j].index);
      at[places[j].rank].push_back(static_cast<int>(j));
    }
    const auto sent = all_to_all(comm, wanted);
    for (int r = 0; r < size; ++r) {
      const auto k = static_cast<std::size_t>(r);
      if (r == rank) {
        own_from_.assign(sent[k].begin(), sent[k].end());
        own_to_ = std::move(at[k]);
        continue;
      }
      if (!sent[k].empty()) readers_.push_back({r, {sent[k].begin(), sent[k].end()}});
      if (!at[k].empty()) owners_.push_back({r, std::move(at[k])});
    }
    for (auto& side : owners_)
      MPI_Recv_init(side.memory(copies_), static_cast<int>(side.index.size()), MPI_DOUBLE, side.rank, 0, comm,
                    &receives_.emplace_back());
    for (auto& side : readers_)
      MPI_Send_init(side.memory(owned_), static_cast<int>(side.index.size()), MPI_DOUBLE, side.rank, 0, comm,
                    &sends_.emplace_back());
    for (const auto& side : readers_) {
      auto& sums = sums_.emplace_back(Sums{side.rank, &side.index, std::vector<double>(side.index.size())});
      MPI_Recv_init(sums.received.data(), static_cast<int>(sums.received.size()), MPI_DOUBLE, sums.rank, 1, comm,
                    &receives_back_.emplace_back());
    }
    for (auto& side : owners_)
      MPI_Send_init(side.memory(copies_), static_cast<int>(side.index.size()), MPI_DOUBLE, side.rank, 1, comm,
                    &sends_back_.emplace_back());
    rank_ = rank;
  }
  ~PlainGraph() override {
    for (auto* requests : {&receives_, &sends_, &receives_back_, &sends_back_})
      for (auto& request : *requests) MPI_Request_free(&request);
  }
  void to_copies() override {
    start(receives_);
    for (auto& side : readers_) side.pack(owned_);
    start(sends_);
    for (std::size_t i = 0; i < own_to_.size(); ++i) copies_[own_to_[i]] = owned_[own_from_[i]];
    wait(receives_);
    for (const auto& side : owners_) side.unpack(copies_);
    wait(sends_);
  }
  void to_owners() override {
    start(receives_back_);
    for (auto& side : owners_) side.pack(copies_);
    start(sends_back_);
    wait(receives_back_);
    bool has_own = false;
    const auto add_own = [&] {
      if (std::exchange(has_own, true)) return;
      for (std::size_t i = 0; i < own_to_.size(); ++i) owned_[own_from_[i]] += copies_[own_to_[i]];
    };
    for (const auto& sums : sums_) {
      if (sums.rank > rank_) add_own();
      sums.add_to(owned_);
    }
    add_own();
    wait(sends_back_);
  }

 private:
  static void start(std::vector<MPI_Request>& requests) {
    if (requests.empty()) return;  // Open MPI refuses no requests at no address
    MPI_Startall(static_cast<int>(requests.size()), requests.data());
  }
  static void wait(std::vector<MPI_Request>& requests) {
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

  double *owned_, *copies_;
  std::vector<int> own_from_, own_to_;
  int rank_ = 0;
  std::vector<Side> readers_, owners_;
  std::vector<Sums> sums_;
  std::vector<MPI_Request> receives_, sends_, receives_back_, sends_back_;
};

}  // namespace

GraphMaker plain_graph(mpi::Communicator& world) {
  return {"plain MPI", "plain MPI", [&world](const GraphProblem& problem, GraphArrays& arrays) {
            return std::make_unique<PlainGraph>(world.handle(), problem, arrays);
          }};
}

}  // namespace weft::bench
