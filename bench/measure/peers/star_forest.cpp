// SPDX-License-Identifier: BSD-3-Clause
//
// Compares three implementations of an irregular ghost exchange, as in solvers on unstructured grids: each rank owns
// values, and each of its neighbours in a ring has ghosts, which are copies of some of them. The positions of these are
// scattered: drawn at random and sorted. The ghosts lie behind the owned values, neighbour by neighbour.
//
//   weft       weft::Exchange with indexed regions
//   PETSc      PetscSFBcastBegin, PetscSFBcastEnd: the faster one of the types "basic" (the default) and "neighbor"
//   plain MPI  persistent requests, receives started first, packed by hand
//
// All use the same array. Each exchange is started and finished at once, without computation. The turns of all
// implementations are interleaved in one run, and their order rotates. A turn is a batch of about 0.02 s; its time is
// that of the slowest rank. The last line of the output is a JSON object with the median over the turns, in us per
// exchange. Build from the root of the repository, and run with mpirun on two or more ranks (--seconds S):
//
//   mpicxx.openmpi -std=c++20 -O3 -Icore/include bench/measure/peers/star_forest.cpp build/release/core/libweft_core.a
//       $(pkg-config --cflags --libs PETSc) -pthread -o build/release/star_forest
#include <mpi.h>
#include <petscsf.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/weft.hpp"

namespace {

constexpr std::size_t owned = 200000;  // values per rank
constexpr double turn_seconds = 0.02;

void check(PetscErrorCode error) {
  if (error) throw weft::Error("PETSc reports error " + std::to_string(static_cast<int>(error)) + ".");
}

// The positions among the owner's values of which the reader has ghosts, ascending. Both ranks draw the same.
std::vector<std::size_t> positions(int owner, int reader, std::size_t count) {
  std::vector<std::size_t> all(owned), drawn;
  for (std::size_t i = 0; i < owned; ++i) all[i] = i;
  std::mt19937_64 random(static_cast<std::uint64_t>(1 + owner * 65536 + reader));
  std::sample(all.begin(), all.end(), std::back_inserter(drawn), count, random);
  return drawn;
}

struct Neighbour {
  int rank;
  std::vector<std::size_t> sent;      // positions of own values
  std::vector<std::size_t> received;  // positions of values of the neighbour
  std::size_t ghosts;                 // where its ghosts begin in the array
};

// What is exchanged, and the array.
struct Pattern {
  Pattern(MPI_Comm all, std::size_t ghosts_per_neighbour);
  std::span<double> ghosts_of(const Neighbour& n) { return std::span(values).subspan(n.ghosts, n.received.size()); }
  static double value(int owner, std::size_t position) {
    return static_cast<double>(owner) * 1e7 + static_cast<double>(position);
  }

  MPI_Comm comm;
  int rank = 0, size = 0;
  std::vector<Neighbour> neighbours;
  std::vector<double> values;  // owned values, then ghosts
};

Pattern::Pattern(MPI_Comm all, std::size_t ghosts_per_neighbour) : comm(all) {
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  std::vector<int> ranks = {(rank + 1) % size};
  if (size > 2) ranks.push_back((rank + size - 1) % size);
  for (const int other : ranks)
    neighbours.push_back({other, positions(rank, other, ghosts_per_neighbour),
                          positions(other, rank, ghosts_per_neighbour),
                          owned + neighbours.size() * ghosts_per_neighbour});
  values.resize(owned + neighbours.size() * ghosts_per_neighbour);
  for (std::size_t i = 0; i < owned; ++i) values[i] = value(rank, i);
}

class Weft {
 public:
  Weft(weft::Transport& world, Pattern& pattern) : exchange_(world) {
    auto& client = exchange_.client("ghosts");
    for (const auto& n : pattern.neighbours) {
      sends_.push_back(client.send(n.rank, 1, weft::indexed(pattern.values.data(), n.sent)));
      client.receive(n.rank, 1, weft::contiguous(pattern.ghosts_of(n)));
    }
    exchange_.commit();
  }
  void operator()() {
    auto messages = exchange_.start();
    for (const auto& part : sends_) messages.ready(part);
    messages.wait();
  }

