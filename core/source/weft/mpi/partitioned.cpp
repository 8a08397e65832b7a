// SPDX-License-Identifier: BSD-3-Clause
//
// MPI-4's partitioned messages, where the library has them.
#include "weft/mpi/check.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/mpi/persistent.hpp"
#include "weft/mpi/request.hpp"

namespace weft::mpi {

#if defined(WEFT_HAVE_MPI_PARTITIONED)
namespace {

// The request that a message's partitions share: active from the first start to the last arrival.
class Whole {
 public:
  Whole(MPI_Request request, const char* call, int rank, int peer)
      : request_(request), operation_(request, call, rank, peer) {}

  void start() {
    if (!active_) operation_.start();
    active_ = true;
  }
  bool test() {
    if (active_) active_ = !operation_.test();
    return !active_;
  }
  bool abandon() noexcept { return operation_.abandon(); }
  void leave(int partition) { check(MPI_Pready(partition, request_), "MPI_Pready"); }
  bool has(int partition) {
    int there = 1;
    if (active_) check(MPI_Parrived(request_, partition, &there), "MPI_Parrived");
    return there != 0;
  }

 private:
  MPI_Request request_;  // the same handle until it is freed
  PersistentRequest operation_;
  bool active_ = false;
};

class SentPartition final : public Operation {
 public:
  SentPartition(std::shared_ptr<Whole> whole, int number) : whole_(std::move(whole)), number_(number) {}
  void start() override {
    whole_->start();
    whole_->leave(number_);
  }
  bool test() override { return whole_->test(); }
  bool abandon() noexcept override { return whole_->abandon(); }

 private:
  std::shared_ptr<Whole> whole_;
  int number_;
};

class ReceivedPartition final : public Operation {
 public:
  ReceivedPartition(std::shared_ptr<Whole> whole, int number, bool is_last)
      : whole_(std::move(whole)), number_(number), is_last_(is_last) {}
  void start() override { whole_->start(); }
  bool test() override { return whole_->has(number_) && (!is_last_ || whole_->test()); }
  bool abandon() noexcept override { return whole_->abandon(); }

 private:
  std::shared_ptr<Whole> whole_;
  int number_;
  bool is_last_;
};

MPI_Count bytes_each(std::size_t bytes, int count) {
  return static_cast<MPI_Count>(bytes / static_cast<std::size_t>(count));
}

}  // namespace

Operations Communicator::send_partitions(std::span<const std::byte> data, int count, int peer, int tag) {
  MPI_Request request;
  check(MPI_Psend_init(data.data(), count, bytes_each(data.size(), count), MPI_BYTE, peer, tag, comm_, MPI_INFO_NULL,
                       &request),
        "MPI_Psend_init", rank_, peer);
  const auto whole = std::make_shared<Whole>(request, "A partitioned send", rank_, peer);
  Operations partitions;
  for (int k = 0; k < count; ++k) partitions.push_back(std::make_unique<SentPartition>(whole, k));
  return partitions;
}

Operations Communicator::receive_partitions(std::span<std::byte> data, int count, int peer, int tag) {
  MPI_Request request;
  check(MPI_Precv_init(data.data(), count, bytes_each(data.size(), count), MPI_BYTE, peer, tag, comm_, MPI_INFO_NULL,
                       &request),
        "MPI_Precv_init", rank_, peer);
  const auto whole = std::make_shared<Whole>(request, "A partitioned receive", rank_, peer);
  Operations partitions;
  for (int k = 0; k < count; ++k) partitions.push_back(std::make_unique<ReceivedPartition>(whole, k, k + 1 == count));
  return partitions;
}

#else

Operations Communicator::send_partitions(std::span<const std::byte> data, int count, int peer, int tag) {
  return Transport::send_partitions(data, count, peer, tag);
}

Operations Communicator::receive_partitions(std::span<std::byte> data, int count, int peer, int tag) {
  return Transport::receive_partitions(data, count, peer, tag);
}

#endif

}  // namespace weft::mpi
