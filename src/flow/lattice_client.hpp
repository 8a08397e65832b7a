// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "flow/case.hpp"
#include "flow/scaling.hpp"
#include "lattice/sparse_lattice.hpp"
#include "weft/step/client.hpp"

namespace weft::flow {

/// The lattice as a client of the step: edge sites are updated before the exchange, interior sites during it.
///
/// What crosses to a peer is one contiguous part each way, so it is sent from and received to where it lies.
class LatticeClient final : public Client {
 public:
  /// `observes(n)`: whether step n gathers the monitors' values and the fields. All are borrowed.
  LatticeClient(lattice::SparseLattice& lattice, const Case& c, const Scaling& scaling,
                std::function<bool(std::int64_t)> observes);

  void request(Requests& requests) override;
  void before(Step& step) override;
  void during(Step& step) override;
  void after(Step& step) override;

  const lattice::SparseLattice& lattice() const { return lattice_; }
  /// The step that was observed last and the one before it; -1: none.
  std::int64_t observed_step() const { return observed_; }
  std::int64_t observed_before() const { return observed_before_; }

 private:
  lattice::SparseLattice& lattice_;
  const Case& case_;
  const Scaling& scaling_;
  std::function<bool(std::int64_t)> observes_;
  bool observe_ = false;
  std::int64_t observed_ = -1, observed_before_ = -1;
};

}  // namespace weft::flow