 private:
  weft::Exchange exchange_;
  std::vector<weft::SendPart> sends_;
};

class Petsc {
 public:
  Petsc(Pattern& pattern, PetscSFType type) : values_(pattern.values.data()) {
    std::vector<PetscInt> leaves;
    std::vector<PetscSFNode> roots;
    for (const auto& n : pattern.neighbours)
      for (std::size_t i = 0; i < n.received.size(); ++i) {
        leaves.push_back(static_cast<PetscInt>(n.ghosts + i));
        roots.push_back({n.rank, static_cast<PetscInt>(n.received[i])});
      }
    check(PetscSFCreate(pattern.comm, &forest_));
    check(PetscSFSetType(forest_, type));
    check(PetscSFSetGraph(forest_, owned, static_cast<PetscInt>(leaves.size()), leaves.data(), PETSC_COPY_VALUES,
                          roots.data(), PETSC_COPY_VALUES));
    check(PetscSFSetUp(forest_));
  }
  Petsc(const Petsc&) = delete;
  Petsc& operator=(const Petsc&) = delete;
  ~Petsc() { PetscCallAbort(PETSC_COMM_SELF, PetscSFDestroy(&forest_)); }
  void operator()() {
    check(PetscSFBcastBegin(forest_, MPI_DOUBLE, values_, values_, MPI_REPLACE));
    check(PetscSFBcastEnd(forest_, MPI_DOUBLE, values_, values_, MPI_REPLACE));
  }

