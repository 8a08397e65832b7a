// SPDX-License-Identifier: BSD-3-Clause
//
// The one place where weft opens FFTW. It never links it (GPL).
#include "fft/serial/fftw_functions.hpp"

#include <cstddef>
#include <type_traits>

#if defined(WEFT_FFTW_OPENED)
#include <dlfcn.h>
#endif

namespace weft::fft::serial {
namespace {

#if defined(WEFT_FFTW_OPENED)

// find("execute_dft") returns the address of a function of this precision, or null. Returns the name of a function that
// is missing, or null.
template <class Real, class Find>
const char* fill(FftwFunctions<Real>& f, const Find& find) {
  const char* missing = nullptr;
  const auto set = [&](auto*& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(find(name));
    if (function == nullptr) missing = name;
  };
  set(f.plan_guru64_dft, "plan_guru64_dft");
  set(f.plan_guru64_dft_r2c, "plan_guru64_dft_r2c");
  set(f.plan_guru64_dft_c2r, "plan_guru64_dft_c2r");
  set(f.execute_dft, "execute_dft");
  set(f.execute_dft_r2c, "execute_dft_r2c");
  set(f.execute_dft_c2r, "execute_dft_c2r");
  set(f.alignment_of, "alignment_of");
  set(f.destroy_plan, "destroy_plan");
  return missing;
}

#if defined(__APPLE__)
constexpr const char *file_double = "libfftw3.3.dylib", *file_float = "libfftw3f.3.dylib";
#else
constexpr const char *file_double = "libfftw3.so.3", *file_float = "libfftw3f.so.3";
#endif

// Opens a file and fills the table. Returns the reason if that is not possible. `prefix`: "fftw_" or "fftwf_".
template <class Real>
std::string open(FftwFunctions<Real>& f, const char* file, const std::string& prefix, std::string& version) {
  void* handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return std::string(file) + " could not be opened";
  const char* missing = fill(f, [&](const char* name) { return dlsym(handle, (prefix + name).c_str()); });
  if (missing != nullptr) return std::string(file) + " has no function " + prefix + missing;
  if (const void* text = dlsym(handle, (prefix + "version").c_str())) version = static_cast<const char*>(text);
  return {};
}

FftwLibrary find_library() {
  FftwLibrary library;
  library.missing = open(library.of_float, file_float, "fftwf_", library.version);
  if (library.missing.empty()) library.missing = open(library.of_double, file_double, "fftw_", library.version);
  return library;
}

#else

FftwLibrary find_library() {
  FftwLibrary library;
  library.missing = "weft was built with WEFT_FFTW=off";
  return library;
}

#endif

}  // namespace

const FftwLibrary& fftw_library() {
  static const FftwLibrary library = find_library();
  return library;
}

}  // namespace weft::fft::serial
