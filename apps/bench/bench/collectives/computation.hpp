// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace weft::bench::collectives {

/// Something to compute meanwhile, in units of a microsecond or less, between which others may call MPI.
class Computation {
 public:
  Computation() = default;
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;
  virtual ~Computation() = default;

  virtual std::string name() const = 0;
  virtual void unit() = 0;
};

/// CRESTA's: products of a matrix, of as many rows as there are ranks, with a vector.
std::unique_ptr<Computation> matrix_vector(int ranks);
/// Arithmetic in which each number needs the one before: nothing but the core's latency counts, which is the steadiest.
std::unique_ptr<Computation> busy_loop();

}  // namespace weft::bench::collectives
