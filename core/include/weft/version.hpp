// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// WEFT_VERSION ("0.1.0"), WEFT_VERSION_MAJOR, _MINOR and _PATCH; WEFT_BUILD_MPI, _COMPILER and _OPTIONS
#include <weft_version.h>

namespace [[gnu::visibility("default")]] weft {

/// How the library was built. The texts live as long as the library.
struct BuildInfo {
  const char* version;   ///< as version()
  const char* commit;    ///< the commit in 40 digits; empty if weft was not built from its repository
  const char* mpi;       ///< MPI library and version, "Open MPI 4.1.4"; Transport::library() is the one that runs
  const char* compiler;  ///< "GNU 12.2.0"
  const char* options;   ///< build type, static or shared, compiler flags, options of weft
};

/// The version of the library, "0.1.0". WEFT_VERSION is that of the headers: they differ if a program runs with another
/// library than it was compiled for. Callable at any time, also before MPI_Init.
const char* version() noexcept;

/// All that is known of the library's build. Callable at any time.
const BuildInfo& build_info() noexcept;

}  // namespace weft
