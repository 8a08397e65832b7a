// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <filesystem>
#include <vector>

#include "fft/layout.hpp"
#include "weft/transport/transport.hpp"

namespace weft::fft_program {

/// A shell of wave numbers: all whose length, in waves across the box, is nearer to `wave` than to another whole
/// number.
struct Shell {
  double energy = 0;  ///< sum of |u|^2 / 2 of its waves
  double waves = 0;   ///< their number
};

/// The shells of a spectrum that is normalised forward, in natural or transposed order; `half`: of a real field, whose
/// other half along z is counted, too. The sum of the energies is half of the field's mean square. On every rank.
/// Collective.
template <class Real>
std::vector<Shell> energy_spectrum(Transport& world, const fft::Size3& size, const fft::Box& box, bool half,
                                   const std::complex<Real>* values);

/// Writes wave,energy,waves, one line per shell. Rank 0 writes. Collective. Throws InputError.
void write_spectrum(Transport& world, const std::filesystem::path& file, const std::vector<Shell>& shells);

}  // namespace weft::fft_program
