// SPDX-License-Identifier: BSD-3-Clause
//
// Messages and collectives on a simulated machine: the MPI transport's own code for it. SimGrid's own non-blocking
// collectives are wrong (its barrier does not synchronise) or slow (its all-reduce sends to all), so these are weft's
// rounds, or one message per pair of ranks with data.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "simgrid/cards.hpp"
#include "simgrid/request.hpp"
#include "weft/collective/round_operation.hpp"
#include "weft/mpi/check.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/simulated.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::mpi {
namespace {

using Kind = Collective::Kind;

// The data to (from) each rank are one after the other; a rank without data for another one sends nothing.
class Direct final : public Operation {
 public:
  Direct(Transport& transport, const Collective& what, int tag) : in_(what.in), out_(what.out) {
    const auto size = static_cast<std::size_t>(transport.size());
    const auto me = static_cast<std::size_t>(transport.rank());
    // Each rank begins with the rank after it: not all with rank 0.
    const auto share = [](const auto& all, const std::vector<std::size_t>& bytes, std::size_t r) {
      return all.subspan(std::accumulate(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(r), std::size_t{0}),
                         bytes[r]);
    };
    for (std::size_t k = 0; k < size && !what.out_bytes.empty(); ++k) {
      const auto r = (me + size - k) % size;
      if (what.out_bytes[r] == 0) continue;
      if (r == me)
        own_out_ = share(out_, what.out_bytes, r);
      else
        all_.push_back(transport.receive(share(out_, what.out_bytes, r), static_cast<int>(r), tag));
    }
    if (what.kind == Kind::gather) {
      own_in_ = in_;
      if (transport.rank() != what.root && !in_.empty()) all_.push_back(transport.send(in_, what.root, tag));
      return;
    }
    for (std::size_t k = 0; k < size; ++k) {
      const auto r = (me + k) % size;
      if (what.in_bytes[r] == 0) continue;
      if (r == me)
        own_in_ = share(in_, what.in_bytes, r);
      else
        all_.push_back(transport.send(share(in_, what.in_bytes, r), static_cast<int>(r), tag));
    }
  }
  void start() override {
    std::copy_n(own_in_.begin(), std::min(own_in_.size(), own_out_.size()), own_out_.begin());
    for (const auto& one : all_) one->start();
  }
  bool test() override {
    return std::all_of(all_.begin(), all_.end(), [](const auto& one) { return one->test(); });
  }

 private:
  std::span<const std::byte> in_, own_in_{};
  std::span<std::byte> out_, own_out_{};
  Operations all_;
};

// An all-gather of uneven blocks, each made as large as the largest.
class Padded final : public Operation {
 public:
  Padded(Transport& transport, const Collective& what, int tag) : what_(what) {
    const auto largest = *std::max_element(what.out_bytes.begin(), what.out_bytes.end());
    in_.resize(std::max<std::size_t>(largest, 1));
    out_.resize(in_.size() * what.out_bytes.size());
    rounds_ = std::make_unique<RoundOperation>(transport, Collective{.kind = Kind::all_gather, .in = in_, .out = out_},
                                               Algorithm::bruck, tag);
  }
  void start() override {
    std::copy(what_.in.begin(), what_.in.end(), in_.begin());
    rounds_->start();
  }
  bool test() override {
    if (!rounds_->test()) return false;
    auto to = what_.out.begin();
    for (std::size_t r = 0; r < what_.out_bytes.size(); ++r)
      to = std::copy_n(out_.begin() + static_cast<std::ptrdiff_t>(r * in_.size()), what_.out_bytes[r], to);
    return true;
  }

 private:
  Collective what_;
  std::vector<std::byte> in_, out_;
  std::unique_ptr<RoundOperation> rounds_;
};

// Whether all blocks of all ranks have one size, and are small: then latencies count, not bytes.
bool are_small_blocks(const Collective& what, Transport& transport) {
  const std::size_t small = simulated::network() != nullptr ? simulated::network()->eager / 32 : 256;
  std::size_t least = ~std::size_t{0}, most = 0;
  for (const auto* all : {&what.in_bytes, &what.out_bytes})
    for (const auto bytes : *all) {
      least = std::min(least, bytes);
      most = std::max(most, bytes);
    }
  least = all_reduce(transport, least, minimum<std::size_t>());
  most = all_reduce(transport, most, maximum<std::size_t>());
  return least == most && most > 0 && most <= small;
}

}  // namespace

std::unique_ptr<Operation> Communicator::send(std::span<const std::byte> data, int peer, int tag, SendMode mode) {
  if (simulated::network() != nullptr)
    return simulated::Cards::all().send(data, rank_, peer, context_, tag, mode == SendMode::synchronous);
  const auto start = mode == SendMode::synchronous ? MPI_Issend : MPI_Isend;
  const auto begin = [=, comm = comm_, count = narrow(data.size(), "A message")](MPI_Request* request) {
    return start(data.data(), count, MPI_BYTE, peer, tag, comm, request);
  };
  return std::make_unique<SimulatedRequest>(begin, "A send", rank_, peer);
}

std::unique_ptr<Operation> Communicator::receive(std::span<std::byte> data, int peer, int tag) {
  if (simulated::network() != nullptr) return simulated::Cards::all().receive(data, peer, rank_, context_, tag);
  const auto begin = [=, comm = comm_, count = narrow(data.size(), "A message")](MPI_Request* request) {
    return MPI_Irecv(data.data(), count, MPI_BYTE, peer, tag, comm, request);
  };
  return std::make_unique<SimulatedRequest>(begin, "A receive", rank_, peer);
}

int Communicator::next_context() { return mine().contexts++; }

std::optional<Arrival> Communicator::probe(int tag) {
  if (tag == any_tag) return std::nullopt;
  if (simulated::network() != nullptr) return simulated::Cards::all().probe(rank_, context_, tag);
  mine().has_probed = true;
  int there = 0, bytes = 0;
  MPI_Status status;
  check(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm_, &there, &status), "MPI_Iprobe", rank_);
  if (there == 0) return std::nullopt;
  check(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count", rank_, status.MPI_SOURCE);
  return Arrival{status.MPI_SOURCE, static_cast<std::size_t>(bytes), tag};
}

std::unique_ptr<Operation> Communicator::send_regions(std::span<const Region> regions, int peer, int tag) {
  return Transport::send_regions(regions, peer, tag);
}

std::unique_ptr<Operation> Communicator::receive_regions(std::span<const Region> regions, int peer, int tag) {
  return Transport::receive_regions(regions, peer, tag);
}

std::unique_ptr<Operation> Communicator::collective(const Collective& what) {
  constexpr int first_tag = 1 << 20;
  const int tag = first_tag + collectives_++;
  switch (what.kind) {
    case Kind::barrier:
    case Kind::broadcast:
    case Kind::reduce:
    case Kind::all_reduce: return std::make_unique<RoundOperation>(*this, what, algorithms_of(what.kind).front(), tag);
    case Kind::all_gather: return std::make_unique<Padded>(*this, what, tag);
    case Kind::gather: return std::make_unique<Direct>(*this, what, tag);
    case Kind::all_to_all: break;
  }
  if (!are_small_blocks(what, *this)) return std::make_unique<Direct>(*this, what, tag);
  auto even = what;
  even.in_bytes.clear();
  even.out_bytes.clear();
  return std::make_unique<RoundOperation>(*this, even, Algorithm::bruck, tag);
}

}  // namespace weft::mpi
