// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>

#include "weft/halo/halo.hpp"

namespace weft::bench {

/// A method to fill a field's ghosts: with weft, or with plain MPI.
class HaloMethod {
 public:
  HaloMethod() = default;
  HaloMethod(const HaloMethod&) = delete;
  HaloMethod& operator=(const HaloMethod&) = delete;
  virtual ~HaloMethod() = default;

  virtual void start() = 0;
  virtual void progress() {}
  virtual void finish() = 0;
};

/// The baseline: the same exchange as a good MPI programmer writes it without weft. All components of all ghosts, one
/// layer, a grid that is periodic along its three axes. Data for this rank itself are unpacked from the send buffer.
/// The field is an array_of_structures or structure_of_arrays, row-major, of doubles or floats.
///
/// by_dimension: three rounds, each with MPI_Irecv, packing, MPI_Isend, MPI_Waitall, unpacking, all in finish()
/// (Ludwig's first scheme). at_once: 26 messages that start() posts and finish() completes (its non-blocking scheme).
std::unique_ptr<HaloMethod> make_baseline_by_dimension(MPI_Comm comm, const CartesianGrid& grid, const Field& field);
std::unique_ptr<HaloMethod> make_baseline_at_once(MPI_Comm comm, const CartesianGrid& grid, const Field& field);

}  // namespace weft::bench
