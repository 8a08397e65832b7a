// SPDX-License-Identifier: BSD-3-Clause
#include "weft/device/gpu.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "weft/device/compiler.hpp"
#include "weft/device/driver.hpp"
#include "weft/device/launch.hpp"
#include "weft/device/pinned_pages.hpp"
#include "weft/error.hpp"

namespace weft::device {
namespace {

// The same in CUDA and HIP.
constexpr unsigned non_blocking_queue = 1;  // one that does not wait for the default stream
constexpr unsigned event_without_timing = 2;
constexpr unsigned pin_for_all_and_map = 3;  // for all contexts, and for kernels
constexpr int no_device = 100, not_ready = 600, already_pinned = 712;
constexpr int memory_type = 2, is_managed = 8, device_ordinal = 9;  // attributes of addresses
// CUDA only.
constexpr int major_capability = 75, minor_capability = 76;

class Gpu final : public Device {
 public:
  // `context`: of CUDA.
  Gpu(const Driver& driver, int ordinal, void* context);

  int ordinal() const { return ordinal_; }
  void* context() const { return context_; }

  std::string name() const override { return name_; }
  bool has(const void* address) const override;

  void* make_queue() override { return made(driver_.make_queue, non_blocking_queue); }
  void free_queue(void* queue) noexcept override { attempt(driver_.free_queue, queue); }
  void* make_event() override { return made(driver_.make_event, event_without_timing); }
  void free_event(void* event) noexcept override { attempt(driver_.free_event, event); }
  void record(void* event, void* queue) override {
    const Current current(*this);
    driver_.record(event, queue);
  }
  bool is_done(void* event) override {
    const Current current(*this);
    const int result = driver_.query.attempt(event);
    if (result != 0 && result != not_ready) driver_.query.fail(result);
    return result == 0;
  }
  void wait(void* queue, void* event) override {
    const Current current(*this);
    driver_.wait(queue, event, 0);
  }

  std::byte* allocate(std::size_t bytes) override { return static_cast<std::byte*>(made(driver_.allocate, bytes)); }
  void free(std::byte* memory) noexcept override { attempt(driver_.free, memory); }
  void pin(std::span<std::byte> host) override {
    const Current current(*this);
    const std::lock_guard lock(mutex_);
    pinned_.pin(host);
  }
  void unpin(std::span<std::byte> host) noexcept override {
    const Current current(*this);
    const std::lock_guard lock(mutex_);
    pinned_.unpin(host);
  }

  std::unique_ptr<Shape> prepare(const RegionLayout& layout, std::size_t bytes, const Shape* like) override;
  void pack(void* queue, const Shape& shape, Range range, std::byte* out) override {
    launch(Task::pack, queue, shape, range, out);
  }
  void unpack(void* queue, const Shape& shape, Range range, const std::byte* in) override {
    launch(Task::unpack, queue, shape, range, in);
  }
  bool combines(const ReductionOfBytes& reduction) const override {
    return reduction.operation != ReductionOfBytes::Operation::user && reduction.type != ReductionOfBytes::Type::bytes;
  }
  void combine(void* queue, const Shape& shape, Range range, const std::byte* in,
               const ReductionOfBytes& reduction) override {
    launch(Task::combine, queue, shape, range, in, &reduction);
  }

 private:
  // Makes the device current in this thread, and at its end the one that was before. Costs two look-ups in the driver.
  class Current {
   public:
    explicit Current(const Gpu& gpu) : gpu_(gpu) {
      if (gpu.driver_.is_hip)
        gpu.driver_.get_device(&old_device_);
      else
        gpu.driver_.get_context(&old_context_);
      change_ = gpu.driver_.is_hip ? old_device_ != gpu.ordinal_ : old_context_ != gpu.context_;
      if (change_) set(gpu.ordinal_, gpu.context_);
      if (gpu.driver_.set_capture_mode != nullptr) gpu.driver_.set_capture_mode(&capture_mode_);
    }
    Current(const Current&) = delete;
    ~Current() {
      if (gpu_.driver_.set_capture_mode != nullptr) gpu_.driver_.set_capture_mode(&capture_mode_);
      if (change_) set(old_device_, old_context_);
    }

   private:
    void set(int device, void* context) const {
      if (gpu_.driver_.is_hip)
        gpu_.driver_.set_device.attempt(device);
      else
        gpu_.driver_.set_context.attempt(context);
    }
    const Gpu& gpu_;
    int capture_mode_ = 2;  // relaxed; then the thread's own
    int old_device_ = 0;
    void* old_context_ = nullptr;
    bool change_ = false;
  };

