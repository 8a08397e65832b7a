// SPDX-License-Identifier: BSD-3-Clause
#include "wave/start.hpp"

#include <cmath>
#include <numbers>

#include "wave/kernels.hpp"

namespace weft::wave {
namespace {

using std::numbers::pi;

double square(double x) { return x * x; }

// d'Alembert: r u is a sum of outgoing and incoming waves.
State sphere(const Pulse& pulse, double r, double ct, double speed) {
  const double w2 = square(pulse.width);
  const auto g = [&](double s) { return std::exp(-s * s / w2); };
  const double a = r - ct, b = r + ct;
  if (r < 1e-3 * pulse.width) {  // the limit: d/ds of s g(s) at ct
    const double gs = g(ct), x = ct * ct / w2;
    return {gs * (1 - 2 * x), speed * ct / w2 * gs * (4 * x - 6)};
  }
  const auto dsg = [&](double s) { return g(s) * (1 - 2 * s * s / w2); };
  return {(a * g(a) + b * g(b)) / (2 * r), speed * (dsg(b) - dsg(a)) / (2 * r)};
}

State state_of(const Pulse& pulse, const amr::Domain& domain, double speed, const std::array<double, 3>& x,
               double time) {
  State s;
  switch (pulse.shape) {
    case Pulse::Shape::gaussian: {
      const double r = std::hypot(x[0] - pulse.centre[0], x[1] - pulse.centre[1], x[2] - pulse.centre[2]);
      s = sphere(pulse, r, speed * time, speed);
      break;
    }
    case Pulse::Shape::front: {
      const auto& d = pulse.direction;
      const double length = std::hypot(d[0], d[1], d[2]);
      double along = -speed * time;
      for (std::size_t a = 0; a < 3; ++a) along += d[a] / length * (x[a] - pulse.centre[a]);
      s.u = std::exp(-square(along / pulse.width));
      s.v = s.u * 2 * along * speed / square(pulse.width);
      break;
    }
    case Pulse::Shape::plane: {
      double phase = 0, k2 = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        const double k = 2 * pi * pulse.waves[a] / domain.size(a);
        phase += k * (x[a] - domain.low[a]);
        k2 += k * k;
      }
      const double omega = speed * std::sqrt(k2);
      s = {std::cos(phase - omega * time), omega * std::sin(phase - omega * time)};
      break;
    }
    case Pulse::Shape::standing: {
      double product = 1, k2 = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        if (pulse.waves[a] == 0) continue;
        const double k = pi * pulse.waves[a] / domain.size(a);
        product *= std::sin(k * (x[a] - domain.low[a]));
        k2 += k * k;
      }
      const double omega = speed * std::sqrt(k2);
      s = {product * std::cos(omega * time), -omega * product * std::sin(omega * time)};
      break;
    }
  }
  return {pulse.amplitude * s.u, pulse.amplitude * s.v};
}

}  // namespace

State exact(std::span<const Pulse> pulses, const amr::Domain& domain, double speed, const std::array<double, 3>& x,
            double time) {
  State sum;
  for (const auto& pulse : pulses) {
    const auto s = state_of(pulse, domain, speed, x, time);
    sum.u += s.u;
    sum.v += s.v;
  }
  return sum;
}

State exact_average(std::span<const Pulse> pulses, const amr::Domain& domain, double speed,
                    const std::array<double, 3>& x, double spacing, double time) {
  const double d = spacing / (2 * std::numbers::sqrt3);
  State sum;
  for (int corner = 0; corner < 8; ++corner) {
    auto at = x;
    for (std::size_t a = 0; a < 3; ++a) at[a] += (corner >> a & 1) != 0 ? d : -d;
    const auto s = exact(pulses, domain, speed, at, time);
    sum.u += s.u / 8;
    sum.v += s.v / 8;
  }
  return sum;
}

void set_exact(amr::Hierarchy& hierarchy, std::span<const Pulse> pulses, double speed, double time) {
  const int n = hierarchy.shape().n;
  for (int level = 0; level < hierarchy.levels(); ++level)
    for (const auto& block : hierarchy.local(level))
      for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j)
          for (int i = 0; i < n; ++i) {
            const auto s = exact_average(pulses, hierarchy.domain(), speed, hierarchy.centre(block.key, i, j, k),
                                         hierarchy.domain().spacing_of(level), time);
            block.cell(u, i, j, k) = s.u;
            block.cell(v, i, j, k) = s.v;
          }
}

}  // namespace weft::wave