 private:
  PetscSF forest_ = nullptr;
  double* values_;
};

class PlainMpi {
 public:
  explicit PlainMpi(Pattern& pattern)
      : values_(pattern.values.data()), neighbours_(static_cast<int>(pattern.neighbours.size())),
        requests_(2 * pattern.neighbours.size()) {
    auto* request = requests_.data();
    for (const auto& n : pattern.neighbours) {
      const auto ghosts = pattern.ghosts_of(n);
      MPI_Recv_init(ghosts.data(), static_cast<int>(ghosts.size()), MPI_DOUBLE, n.rank, 0, pattern.comm, request++);
      messages_.push_back({{n.sent.begin(), n.sent.end()}, std::vector<double>(n.sent.size())});
    }
    for (std::size_t k = 0; k < messages_.size(); ++k)
      MPI_Send_init(messages_[k].buffer.data(), static_cast<int>(messages_[k].buffer.size()), MPI_DOUBLE,
                    pattern.neighbours[k].rank, 0, pattern.comm, request++);
  }
  PlainMpi(const PlainMpi&) = delete;
  PlainMpi& operator=(const PlainMpi&) = delete;
  ~PlainMpi() {
    for (auto& request : requests_) MPI_Request_free(&request);
  }
  void operator()() {
    MPI_Startall(neighbours_, requests_.data());
    for (auto& m : messages_)
      for (std::size_t i = 0; i < m.buffer.size(); ++i) m.buffer[i] = values_[m.index[i]];
    MPI_Startall(neighbours_, requests_.data() + neighbours_);
    MPI_Waitall(2 * neighbours_, requests_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  struct Message {
    std::vector<int> index;
    std::vector<double> buffer;
  };
  const double* values_;
  int neighbours_;
  std::vector<Message> messages_;
  std::vector<MPI_Request> requests_;  // receives, then sends
};

struct Candidate {
  std::string name;
  std::function<void()> exchange;
  std::vector<double> times{};  // s per exchange, by turn
};

template <class T, class... Arguments>
Candidate candidate(const std::string& name, Arguments&&... arguments) {
  auto owner = std::make_shared<T>(std::forward<Arguments>(arguments)...);
  return {name, [owner] { (*owner)(); }};
}

// Throws on all ranks if a ghost differs from its owner's value.
void verify(Pattern& pattern, const Candidate& candidate) {
  std::fill(pattern.values.begin() + owned, pattern.values.end(), std::numeric_limits<double>::quiet_NaN());
  candidate.exchange();
  int right = 1;
  for (const auto& n : pattern.neighbours)
    for (std::size_t i = 0; i < n.received.size(); ++i)
      if (pattern.values[n.ghosts + i] != Pattern::value(n.rank, n.received[i])) right = 0;
  MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, pattern.comm);
  if (!right) throw weft::Error("The ghosts are wrong after the exchange of " + candidate.name + ".");
}

// The time per exchange of the slowest rank, the same on all ranks.
double time_batch(MPI_Comm comm, const Candidate& candidate, int exchanges) {
  MPI_Barrier(comm);
  const double start = MPI_Wtime();
  for (int k = 0; k < exchanges; ++k) candidate.exchange();
  double seconds = (MPI_Wtime() - start) / exchanges;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
  return seconds;
}

// Warms up, and returns the number of exchanges per turn. It is the same for all: on a busy machine the median over
// turns depends on it.
int find_batch(MPI_Comm comm, const std::vector<Candidate>& candidates) {
  double least = turn_seconds;
  for (int repeat = 0; repeat < 5; ++repeat)
    for (const auto& c : candidates) least = std::min(least, time_batch(comm, c, 10));
  return static_cast<int>(turn_seconds / least);
}

// Returns the number of exchanges per turn.
int take_turns(MPI_Comm comm, std::vector<Candidate>& candidates, double seconds) {
  const int batch = find_batch(comm, candidates);
  const double start = MPI_Wtime();
  int more = 1;
  for (std::size_t turn = 0; more; ++turn) {
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      auto& next = candidates[(turn + k) % candidates.size()];
      next.times.push_back(time_batch(comm, next, batch));
    }
    more = MPI_Wtime() - start < seconds;
    MPI_Bcast(&more, 1, MPI_INT, 0, comm);
  }
  return batch;
}

double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

std::vector<Candidate> make_candidates(weft::mpi::Communicator& world, Pattern& pattern) {
  return {candidate<Weft>("weft", world, pattern), candidate<Petsc>("PETSc basic", pattern, PETSCSFBASIC),
          candidate<Petsc>("PETSc neighbor", pattern, PETSCSFNEIGHBOR), candidate<PlainMpi>("plain MPI", pattern)};
}

// Prints the time of each candidate for the reader, and returns the entries of the JSON object.
std::string entries(const std::vector<Candidate>& candidates, std::size_t ghosts, int batch) {
  std::vector<double> us;
  for (const auto& c : candidates) {
    us.push_back(1e6 * median(c.times));
    std::printf("%zu ghosts, %s: %.2f us (%zu turns of %d)\n", ghosts, c.name.c_str(), us.back(), c.times.size(),
                batch);
  }
  char text[256];
  std::snprintf(text, sizeof text,
                "\"%zu ghosts, weft\": %.2f, \"%zu ghosts, PETSc\": %.2f, \"%zu ghosts, plain MPI\": %.2f, ", ghosts,
                us[0], ghosts, std::min(us[1], us[2]), ghosts, us[3]);
  return text;
}

double seconds_of(int argc, char** argv) {
  double seconds = 10;
  for (int k = 1; k < argc; ++k) {
    if (std::string_view(argv[k]) != "--seconds" || k + 1 == argc)
      throw weft::InputError("Wrong options. Give nothing, or --seconds S.", true);
    seconds = std::atof(argv[++k]);
  }
  return seconds;
}

std::string petsc_version() {
  PetscInt major, minor, subminor, release;
  check(PetscGetVersionNumber(&major, &minor, &subminor, &release));
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(subminor);
}

std::string compare(weft::mpi::Communicator& world, double seconds) {
  std::string json;
  const std::vector<std::size_t> counts = {5000, 50000};
  for (const auto ghosts : counts) {
    Pattern pattern(world.handle(), ghosts);
    auto candidates = make_candidates(world, pattern);
    for (const auto& c : candidates) verify(pattern, c);
    const int batch = take_turns(world.handle(), candidates, seconds / static_cast<double>(counts.size()));
    if (world.rank() == 0) json += entries(candidates, ghosts, batch);
  }
  return json;
}

int program(weft::mpi::Communicator& world, double seconds) {
  if (world.size() < 2)
    throw weft::InputError("There is one rank, which has no neighbour. Run this program on two or more ranks.", true);
  check(PetscInitializeNoArguments());
  const auto json = compare(world, seconds);
  if (world.rank() == 0) std::printf("{%s\"petsc\": \"%s\"}\n", json.c_str(), petsc_version().c_str());
  check(PetscFinalize());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto run = [&](weft::mpi::Communicator& world) { return program(world, seconds_of(argc, argv)); };
  return weft::main(argc, argv, run, false);  // no MPI calls from other threads: MPI takes no locks
}