  // A layout whose offsets, if any, are in memory of the device.
  struct UploadedOffsets;
  struct UploadedShape;

  template <class Value>
  void* made(const Call<void**, Value>& make, Value value) const {
    const Current current(*this);
    void* result = nullptr;
    make(&result, value);
    return result;
  }
  void attempt(const Call<void*>& free, void* what) const noexcept {
    const Current current(*this);
    free.attempt(what);
  }
  void load_kernels();
  void launch(Task task, void* queue, const Shape& shape, Range range, const std::byte* packed,
              const ReductionOfBytes* reduction = nullptr);

  const Driver& driver_;
  const int ordinal_;
  void* const context_;
  std::string name_;
  int device_memory_ = 2;  // this kind of memory, as the driver's number
  std::array<void*, kernel_count> kernels_{};
  void* uploads_ = nullptr;   // the queue of uploads
  mutable std::mutex mutex_;  // of pinned_
  PinnedPages pinned_;
};

Gpu::Gpu(const Driver& driver, int ordinal, void* context)
    : driver_(driver), ordinal_(ordinal), context_(context),
      pinned_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE)),
              {[this](std::byte* first, std::size_t bytes) {
                 const int result = driver_.pin.attempt(first, bytes, pin_for_all_and_map);
                 void* last = nullptr;  // what the program has pinned may be shorter
                 const bool is_others =
                     result == already_pinned && driver_.address_of_pinned.attempt(&last, first + bytes - 1, 0) == 0;
                 if (result != 0 && !is_others) driver_.pin.fail(result);
                 return !is_others;
               },
               [this](std::byte* first) { driver_.unpin.attempt(first); },
               [this](std::byte* first) {
                 void* inside = nullptr;
                 driver_.address_of_pinned(&inside, first, 0);
                 return static_cast<std::byte*>(inside);
               }}) {
  const Current current(*this);
  std::array<char, 256> text{};
  driver_.name_device(text.data(), static_cast<int>(text.size()) - 1, ordinal_);
  name_ = text.data();
  if (driver_.is_hip) {
    constexpr int changed_in = 60000000;  // version 6.0
    int version = 0;
    driver_.version(&version);
    device_memory_ = version < changed_in ? 1 : 2;
  }
  load_kernels();
  uploads_ = make_queue();
}

void Gpu::load_kernels() {
  // The module is never unloaded: it is kept as long as the device.
  void* module = nullptr;
  const bool try_embedded = !driver_.is_hip && !embedded_binary.empty();
  const int result = try_embedded ? driver_.load.attempt(&module, embedded_binary.data()) : 0;
  if (module == nullptr) {
    int major = 0, minor = 0;
    if (!driver_.is_hip) {
      driver_.attribute_of_device(&major, major_capability, ordinal_);
      driver_.attribute_of_device(&minor, minor_capability, ordinal_);
    }
    try {
      driver_.load(&module, compile_kernels(driver_.is_hip, 10 * major + minor).data());
    } catch (const Error& error) {  // an older driver than nvcc's does not load them
      if (result == 0) throw;
      throw Error("The CUDA driver does not load weft's kernels: " + driver_.describe(result) + ". " + error.what());
    }
  }
  // All now: the first launch of a kernel that is loaded late may wait for the device. Drivers of CUDA 12.4 and later
  // load it when they are asked to.
  const auto load = reinterpret_cast<int (*)(void*)>(driver_.library.find("cuFuncLoad"));
  for (std::size_t k = 0; k < kernel_count; ++k) {
    driver_.find_kernel(&kernels_[k], module, kernel_names()[k].c_str());
    if (load != nullptr) load(kernels_[k]);
  }
}

bool Gpu::has(const void* address) const {
  const Current current(*this);
  const auto is = [&](int attribute, auto value) {
    decltype(value) found{};
    return driver_.attribute_of.attempt(&found, attribute, const_cast<void*>(address)) == 0 && found == value;
  };
  return is(memory_type, device_memory_) && is(device_ordinal, ordinal_) && !is(is_managed, 1);
}

// Offsets in memory of the device.
struct Gpu::UploadedOffsets {
  UploadedOffsets(Gpu& gpu, std::span<const std::size_t> of)
      : host(of.begin(), of.end()), event(gpu.shared_from_this()),
        memory(gpu.allocate(host.size() * sizeof host[0]), [&gpu](std::byte* at) { gpu.free(at); }) {
    const Current current(gpu);
    gpu.driver_.upload(memory.get(), host.data(), host.size() * sizeof host[0], gpu.uploads_);
    event.record(gpu.uploads_);
  }

