// SPDX-License-Identifier: BSD-3-Clause
#include "weft/version.hpp"

#include <weft_commit.h>  // only here, since it changes with each commit

namespace weft {

const char* version() noexcept { return WEFT_VERSION; }

const BuildInfo& build_info() noexcept {
  static constexpr BuildInfo info{WEFT_VERSION, WEFT_COMMIT, WEFT_BUILD_MPI, WEFT_BUILD_COMPILER, WEFT_BUILD_OPTIONS};
  return info;
}

}  // namespace weft
