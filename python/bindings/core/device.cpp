// SPDX-License-Identifier: BSD-3-Clause
#include "core/device.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/bind.hpp"
#include "core/end.hpp"
#include "core/memory.hpp"
#include "core/raised.hpp"
#include "core/repr.hpp"
#include "core/world.hpp"
#include "weft/device/gpu.hpp"
#include "weft/device/test_device.hpp"
#include "weft/error.hpp"

namespace weft::python {
namespace {

using device::TestDevice;

std::shared_ptr<device::Device> gpu(bool is_hip, int number) {
  return is_hip ? device::hip(number) : device::cuda(number);
}

std::vector<std::weak_ptr<TestDevice>>& test_devices() {
  static auto& all = *new std::vector<std::weak_ptr<TestDevice>>;
  return all;
}
std::atomic<bool> is_there_a_test_device = false;

// Whether the library of an array was built for HIP.
bool is_of_hip(nb::handle array) {
  const auto module = nb::cast<std::string>(nb::str(nb::getattr(array.type(), "__module__", nb::str())));
  const auto root = module.substr(0, module.find('.'));
  const nb::object loaded = nb::module_::import_("sys").attr("modules").attr("get")(root);
  try {
    if (root == "torch") return !loaded.attr("version").attr("hip").is_none();
    if (root == "cupy") return nb::cast<bool>(loaded.attr("cuda").attr("runtime").attr("is_hip"));
  } catch (const nb::python_error&) {
  }
  return false;
}

struct PyTestQueue {
  PyTestQueue(std::shared_ptr<TestDevice> of, void* made) : device(std::move(of)), handle(made) {}
  PyTestQueue(const PyTestQueue&) = delete;
  PyTestQueue& operator=(const PyTestQueue&) = delete;
  ~PyTestQueue() { device->free_queue(handle); }
  std::shared_ptr<TestDevice> device;
  void* handle;
};

// An integer, or an object that holds one, as those of ctypes and cuda.bindings do.
std::optional<std::uintptr_t> number_of(nb::handle handle) {
  if (handle.is_none()) return 0;
  if (nb::hasattr(handle, "value")) return number_of(handle.attr("value"));
  std::uintptr_t number = 0;
  const bool is_integer =
      PyBool_Check(handle.ptr()) == 0 && PyFloat_Check(handle.ptr()) == 0 && nb::hasattr(handle, "__int__");
  if (!is_integer || !nb::try_cast(nb::int_(handle), number, false)) return {};
  return number;
}

std::optional<std::uintptr_t> handle_of(nb::handle stream) {
  if (PyIndex_Check(stream.ptr()) != 0) return number_of(stream);
  if (nb::hasattr(stream, "__cuda_stream__")) {
    nb::object pair = stream.attr("__cuda_stream__");
    if (PyCallable_Check(pair.ptr()) != 0) pair = pair();
    return number_of(pair[1]);
  }
  for (const char* name : {"ptr", "cuda_stream", "handle"})
    if (nb::hasattr(stream, name)) return number_of(stream.attr(name));
  return {};
}

/// weft.TestDevice.
class PyTestDevice final : public Live {
 public:
  PyTestDevice(std::uint64_t seed, int threads) : has_threads_(threads > 0) {
    check_not_ended();
    if (threads < 0) throw InputError("A test device has " + std::to_string(threads) + " threads. Give 0 or more.");
    // Its threads may wait for the GIL, to run a kernel.
    device_ = {new TestDevice({.seed = seed, .threads = threads}), [](TestDevice* device) {
                 if (PyGILState_Check() == 0) return delete device;
                 const nb::gil_scoped_release released;
                 delete device;
               }};
    std::erase_if(test_devices(), [](const auto& other) { return other.expired(); });
    test_devices().push_back(device_);
    is_there_a_test_device = true;
  }
  // Threads must not run functions of Python when the interpreter ends.
  void close() override {
    if (!has_threads_ || is_forked()) return;
    const nb::gil_scoped_release released;
    try {
      device_->synchronize();
    } catch (const std::exception&) {  // the problem was printed
    }
  }
  const std::shared_ptr<TestDevice>& get() const { return device_; }

  void* handle(const PyTestQueue& queue) const {
    if (queue.device != device_) throw Error("The queue is of another test device. Give one of this device's queue().");
    return queue.handle;
  }

