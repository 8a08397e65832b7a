// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "run/report/hotspots.hpp"
#include "run/report/reading.hpp"

namespace weft::run {

enum class What { post_earlier, start_collective, wait_later, one_wait, send_together, progress_thread };
enum class Language { c, fortran, python };

/// The language from which most of the time in MPI was called, from the extensions of the files.
Language language_of(const Reading& reading);

/// A code fragment before and after the change.
struct BeforeAfter {
  std::string before, after;
};
BeforeAfter lines_of(What what, Language language);

/// A change that shortens a step.
struct Remedy {
  What what;
  std::string name;                ///< "wait later"
  std::string because;             ///< the observation
  std::vector<std::size_t> where;  ///< indices of places, the costliest first
  double gain_seconds = 0;         ///< per step, at most
};

/// Sorted by gain.
std::vector<Remedy> remedies_of(const Reading& reading, const Hotspots& places);

}  // namespace weft::run
