// SPDX-License-Identifier: BSD-3-Clause
#include "run/preload.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "weft/error.hpp"

namespace weft::run {
namespace {

namespace fs = std::filesystem;

#if defined(__aarch64__)
constexpr auto multiarch = "aarch64-linux-gnu";
#else
constexpr auto multiarch = "x86_64-linux-gnu";
#endif

}  // namespace

fs::path program_folder() {
  std::error_code none;
  if (const char* tools = std::getenv("WEFT_TOOLS"); tools != nullptr && *tools != 0)  // set by the Python package
    return fs::path(tools) / "bin";
  return fs::read_symlink("/proc/self/exe", none).parent_path();
}

fs::path preload_library() {
  std::error_code none;
  const auto here = program_folder();
  constexpr auto name = "libweft_advise.so";
  for (const auto& folder : {here, here / "../lib", here / "../lib64", here / "../lib" / multiarch})
    if (const auto file = fs::canonical(folder / name, none); !none) {
      if (file.string().find_first_of(" :") != std::string::npos)
        throw InputError(
            fmt::format("{} can't be preloaded (the dynamic linker splits its path at a blank and a colon). Install "
                        "weft in another folder.",
                        file.string()));
      return file;
    }
  throw InputError(fmt::format("There is no {} in {} or in ../lib beside it. Build it, or install weft again.", name,
                               here.string()));
}

}  // namespace weft::run
