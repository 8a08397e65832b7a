// SPDX-License-Identifier: BSD-3-Clause
#include "fft_program/spectrum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "weft/file/whole_file.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::fft_program {

template <class Real>
std::vector<Shell> energy_spectrum(Transport& world, const fft::Size3& size, const fft::Box& box, bool half,
                                   const std::complex<Real>* values) {
  const auto wave = [&](std::size_t axis, std::size_t k) {  // -n/2 to n/2
    const auto n = size[axis];
    return static_cast<double>(std::min(k, n - k));
  };
  double longest = 0;
  for (const auto n : size) longest += std::pow(static_cast<double>(n / 2), 2);
  std::vector<Shell> shells(static_cast<std::size_t>(std::lround(std::sqrt(longest))) + 1);
  const auto [a, b, c] = box.order;
  for (std::size_t i = 0; i < box.axes[a].count; ++i)
    for (std::size_t j = 0; j < box.axes[b].count; ++j)
      for (std::size_t k = 0; k < box.axes[c].count; ++k) {
        const auto z = box.axes[c].first + k;  // z is innermost in any order
        const double x_wave = wave(a, box.axes[a].first + i), y_wave = wave(b, box.axes[b].first + j),
                     z_wave = wave(c, z);
        const bool twice = half && z > 0 && 2 * z != size[2];
        auto& shell = shells[static_cast<std::size_t>(std::lround(std::hypot(x_wave, y_wave, z_wave)))];
        const std::complex<double> u = values[(i * box.axes[b].count + j) * box.row + k];
        shell.energy += (twice ? 1 : 0.5) * std::norm(u);
        shell.waves += twice ? 2 : 1;
      }
  std::vector<Shell> all = shells;
  const auto every = all_gather(world, shells);  // few numbers per rank, added in the order of ranks
  for (std::size_t s = 0; s < all.size(); ++s) {
    all[s] = {};
    for (std::size_t r = s; r < every.size(); r += all.size()) {
      all[s].energy += every[r].energy;
      all[s].waves += every[r].waves;
    }
  }
  return all;
}

template std::vector<Shell> energy_spectrum(Transport&, const fft::Size3&, const fft::Box&, bool,
                                            const std::complex<double>*);
template std::vector<Shell> energy_spectrum(Transport&, const fft::Size3&, const fft::Box&, bool,
                                            const std::complex<float>*);

void write_spectrum(Transport& world, const std::filesystem::path& path, const std::vector<Shell>& shells) {
  on_root(world, [&] {
    WholeFile file(path);
    file.stream() << "wave,energy,waves\n";
    for (std::size_t k = 0; k < shells.size(); ++k)
      file.stream() << fmt::format("{},{:.12g},{:.0f}\n", k, shells[k].energy, shells[k].waves);
    file.finish();
  });
}

}  // namespace weft::fft_program
