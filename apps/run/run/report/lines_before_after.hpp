// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "run/report/reading.hpp"

namespace weft::run {

enum class What { post_earlier, start_collective, wait_later, one_wait, send_together, helper_thread };
enum class Language { c, fortran, python };

/// What most of the time in MPI was called from, as far as files' endings tell.
Language language_of(const Reading& reading);

/// A small program as it may be now, and as it would be.
struct BeforeAfter {
  std::string before, after;
};
BeforeAfter lines_of(What what, Language language);

}  // namespace weft::run
