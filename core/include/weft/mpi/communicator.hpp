// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace mpi {

/// The transport over MPI. It is a duplicate of a communicator, so that its messages can't match the program's own.
/// Creating and destroying it is collective.
///
/// Point-to-point operations are persistent requests; collectives are persistent where the library has them (MPI-4, or
/// Open MPI's MPIX extension) and MPI's non-blocking ones otherwise. Regions are derived datatypes. Messages may be of
/// any size (those of 2 GiB and more are derived datatypes too), collectives of up to 2 GiB - 1.
class Communicator final : public Transport {
 public:
  /// Duplicates `parent`, which may be freed afterwards. Collective over it. Throws mpi::Error if `parent` is null or
  /// an intercommunicator, or if MPI refuses.
  explicit Communicator(MPI_Comm parent);
  ~Communicator() override;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  bool thread_multiple() const override { return thread_multiple_; }
  std::size_t eager_limit_bytes() const override { return limits_.eager_bytes; }
  std::size_t piece_bytes() const override { return limits_.piece_bytes; }
  int last_tag() const override { return limits_.last_tag; }
  bool has_ended() const override;
  void end_job(const std::string& error) const override;
  const char* library() const override;
  std::unique_ptr<Transport> duplicate() const override;
  bool has(Ability ability) const override;
  std::unique_ptr<Operation> send(std::span<const std::byte> data, int peer, int tag,
                                  SendMode mode = SendMode::standard) override;
  std::unique_ptr<Operation> receive(std::span<std::byte> data, int peer, int tag) override;
  std::optional<Arrival> probe(int tag) override;
  std::unique_ptr<Operation> send_regions(std::span<const Region> regions, int peer, int tag) override;
  std::unique_ptr<Operation> receive_regions(std::span<const Region> regions, int peer, int tag) override;
  Operations send_partitions(std::span<const std::byte> data, int count, int peer, int tag) override;
  Operations receive_partitions(std::span<std::byte> data, int count, int peer, int tag) override;
  std::unique_ptr<Operation> collective(const Collective& what) override;
  bool shares_memory_with(int peer) const override;
  std::unique_ptr<SharedMemory> share(std::size_t bytes) override;
  bool has_ranks_of(const SharedMemory& memory) const override;

  /// The communicator, for calls that weft does not wrap.
  MPI_Comm handle() const { return comm_; }

 private:
  struct Limits {
    std::size_t eager_bytes = 0, piece_bytes = 0;
    int last_tag = 0;
  };
  struct Duplicate {};
  /// The ranks that share this rank's memory.
  struct Node {
    explicit Node(MPI_Comm all);
    ~Node();
    MPI_Comm comm = MPI_COMM_NULL;
    std::vector<int> ranks;         // ranks in all, by rank in `comm`; ascending
    std::vector<int> processes;     // their process numbers
    int neighbours = 1, cores = 1;  // ranks on this machine, which may have several emulated nodes; cores they may use
  };
  Communicator(const Communicator& parent, Duplicate);
  static Limits find_limits(MPI_Comm comm, int rank, int size, const Node& node);

#if defined(WEFT_SIMULATED)
  int collectives_ = 0;  // created so far: each has its own tag
  int context_ = next_context();
  static int next_context();
#endif
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  bool thread_multiple_ = false;
  Limits limits_;
  std::shared_ptr<const Node> node_;
};

}  // namespace mpi
}  // namespace weft
