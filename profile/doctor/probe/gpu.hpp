// SPDX-License-Identifier: BSD-3-Clause
// The few calls of CUDA's driver, or of HIP, that put bytes into memory of a device and take them out.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace weft::doctor::probe {

/// The first device of this machine, with its driver opened at run time. Both drivers' functions have the same forms.
class Gpu {
 public:
  /// The reason why there is none; empty: there is one.
  std::string open() {
    if (opens("libcuda.so.1", "cu", "_v2", "") || opens("libamdhip64.so", "hip", "", "hip")) return trouble_;
    return "there is no CUDA driver (libcuda.so.1) and no HIP (libamdhip64.so)";
  }
  const std::string& name() const { return name_; }

  /// Memory of the device; null: the driver refuses.
  void* allocate(std::size_t bytes) const {
    std::uintptr_t memory = 0;
    return Allocate(&memory, bytes) == 0 ? reinterpret_cast<void*>(memory) : nullptr;
  }
  bool put(void* device, const void* host, std::size_t bytes) const {
    return Put(reinterpret_cast<std::uintptr_t>(device), host, bytes) == 0 && Wait() == 0;
  }
  bool take(void* host, const void* device, std::size_t bytes) const {
    return Take(host, reinterpret_cast<std::uintptr_t>(device), bytes) == 0 && Wait() == 0;
  }

 private:
  // HIP makes its context itself, with the first call.
  bool opens(const char* library, const std::string& prefix, const std::string& version, const std::string& runtime) {
    void* const handle = dlopen(library, RTLD_NOW);
    if (handle == nullptr) return false;
    const auto get = [&](auto& function, const std::string& name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, (prefix + name).c_str()));
      if (function == nullptr && trouble_.empty()) trouble_ = std::string(library) + " has no " + prefix + name;
    };
    int (*Init)(unsigned) = nullptr;
    int (*Get)(int*, int) = nullptr;
    int (*Name)(char*, int, int) = nullptr;
    int (*Retain)(void**, int) = nullptr;
    int (*Set)(void*) = nullptr;
    const bool hip = !runtime.empty();
    get(Init, "Init");
    get(Get, "DeviceGet");
    get(Name, "DeviceGetName");
    get(Allocate, hip ? "Malloc" : "MemAlloc" + version);
    get(Put, "MemcpyHtoD" + version);
    get(Take, "MemcpyDtoH" + version);
    get(Wait, hip ? "DeviceSynchronize" : "CtxSynchronize");
    if (!hip) get(Retain, "DevicePrimaryCtxRetain");
    if (!hip) get(Set, "CtxSetCurrent");
    if (!trouble_.empty()) return true;
    int device = 0;
    void* context = nullptr;
    char text[256] = {};
    if (Init(0) != 0 || Get(&device, 0) != 0 || Name(text, sizeof text, device) != 0 ||
        (!hip && (Retain(&context, device) != 0 || Set(context) != 0)))
      trouble_ = std::string(library) + " finds no device";
    name_ = text;
    return true;
  }

  int (*Allocate)(std::uintptr_t*, std::size_t) = nullptr;
  int (*Put)(std::uintptr_t, const void*, std::size_t) = nullptr;
  int (*Take)(void*, std::uintptr_t, std::size_t) = nullptr;
  int (*Wait)() = nullptr;
  std::string name_, trouble_;
};

}  // namespace weft::doctor::probe
