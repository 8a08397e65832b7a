// SPDX-License-Identifier: BSD-3-Clause
#include "bench/engine/engine.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "bench/workload/plain_messages.hpp"
#include "weft/clock.hpp"
#include "weft/mpi/check.hpp"

namespace weft::bench {
namespace {

class EngineBaseline final : public amr::Traffic {
 public:
  EngineBaseline(MPI_Comm comm, std::shared_ptr<BaselineClock> clock) : comm_(comm), clock_(std::move(clock)) {}

  SendPart send(int peer, Key key, const Region& region) override { return {list(sends_, peer, key, region)}; }
  ReceivePart receive(int peer, Key key, const Region& region) override { return {list(receives_, peer, key, region)}; }
  void commit() override {
    for (auto* lists : {&sends_, &receives_})
      for (auto& [peer, parts, buffer] : *lists) {
        std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        std::size_t bytes = 0;
        for (const auto& [key, region] : parts) bytes += region.bytes();
        buffer.resize(bytes);
      }
  }
  void start() override { done_ = false; }
  void ready(SendPart) override {}
  void ready_all() override {}
  void progress() override {}

  bool arrived(ReceivePart) const override { return done_; }
  void test() override { wait(); }
  void wait() override {
    if (done_) return;
    const double from = now_seconds();
    requests_.clear();
    for (auto& m : receives_)
      mpi::check(MPI_Irecv(m.buffer.data(), count(m), MPI_BYTE, m.peer, 0, comm_, &requests_.emplace_back()),
                 "MPI_Irecv");
    for (auto& m : sends_) {
      auto* out = m.buffer.data();
      for (const auto& [key, region] : m.parts) {
        region.pack(out);
        out += region.bytes();
      }
      mpi::check(MPI_Isend(m.buffer.data(), count(m), MPI_BYTE, m.peer, 0, comm_, &requests_.emplace_back()),
                 "MPI_Isend");
    }
    mpi::check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    for (const auto& m : receives_) {
      const auto* in = m.buffer.data();
      for (const auto& [key, region] : m.parts) {
        region.unpack(in);
        in += region.bytes();
      }
    }
    done_ = true;
    clock_->seconds += now_seconds() - from;
  }

 private:
  struct Message {
    int peer;
    std::vector<std::pair<Key, Region>> parts{};
    std::vector<std::byte> buffer{};
  };
  static int count(const Message& m) { return mpi::narrow(m.buffer.size(), "a baseline's message"); }

  Part list(std::vector<Message>& messages, int peer, Key key, const Region& region) {
    auto found = std::find_if(messages.begin(), messages.end(), [&](const auto& m) { return m.peer == peer; });
    if (found == messages.end()) found = messages.insert(messages.end(), {.peer = peer});
    found->parts.emplace_back(key, region);
    return {};
  }

  MPI_Comm comm_;
  std::shared_ptr<BaselineClock> clock_;
  std::vector<Message> sends_, receives_;
  std::vector<MPI_Request> requests_;
  bool done_ = true;
};

class EarlyBaseline final : public amr::Traffic {
 public:
  EarlyBaseline(MPI_Comm comm, int tag) : messages_(comm), tag_(tag) {}

  SendPart send(int peer, Key key, const Region& region) override {
    return {Part{.index = messages_.send(tag_, peer, key, region)}};
  }
  ReceivePart receive(int peer, Key key, const Region& region) override {
    return {Part{.index = messages_.receive(tag_, peer, key, region)}};
  }
  void commit() override { messages_.commit(); }
  void start() override { messages_.start(); }
  void ready(SendPart part) override { messages_.ready(part.index); }
  void ready_all() override { messages_.ready_all(); }
  void progress() override { messages_.test(); }
  bool arrived(ReceivePart part) const override { return messages_.arrived(part.index); }
  void test() override { messages_.test(); }
  void wait() override { messages_.wait(); }

 private:
  PlainMessages messages_;
  int tag_;
};

}  // namespace

amr::TrafficMaker early_baseline_of(MPI_Comm comm) {
  return amr::TrafficMaker([comm, plans = std::make_shared<int>(0)](Transport&, const std::string&, bool) {
    return std::make_unique<EarlyBaseline>(comm, (*plans)++);
  });
}

amr::TrafficMaker baseline_of(MPI_Comm comm, std::shared_ptr<BaselineClock> clock) {
  return amr::TrafficMaker([comm, clock = std::move(clock)](Transport&, const std::string&, bool) {
    return std::make_unique<EngineBaseline>(comm, clock);
  });
}

}  // namespace weft::bench
