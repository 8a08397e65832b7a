// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <complex>
#include <vector>

#include "fft/layout.hpp"
#include "fft/serial_transform.hpp"

namespace weft::bench {

/// A slab transform without weft: all planes are transformed, packed, sent by one blocking MPI_Alltoallv, and unpacked;
/// then the other axis, and the same back. Complex double, forward, out of place.
class FftBaseline {
 public:
  using Complex = std::complex<double>;
  /// Every rank has some planes in x; see fft::block. Counts are int, in complex numbers.
  FftBaseline(MPI_Comm comm, const fft::Size3& size, fft::Effort effort);
  ~FftBaseline();
  /// Collective. Blocks inside MPI.
  void forward(const Complex* field, Complex* spectrum);

 private:
  void turn(const Complex* from, Complex* to, bool back);

  MPI_Comm comm_;
  MPI_Datatype number_ = MPI_DATATYPE_NULL;
  fft::Size3 size_;
  std::size_t ranks_ = 1, rank_ = 0;
  fft::SerialTransform<double> planes_, lines_;
  std::vector<Complex> work_, lines_done_, send_, receive_;
};

}  // namespace weft::bench
