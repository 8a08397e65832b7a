// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace weft::bench::collectives {

/// A computation to overlap with, in units of a microsecond or less, between which the caller may call MPI.
class Computation {
 public:
  Computation() = default;
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;
  virtual ~Computation() = default;

  virtual std::string name() const = 0;
  virtual void unit() = 0;
};

/// CRESTA's computation: products of a vector and a matrix with as many rows as there are ranks.
std::unique_ptr<Computation> matrix_vector(int ranks);
/// Arithmetic in which each number depends on the previous one: only the core's latency counts, which varies least.
std::unique_ptr<Computation> busy_loop();

}  // namespace weft::bench::collectives