  nb::tuple allocate(std::size_t bytes) {
    struct Allocation {
      std::shared_ptr<TestDevice> device;
      std::byte* memory;
    };
    auto* const memory = device_->allocate(std::max<std::size_t>(bytes, 1));
    const nb::capsule owner(new Allocation{device_, memory}, [](void* p) noexcept {
      auto* const allocation = static_cast<Allocation*>(p);
      allocation->device->free(allocation->memory);
      delete allocation;
    });
    auto* const inside = reinterpret_cast<std::uint8_t*>(device_->inside(memory));
    return nb::make_tuple(nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>(inside, {bytes}, owner),
                          reinterpret_cast<std::uintptr_t>(memory));
  }

  void launch(const PyTestQueue& queue, nb::object function, const nb::args& arguments) {
    struct Kernel {
      nb::object function, arguments;
    };
    nb::list views;
    for (const auto argument : arguments) views.append(nb::getattr(argument, "_inside", argument));
    const std::shared_ptr<Kernel> kernel(new Kernel{std::move(function), nb::tuple(views)}, [](Kernel* done) {
      if (!nb::is_alive()) return;
      const nb::gil_scoped_acquire held;
      delete done;
    });
    device_->launch(handle(queue), [kernel] {
      if (!nb::is_alive()) return;
      const nb::gil_scoped_acquire held;
      try {
        kernel->function(*kernel->arguments);
      } catch (const nb::python_error& error) {
        throw Error(text_of(error.value()));
      }
    });
  }

