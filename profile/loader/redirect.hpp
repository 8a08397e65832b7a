// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace weft::advise {

/// Redirects calls of these functions in all loaded libraries from `functions` to `hooks` (if both exist), by writing
/// to the libraries' address tables (GOT). For names that must not be exported, since programs look them up to find out
/// what their MPI library supports (mpi4py does). Libraries that are loaded later are not changed.
void redirect(const char* const* names, void* const* functions, void* const* hooks, unsigned count);

}  // namespace weft::advise
