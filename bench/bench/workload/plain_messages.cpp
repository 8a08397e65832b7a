// SPDX-License-Identifier: BSD-3-Clause
#include "bench/workload/plain_messages.hpp"

#include <algorithm>
#include <string>

#include "weft/error.hpp"
#include "weft/mpi/check.hpp"

namespace weft::bench {
namespace {

ReductionOfBytes::Combine user_function = nullptr;  // MPI passes nothing to a user's function but the data
std::size_t user_element_bytes = 0;

void combine_bytes(void* in, void* inout, int* length, MPI_Datatype*) {
  user_function(in, inout, static_cast<std::size_t>(*length));
}

// The types and operations live until the process ends.
std::pair<MPI_Datatype, MPI_Op> mpi_reduction(const ReductionOfBytes& reduction) {
  using Operation = ReductionOfBytes::Operation;
  if (reduction.type == ReductionOfBytes::Type::float64 && reduction.operation == Operation::sum)
    return {MPI_DOUBLE, MPI_SUM};
  static MPI_Datatype type = MPI_DATATYPE_NULL;
  static MPI_Op op = MPI_OP_NULL;
  if (!user_function) {
    user_function = reduction.combine;
    user_element_bytes = reduction.element_bytes;
    mpi::check(MPI_Type_contiguous(mpi::narrow(user_element_bytes, "an element"), MPI_BYTE, &type),
               "MPI_Type_contiguous");
    mpi::check(MPI_Type_commit(&type), "MPI_Type_commit");
    mpi::check(MPI_Op_create(combine_bytes, reduction.commutative ? 1 : 0, &op), "MPI_Op_create");
  }
  if (user_function != reduction.combine || user_element_bytes != reduction.element_bytes)
    throw Error("Plain messages can have only one user-defined reduction.");
  return {type, op};
}

std::size_t bytes_of(const std::vector<std::pair<Key, Region>>& parts) {
  std::size_t bytes = 0;
  for (const auto& [key, region] : parts) bytes += region.bytes();
  return bytes;
}

}  // namespace

PlainMessages::~PlainMessages() {
  if (active_) {
    ready_all();
    wait();
  }
  for (std::size_t k = 0; k < sends_.messages.size() + receives_.messages.size() && k < requests_.size(); ++k)
    MPI_Request_free(&requests_[k]);
}

std::uint32_t PlainMessages::list(List& list, int module, int peer, Key key, const Region& region) {
  auto& all = list.messages;
  auto at = std::find_if(all.begin(), all.end(), [&](const auto& m) { return m.module == module && m.peer == peer; });
  if (at == all.end()) at = all.insert(all.end(), {.module = module, .peer = peer});
  at->parts.emplace_back(key, region);
  list.of_part.push_back(static_cast<std::size_t>(at - all.begin()));
  return static_cast<std::uint32_t>(list.of_part.size() - 1);
}

void PlainMessages::all_reduce(int module, const Collective& what) {
  const auto [type, op] = mpi_reduction(what.reduction);
  reduces_.push_back({module, what, type, op});
}

std::byte* PlainMessages::memory(Message& message) {
  return message.buffer.empty() ? message.parts.front().second.run().data() : message.buffer.data();
}

void PlainMessages::commit() {
  requests_.assign(receives_.messages.size() + sends_.messages.size() + reduces_.size(), MPI_REQUEST_NULL);
  completed_.resize(requests_.size());
  auto* request = requests_.data();
  for (auto* all : {&receives_, &sends_})
    for (auto& m : all->messages) {
      std::sort(m.parts.begin(), m.parts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      const auto bytes = bytes_of(m.parts);
      if (m.parts.size() > 1 || !m.parts.front().second.is_contiguous()) m.buffer.resize(bytes);
      const int count = mpi::narrow(bytes, "a plain message");
      if (all == &receives_)
        mpi::check(MPI_Recv_init(memory(m), count, MPI_BYTE, m.peer, m.module, comm_, request++), "MPI_Recv_init");
      else
        mpi::check(MPI_Send_init(memory(m), count, MPI_BYTE, m.peer, m.module, comm_, request++), "MPI_Send_init");
    }
}

void PlainMessages::start() {
  active_ = true;
  for (auto& m : receives_.messages) m.is_done = false;
  for (auto& m : sends_.messages) m.missing = m.parts.size();
  for (auto& r : reduces_) r.is_started = false;
  if (!receives_.messages.empty())  // Open MPI refuses an empty list
    mpi::check(MPI_Startall(static_cast<int>(receives_.messages.size()), requests_.data()), "MPI_Startall");
}

void PlainMessages::start_send(std::size_t k) {
  auto& m = sends_.messages[k];
  m.missing = 0;
  auto* out = m.buffer.data();
  if (out)
    for (const auto& [key, region] : m.parts) {
      region.pack(out);
      out += region.bytes();
    }
  mpi::check(MPI_Start(&requests_[receives_.messages.size() + k]), "MPI_Start");
}

void PlainMessages::start_reduce(std::size_t k) {
  auto& r = reduces_[k];
  r.is_started = true;
  const auto bytes = r.type == MPI_DOUBLE ? sizeof(double) : user_element_bytes;
  mpi::check(MPI_Iallreduce(r.what.in.data(), r.what.out.data(), mpi::narrow(r.what.in.size() / bytes, "a reduction"),
                            r.type, r.op, comm_, &requests_[receives_.messages.size() + sends_.messages.size() + k]),
             "MPI_Iallreduce");
}

void PlainMessages::ready(std::uint32_t send) {
  const auto k = sends_.of_part[send];
  if (--sends_.messages[k].missing == 0) start_send(k);
}

void PlainMessages::ready_module(int module) {
  for (std::size_t k = 0; k < sends_.messages.size(); ++k)
    if (sends_.messages[k].module == module) start_send(k);
  for (std::size_t k = 0; k < reduces_.size(); ++k)
    if (reduces_[k].module == module) start_reduce(k);
}

void PlainMessages::ready_all() {
  for (std::size_t k = 0; k < sends_.messages.size(); ++k)
    if (sends_.messages[k].missing > 0) start_send(k);
  for (std::size_t k = 0; k < reduces_.size(); ++k)
    if (!reduces_[k].is_started) start_reduce(k);
}

void PlainMessages::unpack(Message& m) {
  m.is_done = true;
  const auto* in = m.buffer.data();
  if (!in) return;
  for (const auto& [key, region] : m.parts) {
    region.unpack(in);
    in += region.bytes();
  }
}

void PlainMessages::test() {
  if (!active_ || requests_.empty()) return;
  int count = 0;
  mpi::check(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, completed_.data(),
                          MPI_STATUSES_IGNORE),
             "MPI_Testsome");
  for (int k = 0; k < count; ++k)  // MPI_UNDEFINED, which is negative: none is active
    if (const auto at = static_cast<std::size_t>(completed_[static_cast<std::size_t>(k)]);
        at < receives_.messages.size())
      unpack(receives_.messages[at]);
}

void PlainMessages::wait() {
  if (!active_) return;
  mpi::check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  for (auto& m : receives_.messages)
    if (!m.is_done) unpack(m);
  active_ = false;
}

bool PlainMessages::arrived(std::uint32_t receive) const {
  return receives_.messages[receives_.of_part[receive]].is_done;
}

class PlainStep::Begin final : public Client {
 public:
  explicit Begin(PlainMessages& messages) : messages_(messages) {}
  void request(Requests&) override {}
  void before(Step&) override {
    if (!is_committed_) messages_.commit();
    is_committed_ = true;
    messages_.start();
  }
  void after(Step&) override { messages_.wait(); }

