// SPDX-License-Identifier: BSD-3-Clause
#include "flow/step/last_sound.hpp"

#include <algorithm>
#include <utility>

namespace weft::flow {

LastSound::LastSound(const lattice::SparseLattice& lattice, std::int64_t from_step, std::int64_t steps)
    : lattice_(lattice), from_step_(from_step), interval_(std::max(least, steps / 50)), next_(from_step + first) {}

void LastSound::between_steps(std::int64_t step, std::int64_t known) {
  if (candidate_.step >= 0 && known >= candidate_.step) {
    std::swap(sound_, candidate_);
    candidate_.step = -1;
  }
  if (candidate_.step >= 0 || step < next_) return;  // a waiting snapshot is not replaced, else none would ever count
  keep(step);
  next_ = step + std::min(interval_, step - from_step_);
}

void LastSound::keep(std::int64_t step) {
  candidate_.step = step;
  candidate_.slot = lattice_.slots();
  candidate_.places.resize(lattice_.place_count());  // allocates only the first two times
  lattice_.coarse_moments(candidate_.places);
}

}  // namespace weft::flow