 private:
  bool has_threads_;
  std::shared_ptr<TestDevice> device_;
};

}  // namespace

std::optional<DlpackDevice> dlpack_device_of(nb::handle array) {
  if (!nb::hasattr(array, "__dlpack_device__")) return {};
  const nb::object pair = array.attr("__dlpack_device__")();
  return DlpackDevice{nb::cast<int>(nb::int_(pair[0])), nb::cast<int>(nb::int_(pair[1]))};
}

std::shared_ptr<device::Device> device_of(nb::handle array, const void* address, const char* what) {
  for (const auto& test : test_devices())
    if (const auto found = test.lock(); found && found->has(address)) return found;
  const auto known = dlpack_device_of(array);
  if (known && known->kind != 2 && known->kind != 10) return nullptr;  // managed memory is the host's, too
  const bool is_hip = (known && known->kind == 10) || is_of_hip(array);
  if (known) return gpu(is_hip, known->number);
  for (int number = -1;; ++number) {  // first the current one
    try {
      if (const auto found = gpu(is_hip, number); found->has(address)) return found;
    } catch (const Error&) {
      if (number < 1) throw;
      throw InputError(std::string(what) + ": The address of the array is not in memory of any device. Give an array " +
                       "that owns memory of one.");
    }
  }
}

device::Queue queue_of(nb::handle stream, const std::shared_ptr<device::Device>& device) {
  if (stream.is_none()) return {};
  if (nb::isinstance<PyTestQueue>(stream)) {
    const auto& queue = nb::cast<const PyTestQueue&>(stream);
    return queue.device->queue(queue.handle);
  }
  const auto handle = handle_of(stream);
  if (!handle)
    throw nb::type_error(
        "The stream is none that weft knows. Give a stream of CuPy, PyTorch or Numba, an object with __cuda_stream__, "
        "or its handle as an integer.");
  if (!device) return {};
  return device->queue(reinterpret_cast<void*>(*handle));  // NOLINT(performance-no-int-to-ptr)
}

device::Queue own_queue_of(nb::handle array, const std::shared_ptr<device::Device>& device) {
  const nb::object interface = nb::getattr(array, "__cuda_array_interface__", nb::none());
  if (!device || !nb::isinstance<nb::dict>(interface)) return {};
  return queue_of(interface.attr("get")("stream"), device);
}

bool kernels_may_need_gil() { return is_there_a_test_device; }

void bind_device(nb::module_& m) {
  nb::class_<PyTestQueue>(m, "TestQueue", "A queue (stream) of a ``TestDevice``: its work runs in order, and late.")
      .def_prop_ro(
          "ptr", [](const PyTestQueue& q) { return reinterpret_cast<std::uintptr_t>(q.handle); },
          "Its handle, as of a stream of CuPy.")
      .def(Repr([](const PyTestQueue& q) { return std::to_string(reinterpret_cast<std::uintptr_t>(q.handle)); }));
  nb::class_<PyTestDevice>(m, "TestDevice", R"(A device for tests, on any machine with Linux.

It does late and in an unusual order what a GPU may do so: a forgotten stream gives wrong values in each run, and not
once a month. Nobody can read the arrays outside of its kernels: the process ends, with a sentence.

Parameters
----------
seed : int
    Of the order of work of different queues.
threads : int
    Threads that run the work. 0: only calls of the program do, such as a wait, in an order that depends on the seed
    and the calls alone.

Examples
--------
>>> device = weft.TestDevice(seed=1)
>>> queue, u = device.queue(), device.array((8, 8))
>>> device.launch(queue, lambda u: u.fill(1), u)    # runs later, with a numpy array
>>> with halo.start(u, stream=queue):
...     ...
>>> device.synchronize(queue))")
      .def(nb::init<std::uint64_t, int>(), nb::kw_only(), nb::arg("seed") = 1, nb::arg("threads") = 0)
      .def(
          "queue", [](const PyTestDevice& d) { return new PyTestQueue(d.get(), d.get()->make_queue()); },
          nb::rv_policy::take_ownership, "Return a new queue, whose work is independent of all others.")
      .def(
          "array",
          [](nb::handle self, nb::handle shape, nb::handle dtype, const std::string& order) {
            return nb::module_::import_("weft._device_array")
                .attr("make")(self, shape, dtype, order_of(order) == 'C' ? "C" : "F");
          },
          nb::arg("shape"), nb::arg("dtype") = "float64", nb::kw_only(), nb::arg("order") = "C",
          nb::sig("def array(self, shape: int | collections.abc.Sequence[int], dtype: object = 'float64', *, "
                  "order: typing.Literal['C', 'F'] = 'C') -> weft._device_array.DeviceArray"),
          R"(Return an array of zeros in memory of this device, with ``__cuda_array_interface__``. Slices such as
``u[1:-1]`` share its memory.)")
      .def(
          "inside",
          [](const PyTestDevice& d, nb::handle array) {
            const bool is_one = nb::hasattr(array, "_inside");
            if (!is_one || (nb::cast<std::size_t>(array.attr("_inside").attr("size")) > 0 &&
                            !d.get()->has(reinterpret_cast<const void*>(
                                nb::cast<std::uintptr_t>(array.attr("__cuda_array_interface__")["data"][0])))))
              throw InputError("The array is none of this test device. Give one that array() made.");
            return array.attr("_inside");
          },
          nb::arg("array"),
          nb::sig("def inside(self, array: weft._device_array.DeviceArray) -> numpy.typing.NDArray[typing.Any]"),
          "Return a numpy array of the same memory, for functions that ``launch()`` has queued, or after "
          "``synchronize()``.")
      .def("launch", &PyTestDevice::launch, nb::arg("queue"), nb::arg("function"), nb::arg("arguments"),
           nb::sig("def launch(self, queue: TestQueue, function: collections.abc.Callable[..., object], *arguments: "
                   "object) -> None"),
           R"(Queue ``function(*arguments)``, which runs once, later, in any thread. It gets numpy arrays in place of
arrays of this device, and must not wait for the device.)")
      .def(
          "synchronize",
          [](const PyTestDevice& d, const PyTestQueue* queue) {
            const auto device = d.get();
            void* const handle = queue == nullptr ? nullptr : d.handle(*queue);
            const nb::gil_scoped_release released;
            queue == nullptr ? device->synchronize() : device->synchronize(handle);
          },
          nb::arg("queue").none() = nb::none(),
          "Wait until all work is done that is now in the queue; None: in any queue, which weft never does.")
      .def_prop_ro(
          "problem", [](const PyTestDevice& d) { return d.get()->problem(); },
          "What is wrong, such as an exception of a function; empty: nothing so far.")
      .def_prop_ro(
          "whole_device_waits", [](const PyTestDevice& d) { return d.get()->whole_device_waits(); },
          "How often ``synchronize()`` has waited for all queues.")
      .def("_allocate", &PyTestDevice::allocate, nb::arg("bytes"))
      .def(Repr([](const PyTestDevice& d) {
        const auto problem = d.get()->problem();
        return problem.empty() ? std::to_string(d.get()->counts().packs) + " packs" : problem;
      }));
}

}  // namespace weft::python
