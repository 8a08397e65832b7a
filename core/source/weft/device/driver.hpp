// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>

namespace weft::device {

class Driver;
void* find_function(const Driver& driver, const char* name);
[[noreturn]] void fail_in(const Driver& driver, const char* name, int error);

/// A library that is opened at run time.
class SharedLibrary {
 public:
  /// Opens the first of these that there is. It stays open.
  explicit SharedLibrary(std::initializer_list<const char*> names);
  /// Whether one was opened; if not, problem() says why.
  explicit operator bool() const { return handle_ != nullptr; }
  const std::string& problem() const { return problem_; }  ///< why it was not opened
  /// The function of this name; null if there is none.
  void* find(const char* name) const;

 private:
  void* handle_ = nullptr;
  std::string problem_;
};

/// A function of the driver, which returns 0 or the number of an error.
template <class... Args>
class Call {
 public:
  Call(const Driver& driver, const char* in_cuda, const char* in_hip);
  /// Calls it. Throws an Error that names the function and the error.
  void operator()(Args... args) const {
    if (const int result = function_(args...); result != 0) fail(result);
  }
  /// Calls it, and returns the number.
  int attempt(Args... args) const { return function_(args...); }
  [[noreturn]] void fail(int result) const;

 private:
  const Driver& driver_;
  const char* name_;
  int (*function_)(Args...);
};

/// The driver's functions that weft uses, of CUDA or HIP.
///
/// They are declared here and found at run time, so weft is built without CUDA and HIP, and runs without them. HIP has
/// taken CUDA's driver interface: its functions have other names, but the same arguments, handles and numbers, except
/// where both are listed below. So one table and one implementation serve both. Handles, and addresses of the device,
/// are void*. Where a name ends in _v2, the driver keeps an old function under the name without it.
class Driver {
 public:
  explicit Driver(bool is_hip);
  Driver(const Driver&) = delete;

  const bool is_hip;
  const SharedLibrary library;
  const Call<unsigned> init{*this, "cuInit", "hipInit"};
  const Call<int*> count_devices{*this, "cuDeviceGetCount", "hipGetDeviceCount"};
  const Call<char*, int, int> name_device{*this, "cuDeviceGetName", "hipDeviceGetName"};

  // CUDA has contexts, HIP only devices.
  const Call<void**, int> retain_context{*this, "cuDevicePrimaryCtxRetain", nullptr};
  const Call<void**> get_context{*this, "cuCtxGetCurrent", nullptr};
  const Call<void*> set_context{*this, "cuCtxSetCurrent", nullptr};
  const Call<int*> get_device{*this, "cuCtxGetDevice", "hipGetDevice"};
  const Call<int> set_device{*this, nullptr, "hipSetDevice"};

  const Call<void**, unsigned> make_queue{*this, "cuStreamCreate", "hipStreamCreateWithFlags"};
  const Call<void*> free_queue{*this, "cuStreamDestroy_v2", "hipStreamDestroy"};
  const Call<void**, unsigned> make_event{*this, "cuEventCreate", "hipEventCreateWithFlags"};
  const Call<void*> free_event{*this, "cuEventDestroy_v2", "hipEventDestroy"};
  const Call<void*, void*> record{*this, "cuEventRecord", "hipEventRecord"};
  const Call<void*> query{*this, "cuEventQuery", "hipEventQuery"};
  /// So that no call of weft ends a capture of a graph by another thread: relaxed is 2. Null if the driver has none.
  int (*const set_capture_mode)(int*) = reinterpret_cast<int (*)(int*)>(
      library ? library.find(is_hip ? "hipThreadExchangeStreamCaptureMode" : "cuThreadExchangeStreamCaptureMode")
              : nullptr);
  const Call<void*, void*, unsigned> wait{*this, "cuStreamWaitEvent", "hipStreamWaitEvent"};

  const Call<void**, std::size_t> allocate{*this, "cuMemAlloc_v2", "hipMalloc"};
  const Call<void*> free{*this, "cuMemFree_v2", "hipFree"};
  const Call<void*, std::size_t, unsigned> pin{*this, "cuMemHostRegister_v2", "hipHostRegister"};
  const Call<void*> unpin{*this, "cuMemHostUnregister", "hipHostUnregister"};
  const Call<void**, void*, unsigned> address_of_pinned{*this, "cuMemHostGetDevicePointer_v2",
                                                        "hipHostGetDevicePointer"};
  const Call<void*, int, void*> attribute_of{*this, "cuPointerGetAttribute", "hipPointerGetAttribute"};
  const Call<void*, const void*, std::size_t, void*> upload{*this, "cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync"};

  const Call<void**, const void*> load{*this, "cuModuleLoadData", "hipModuleLoadData"};
  const Call<void**, void*, const char*> find_kernel{*this, "cuModuleGetFunction", "hipModuleGetFunction"};
  const Call<void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**> launch{
      *this, "cuLaunchKernel", "hipModuleLaunchKernel"};
  const Call<int*, int, int> attribute_of_device{*this, "cuDeviceGetAttribute", nullptr};
  const Call<int*> version{*this, nullptr, "hipRuntimeGetVersion"};

  /// The library's own name and description of an error: "CUDA_ERROR_INVALID_HANDLE (invalid resource handle)".
  std::string describe(int error) const;
};

/// The functions of CUDA, or of HIP. Throws an Error if the library is not there.
const Driver& driver_of(bool is_hip);
/// Whether the library is there.
bool has_driver(bool is_hip);

template <class... Args>
Call<Args...>::Call(const Driver& driver, const char* in_cuda, const char* in_hip)
    : driver_(driver), name_(driver.is_hip ? in_hip : in_cuda), function_(nullptr) {
  if (name_ != nullptr) function_ = reinterpret_cast<int (*)(Args...)>(find_function(driver, name_));
}
template <class... Args>
void Call<Args...>::fail(int result) const {
  fail_in(driver_, name_, result);
}

}  // namespace weft::device