 private:
  PlainMessages& messages_;
  bool is_committed_ = false;
};

class PlainStep::Module final : public Client {
 public:
  Module(PlainMessages& messages, Client& client, std::function<void()> during, int number)
      : messages_(messages), client_(client), during_(std::move(during)), number_(number) {
    Requests requests("plain", 0);
    client.request(requests);
    if (requests.all_rounds() > 1 || !requests.continuations().empty()) throw Error("Plain messages have one round.");
    for (const auto& r : requests.list()) {
      if (r.kind == Request::Kind::collective) {
        if (r.collective.kind != Collective::Kind::all_reduce) throw Error("Plain messages have only all-reduces.");
        messages.all_reduce(number, r.collective);
        continue;
      }
      if (r.is_up_to || r.buffers.is_given() || r.buffers.buffer_count() > 1)
        throw Error("Plain messages have parts of one size, with one buffer.");
      if (r.kind == Request::Kind::send)
        messages.send(number, r.peer, r.key, r.buffers.at(0));
      else
        messages.receive(number, r.peer, r.key, r.buffers.at(0));
    }
  }
  void request(Requests&) override {}
  void before(Step& step) override {
    client_.before(step);
    messages_.ready_module(number_);
  }
  void during(Step& step) override {
    during_ ? during_() : client_.during(step);
    messages_.test();
  }
  void after(Step& step) override { client_.after(step); }
  void finish(Step& step) override { client_.finish(step); }

 private:
  PlainMessages& messages_;
  Client& client_;
  std::function<void()> during_;
  int number_;
};

PlainStep::PlainStep(MPI_Comm comm) : messages_(comm), begin_(std::make_unique<Begin>(messages_)) {}
PlainStep::~PlainStep() = default;
Client& PlainStep::begin() { return *begin_; }
Client& PlainStep::add(Client& client, std::function<void()> during) {
  const int number = static_cast<int>(modules_.size());
  return *modules_.emplace_back(std::make_unique<Module>(messages_, client, std::move(during), number));
}

}  // namespace weft::bench
