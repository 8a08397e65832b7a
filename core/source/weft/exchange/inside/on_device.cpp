// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/inside/on_device.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "weft/error.hpp"
#include "weft/yield.hpp"

namespace weft::inside {

DeviceQueues::DeviceQueues(std::shared_ptr<device::Device> of)
    : device(std::move(of)), packing(device->make_queue()), unpacking(device->make_queue()), started(device) {}

DeviceQueues::~DeviceQueues() {
  for (auto* queue : {packing, unpacking}) device->free_queue(queue);
}

OnDevice::OnDevice(const Buffers& buffers, std::shared_ptr<DeviceQueues> queues)
    : buffers_(buffers), queues_(std::move(queues)), shapes_(buffers.buffer_count()), event_(queues_->device) {
  for (std::size_t i = 0; i < shapes_.size() && buffers.has_memory(); ++i) shape(i);  // not in the first start
}

void OnDevice::wait_for(const device::Queue& queue, const std::string& part) {
  if (queue.device() != queues_->device)
    throw Error(part + " is in memory of " + queues_->device->name() + ", but " +
                (queue ? "the queue is one of another device (" + queue.device()->name() + ")" : "there is no queue") +
                ". Give a queue of the part's device.");
  event_.record(queue.handle());
  waits_ = true;
}

// Kernels of the last start may still read a shape; those of the start before have ended, since the last one has waited
// for them.
void OnDevice::prepare() {
  waits_ = false;
  unpacked_ = 0;
  retired_before_ = std::exchange(retired_, {});
}

void OnDevice::renew() {
  for (auto& shape : shapes_)
    if (shape) retired_.push_back(std::move(shape));
}

void OnDevice::let_wait(void* queue) {
  if (std::exchange(waits_, false)) event_.let_wait(queue);
}

const device::Shape& OnDevice::shape(std::size_t buffer_index) {
  auto& shape = shapes_[shapes_.size() == 1 ? 0 : buffer_index % shapes_.size()];
  const auto& region = buffers_.at(buffer_index);
  if (shape) return *shape;
  const auto& retired = retired_.empty() ? retired_before_ : retired_;
  shape = queues_->device->prepare(region.layout(), region.bytes(), retired.empty() ? nullptr : retired.back().get());
  return *shape;
}

void OnDevice::pack(std::size_t buffer_index, device::Range range, std::byte* out) {
  let_wait(queues_->packing);
  queues_->device->pack(queues_->packing, shape(buffer_index), range, out);
}

void OnDevice::unpack(std::size_t buffer_index, std::size_t until, const std::byte* in, const Combine* combine) {
  if (until <= unpacked_) return;
  let_wait(queues_->unpacking);
  const device::Range rest{unpacked_, until - unpacked_};
  in += std::exchange(unpacked_, until);
  if (combine == nullptr)
    queues_->device->unpack(queues_->unpacking, shape(buffer_index), rest, in);
  else
    queues_->device->combine(queues_->unpacking, shape(buffer_index), rest, in, combine->reduction());
}

Mark::Mark(const std::vector<std::shared_ptr<DeviceQueues>>& devices, Of of) : devices_(devices), of_(of) {
  for (const auto& one : devices) events_.emplace_back(one->device);
}

// A device that fails does not keep the others from it.
void Mark::record() {
  std::exception_ptr error;
  for (std::size_t i = 0; i < events_.size(); ++i) try {
      events_[i].record(of_ == Of::packing ? devices_[i]->packing : devices_[i]->unpacking);
    } catch (...) {
      error = std::current_exception();
    }
  if (error) std::rethrow_exception(error);
}

bool Mark::is_done() const { return std::ranges::all_of(events_, &device::Event::is_done); }

bool Mark::is_over() const noexcept {
  return std::ranges::all_of(events_, [](const auto& event) {
    try {
      return event.is_done();
    } catch (...) {
      return true;
    }
  });
}

bool Mark::is_on(const device::Device* device) const {
  return std::ranges::all_of(events_, [device](const auto& event) { return event.device().get() == device; });
}

void Mark::let_wait(void* queue) const {
  for (const auto& event : events_) event.let_wait(queue);
}

Pinned::Pinned(std::shared_ptr<device::Device> device, std::span<std::byte> memory)
    : device_(std::move(device)), memory_(memory) {
  device_->pin(memory_);
}

Pinned::~Pinned() {
  if (device_ != nullptr) device_->unpin(memory_);
}

// Pieces whose operations wait for marks.
struct DeviceWork::Group {
  // Starts those whose marks are done, in their order. Returns whether all have started.
  bool go_on();

