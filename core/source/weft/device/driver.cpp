// SPDX-License-Identifier: BSD-3-Clause
#include "weft/device/driver.hpp"

#include <dlfcn.h>

#include "weft/error.hpp"

namespace weft::device {

SharedLibrary::SharedLibrary(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) return;
    if (problem_.empty()) problem_ = dlerror();
  }
}

void* SharedLibrary::find(const char* name) const { return dlsym(handle_, name); }

Driver::Driver(bool hip)
    : is_hip(hip),
      library(hip ? SharedLibrary{"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"}
                  : SharedLibrary{"libcuda.so.1"}) {}

void* find_function(const Driver& driver, const char* name) {
  if (!driver.library)
    throw Error(driver.is_hip ? "There is no HIP on this machine (" + driver.library.problem() +
                                    "). Install ROCm, or leave the data in memory of the host."
                              : "There is no CUDA driver on this machine (" + driver.library.problem() +
                                    "). Install NVIDIA's driver, or leave the data in memory of the host.");
  if (void* function = driver.library.find(name)) return function;
  throw Error(std::string("The ") + (driver.is_hip ? "HIP library" : "CUDA driver") + " has no " + name +
              " (it is too old, or too new for this version of weft). Install " +
              (driver.is_hip ? "ROCm 5 to 7." : "a driver of CUDA 11 to 13."));
}

void fail_in(const Driver& driver, const char* name, int error) {
  throw Error(std::string(name) + " failed: " + driver.describe(error) + ".");
}

std::string Driver::describe(int error) const {
  const char *name = nullptr, *text = nullptr;
  if (is_hip) {
    using Get = const char* (*)(int);
    if (const auto get = reinterpret_cast<Get>(library.find("hipGetErrorName"))) name = get(error);
    if (const auto get = reinterpret_cast<Get>(library.find("hipGetErrorString"))) text = get(error);
  } else {
    using Get = int (*)(int, const char**);
    if (const auto get = reinterpret_cast<Get>(library.find("cuGetErrorName"))) get(error, &name);
    if (const auto get = reinterpret_cast<Get>(library.find("cuGetErrorString"))) get(error, &text);
  }
  return (name == nullptr ? "error " + std::to_string(error) : name) +
         (text == nullptr ? "" : " (" + std::string(text) + ")");
}

const Driver& driver_of(bool is_hip) {
  // Never closed: drivers may not be called, or unloaded, when a program ends.
  if (is_hip) {
    static const auto& hip = *new Driver(true);
    return hip;
  }
  static const auto& cuda = *new Driver(false);
  return cuda;
}

bool has_driver(bool is_hip) {
  return is_hip ? bool(SharedLibrary{"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"})
                : bool(SharedLibrary{"libcuda.so.1"});
}

}  // namespace weft::device