  std::vector<unsigned long long> host;  // kept: the copy may read them later
  Event event;
  std::unique_ptr<std::byte, std::function<void(std::byte*)>> memory;
  bool is_done = false;
};

struct Gpu::UploadedShape final : Shape {
  UploadedShape(std::shared_ptr<UploadedOffsets> of, const RegionLayout& layout, std::size_t bytes)
      : offsets(std::move(of)),
        form(layout, bytes, offsets ? reinterpret_cast<const unsigned long long*>(offsets->memory.get()) : nullptr) {}

  std::shared_ptr<UploadedOffsets> offsets;
  Form form;
};

std::unique_ptr<Shape> Gpu::prepare(const RegionLayout& layout, std::size_t bytes, const Shape* like) {
  std::shared_ptr<UploadedOffsets> offsets;
  if (!layout.offsets.empty() && like != nullptr) offsets = static_cast<const UploadedShape*>(like)->offsets;
  if (offsets && !std::ranges::equal(offsets->host, layout.offsets)) offsets.reset();
  if (!offsets && !layout.offsets.empty()) offsets = std::make_shared<UploadedOffsets>(*this, layout.offsets);
  return std::make_unique<UploadedShape>(std::move(offsets), layout, bytes);
}

void Gpu::launch(Task task, void* queue, const Shape& shape, Range range, const std::byte* packed,
                 const ReductionOfBytes* reduction) {
  const Current current(*this);
  const auto& uploaded = static_cast<const UploadedShape&>(shape);
  if (auto* const offsets = uploaded.offsets.get(); offsets != nullptr && !offsets->is_done) {
    offsets->is_done = offsets->event.is_done();
    if (!offsets->is_done) offsets->event.let_wait(queue);
  }
  std::byte* address = nullptr;
  {
    const std::lock_guard lock(mutex_);
    address = pinned_.inside(packed);
  }
  while (range.bytes > 0) {
    auto next = uploaded.form.next(task, range, address, reduction);
    void* arguments[] = {&next.work};
    driver_.launch(kernels_[static_cast<std::size_t>(next.kernel)], next.blocks, 1, 1, block_threads, 1, 1, 0, queue,
                   arguments, nullptr);
  }
}

// The device of this number. Devices are kept until the process ends: drivers may not be called then.
std::shared_ptr<Device> find_gpu(bool is_hip, int ordinal) {
  static std::mutex mutex;
  static auto& all = *new std::vector<std::pair<const Driver*, std::shared_ptr<Gpu>>>;
  const std::lock_guard lock(mutex);
  const auto& driver = driver_of(is_hip);
  const std::string api = is_hip ? "HIP" : "CUDA";
  int devices = 0;
  if (const int result = driver.init.attempt(0); result == 0)
    driver.count_devices(&devices);
  else if (result != no_device)
    driver.init.fail(result);
  if (devices == 0)
    throw Error("There is no " + api +
                " device on this machine (its driver finds none). Use a machine with a GPU, and "
                "see that " +
                (is_hip ? "HIP" : "CUDA") + "_VISIBLE_DEVICES does not hide it.");
  if (ordinal >= devices)
    throw Error("There is no " + api + " device " + std::to_string(ordinal) + " (there are " + std::to_string(devices) +
                ", the first one is 0). Give a smaller number.");
  void* context = nullptr;  // the handle of a device is its number
  if (is_hip) {
    if (ordinal < 0) driver.get_device(&ordinal);
  } else {
    if (ordinal < 0) driver.get_context(&context);
    if (context != nullptr)
      driver.get_device(&ordinal);
    else
      driver.retain_context(&context, ordinal = std::max(ordinal, 0));
  }
  for (const auto& [of, gpu] : all)
    if (of == &driver && gpu->ordinal() == ordinal && gpu->context() == context) return gpu;
  return all.emplace_back(&driver, std::make_shared<Gpu>(driver, ordinal, context)).second;
}

}  // namespace

std::shared_ptr<Device> cuda(int ordinal) { return find_gpu(false, ordinal); }
std::shared_ptr<Device> hip(int ordinal) { return find_gpu(true, ordinal); }

Queue queue(void* stream) { return (has_driver(true) && !has_driver(false) ? hip() : cuda())->queue(stream); }

}  // namespace weft::device
