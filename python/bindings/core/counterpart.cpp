// SPDX-License-Identifier: BSD-3-Clause
//
// The heat equation of examples/python/heat.py in C++, with which `python -m weft.bench` compares the one in Python.
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/bind.hpp"
#include "core/end.hpp"
#include "core/options.hpp"
#include "core/world.hpp"
#include "weft/clock.hpp"
#include "weft/halo/halo_exchange.hpp"

namespace weft::python {
namespace {

/// A periodic square of float64, with a halo of width 1.
class Counterpart final : public Live {
 public:
  Counterpart(std::size_t points, const nb::dict& keywords) : transport_(transport_of(nb::none())) {
    Options options;
    options.take(keywords, "Counterpart");
    const CartesianGrid grid(*transport_, {.extent = {points, points}, .periodic = {true, true}});
    now_.assign((grid.block().count[0] + 2) * (grid.block().count[1] + 2), 0.0);
    next_ = now_;
    row_ = grid.block().count[1] + 2;
    halo_.emplace(grid, HaloOptions{.width = 1});
    auto field = scalar(now_.data());
    field.moves = true;
    halo_->add(field);
    const nb::gil_scoped_release released;
    exchange_.emplace(*transport_, *halo_, options.of_exchange(*transport_));
  }
  ~Counterpart() override { close(); }
  void close() override { exchange_.reset(); }

  /// Seconds of `count` steps. The points are computed `sweeps` times, to last as long as in Python.
  double steps(std::size_t count, std::size_t sweeps, double coefficient, bool communicates, bool computes) {
    const nb::gil_scoped_release released;
    const auto interior = halo_->interior();
    const auto boundary = halo_->boundary();
    const auto from = now_seconds();
    for (std::size_t k = 0; k < count; ++k) {
      if (communicates) exchange_.value().start();
      for (std::size_t s = 0; s < sweeps && computes; ++s) compute(interior, coefficient, communicates);
      if (communicates) exchange_.value().finish();
      for (std::size_t s = 0; s < sweeps && computes; ++s)
        for (const auto& box : boundary) compute(box, coefficient, false);
      std::swap(now_, next_);
      exchange_.value().rebind(0, now_.data());
    }
    return now_seconds() - from;
  }

 private:
  // Progress is made after every 16 rows, as in Python.
  void compute(const Box& box, double coefficient, bool is_in_flight) {
    const auto above = static_cast<std::ptrdiff_t>(row_);
    for (auto x = box.first[0] + 1; x <= box.first[0] + box.count[0]; ++x) {
      const double* u = now_.data() + x * row_;
      double* out = next_.data() + x * row_;
      for (auto y = box.first[1] + 1; y <= box.first[1] + box.count[1]; ++y) {
        const double* p = u + y;
        out[y] = p[0] + coefficient * (p[-above] + p[above] + p[-1] + p[1] - 4 * p[0]);
      }
      if (is_in_flight && (x - box.first[0]) % 16 == 0) exchange_->progress();
    }
  }

  std::shared_ptr<mpi::Communicator> transport_;
  std::vector<double> now_, next_;
  std::size_t row_ = 0;
  std::optional<Halo> halo_;
  std::optional<HaloExchange> exchange_;
};

}  // namespace

void bind_counterpart(nb::module_& m) {
  nb::class_<Counterpart>(m, "_Counterpart")
      .def(
          "__init__",
          [](Counterpart* self, std::size_t points, nb::kwargs keywords) { new (self) Counterpart(points, keywords); },
          nb::arg("points"), nb::arg("options"))
      .def("steps", &Counterpart::steps, nb::arg("count"), nb::arg("sweeps"), nb::arg("coefficient"),
           nb::arg("communicates") = true, nb::arg("computes") = true)
      .def("close", &Counterpart::close);
}

}  // namespace weft::python
