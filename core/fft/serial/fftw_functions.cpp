// SPDX-License-Identifier: BSD-3-Clause
//
// The one place where weft links or opens FFTW.
#include "fft/serial/fftw_functions.hpp"

#include <cstddef>
#include <type_traits>

#if defined(WEFT_FFTW_LINKED)
#include <fftw3.h>

#include <cstring>
#elif defined(WEFT_FFTW_OPENED)
#include <dlfcn.h>
#endif

namespace weft::fft::serial {
namespace {

#if defined(WEFT_FFTW_LINKED) || defined(WEFT_FFTW_OPENED)

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

#endif

#if defined(WEFT_FFTW_LINKED)

static_assert(fftw_measure == FFTW_MEASURE && fftw_destroy_input == FFTW_DESTROY_INPUT &&
              fftw_unaligned == FFTW_UNALIGNED && fftw_preserve_input == FFTW_PRESERVE_INPUT &&
              fftw_patient == FFTW_PATIENT && fftw_estimate == FFTW_ESTIMATE && fftw_sign_forward == FFTW_FORWARD &&
              fftw_sign_backward == FFTW_BACKWARD);
static_assert(sizeof(FftwAxis) == sizeof(fftw_iodim64) && offsetof(FftwAxis, is) == offsetof(fftw_iodim64, is) &&
              offsetof(FftwAxis, os) == offsetof(fftw_iodim64, os));

#define WEFT_FFTW_ADDRESS(x, function) \
  if (std::strcmp(name, #function) == 0) return reinterpret_cast<void*>(&x##function)
#define WEFT_FFTW_FIND(find, x)                \
  void* find(const char* name) {               \
    WEFT_FFTW_ADDRESS(x, plan_guru64_dft);     \
    WEFT_FFTW_ADDRESS(x, plan_guru64_dft_r2c); \
    WEFT_FFTW_ADDRESS(x, plan_guru64_dft_c2r); \
    WEFT_FFTW_ADDRESS(x, execute_dft);         \
    WEFT_FFTW_ADDRESS(x, execute_dft_r2c);     \
    WEFT_FFTW_ADDRESS(x, execute_dft_c2r);     \
    WEFT_FFTW_ADDRESS(x, alignment_of);        \
    WEFT_FFTW_ADDRESS(x, destroy_plan);        \
    return nullptr;                            \
  }
WEFT_FFTW_FIND(find_double, fftw_)
WEFT_FFTW_FIND(find_float, fftwf_)
#undef WEFT_FFTW_FIND
#undef WEFT_FFTW_ADDRESS

FftwLibrary find_library() {
  FftwLibrary library;
  fill(library.of_double, find_double);
  fill(library.of_float, find_float);
  library.version = fftw_version;
  return library;
}

#elif defined(WEFT_FFTW_OPENED)

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