  std::vector<Delayed*> all{};
  bool is_partitioned = false;  // all are started before the first is tested
};

class DeviceWork::Delayed final : public Operation {
 public:
  // `records`: starting it sets the mark.
  Delayed(std::unique_ptr<Operation> inner, std::shared_ptr<Group> group, std::shared_ptr<Mark> mark, bool records)
      : inner_(std::move(inner)), group_(std::move(group)), mark_(std::move(mark)), records_(records) {
    group_->all.push_back(this);
  }
  void start() override {
    if (records_) mark_->record();
    state_ = State::waiting;
    group_->go_on();
  }
  bool test() override {
    const bool all = group_->go_on();
    return state_ == State::started && (all || !group_->is_partitioned) && inner_->test();
  }
  bool abandon() noexcept override {
    const bool is_free = std::exchange(state_, State::idle) != State::started || inner_->abandon();
    if (!is_free) state_ = State::started;
    return mark_->is_over() && is_free;
  }
  bool go() {
    if (state_ == State::waiting && mark_->is_done()) {
      inner_->start();
      state_ = State::started;
    }
    return state_ == State::started;
  }

 private:
  enum class State : unsigned char { idle, waiting, started };
  std::unique_ptr<Operation> inner_;
  std::shared_ptr<Group> group_;
  std::shared_ptr<Mark> mark_;
  bool records_;
  State state_ = State::idle;
};

bool DeviceWork::Group::go_on() {
  bool all_started = true;
  for (auto* piece : all) all_started = piece->go() && all_started;
  return all_started;
}

DeviceWork::DeviceWork(std::vector<std::shared_ptr<DeviceQueues>> devices)
    : devices_(std::move(devices)), unpacked_(mark(Mark::Of::unpacking)), stopped_(mark(Mark::Of::packing)) {}

DeviceWork::~DeviceWork() {
  try {
    unpacked();
  } catch (...) {  // the device has failed
  }
  while (!unpacked_->is_over()) yield();
}

void DeviceWork::pin(std::span<std::byte> memory) {
  for (const auto& one : devices_) pinned_.emplace_back(one->device, memory);
}

std::span<std::byte> DeviceWork::allocate(std::size_t bytes) {
  const auto& device = devices_.front()->device;
  const auto& memory =
      allocated_.emplace_back(device->allocate(bytes), [device](std::byte* memory) { device->free(memory); });
  return {memory.get(), bytes};
}

void DeviceWork::delay(Operations& pieces, bool sends, bool is_partitioned) {
  const auto group = std::make_shared<Group>(Group{.is_partitioned = is_partitioned});
  for (auto& piece : pieces)
    piece = std::make_unique<Delayed>(std::move(piece), group, sends ? mark(Mark::Of::packing) : unpacked_, sends);
}

void DeviceWork::delay_direct(Operations& pieces) {
  const auto group = std::make_shared<Group>();
  for (auto& piece : pieces) piece = std::make_unique<Delayed>(std::move(piece), group, unpacked_, true);
}

bool DeviceWork::is_idle() noexcept {
  if (!std::exchange(is_stopped_, true))
    for (auto* mark : {unpacked_.get(), stopped_.get()}) try {
        mark->record();
      } catch (...) {  // a device has failed
      }
  return stopped_->is_over() && unpacked_->is_over();
}

const Mark& DeviceWork::unpacked() {
  if (!std::exchange(is_marked_, true)) unpacked_->record();
  return *unpacked_;
}

}  // namespace weft::inside
