// SPDX-License-Identifier: BSD-3-Clause
#include "weft/device/compiler.hpp"

#include <string_view>
#include <vector>

#include "weft/device/driver.hpp"
#include "weft/error.hpp"

namespace weft::device {

std::string compile_kernels(bool for_hip, int capability) {
  const SharedLibrary library =
      for_hip ? SharedLibrary{"libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5", "libhiprtc.so", "libamdhip64.so"}
              : SharedLibrary{"libnvrtc.so.12", "libnvrtc.so.13", "libnvrtc.so.11.2", "libnvrtc.so"};
  if (!library)
    throw Error(for_hip
                    ? "There is no hiprtc, which compiles weft's kernels for HIP (" + library.problem() +
                          "). Install ROCm with hiprtc."
                    : "This build of weft has no kernels for this CUDA device, and there is no NVRTC, which would "
                      "compile them (" +
                          library.problem() +
                          "). Install NVRTC (libnvrtc; in Python: nvidia-cuda-nvrtc-cu12), or build weft where nvcc "
                          "is.");
  // Both compilers have the same functions; hiprtc calls the binary just code.
  const std::string prefix = for_hip ? "hiprtc" : "nvrtc";
  const auto call = [&]<class... Args>(const std::string& name, Args... args) {
    const auto function = reinterpret_cast<int (*)(Args...)>(library.find((prefix + name).c_str()));
    return function == nullptr ? -1 : function(args...);
  };
  const auto check = [&](const std::string& name, int result, const std::string& log = "") {
    if (result != 0)
      throw Error(prefix + name +
                  " failed: " + (result < 0 ? "there is no such function" : "error " + std::to_string(result)) +
                  (log.empty() ? "." : ": " + log));
  };

  // In the place of its only #include: hiprtc's versions differ in what names of headers they accept.
  constexpr std::string_view include = "#include \"weft/device/kernel_work.hpp\"";
  std::string source = embedded_source;
  source.replace(source.find(include), include.size(), embedded_header);
  void* program = nullptr;
  const char* const* none = nullptr;
  check("CreateProgram", call("CreateProgram", &program, source.c_str(), "kernels.cu", 0, none, none));
  const auto architecture = "--gpu-architecture=sm_" + std::to_string(capability);
  std::vector<const char*> options{"-std=c++17"};
  if (!for_hip) options.push_back(architecture.c_str());
  if (const int result = call("CompileProgram", program, static_cast<int>(options.size()), options.data());
      result != 0) {
    std::size_t bytes = 0;
    call("GetProgramLogSize", program, &bytes);
    std::string log(bytes, '\0');
    if (bytes > 0) call("GetProgramLog", program, log.data());
    check("CompileProgram", result, log.substr(0, log.find('\0')));
  }
  const std::string code = for_hip ? "GetCode" : "GetCUBIN";
  std::size_t bytes = 0;
  check(code + "Size", call(code + "Size", program, &bytes));
  std::string image(bytes, '\0');
  check(code, call(code, program, image.data()));
  call("DestroyProgram", &program);
  return image;
}

}  // namespace weft::device
