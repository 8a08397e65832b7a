// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <fft/fft.hpp>
#include <vector>
#include <weft/mpi/main.hpp>

int main(int argc, char** argv) {
  return weft::main(argc, argv, [](weft::mpi::Communicator& world) {
    weft::fft::Fft<double> fft(world, {8, 6, 4});
    std::vector<double> field(fft.field_size(), 1);
    std::vector<std::complex<double>> spectrum(fft.spectrum_size());
    fft.forward(std::span<const double>(field), std::span(spectrum));
    double sum = 0;
    for (const auto& value : spectrum) sum += std::abs(value);
    return std::abs(weft::all_reduce(world, sum, weft::sum<double>()) - 8 * 6 * 4) < 1e-9 ? 0 : 1;
  });
}
