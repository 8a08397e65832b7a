// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "weft/exchange/exchange.hpp"
#include "weft/halo/halo.hpp"
#include "weft/mpi/communicator.hpp"

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
/// layer, a grid that is periodic along its three axes. Data for this rank itself are copied within the array.
/// The field is an array_of_structures or structure_of_arrays, row-major, of doubles or floats.
///
/// by_dimension: three rounds, each with MPI_Irecv, packing, MPI_Isend, MPI_Waitall, unpacking, all in finish()
/// (Ludwig's first scheme). at_once: 26 messages that start() posts and finish() completes (its non-blocking scheme).
/// datatypes: the same 26 by persistent requests and MPI's subarray types, without packing.
std::unique_ptr<HaloMethod> make_baseline_by_dimension(MPI_Comm comm, const CartesianGrid& grid, const Field& field);
std::unique_ptr<HaloMethod> make_baseline_at_once(MPI_Comm comm, const CartesianGrid& grid, const Field& field);
std::unique_ptr<HaloMethod> make_baseline_datatypes(MPI_Comm comm, const CartesianGrid& grid, const Field& field);

enum class Layout : unsigned char { aos, soa };
inline constexpr Names<Layout> layout_names("layout", {{Layout::aos, "aos"}, {Layout::soa, "soa"}});

/// A periodic grid in which each rank has a block of this size.
CartesianGrid grid_of_blocks(const Transport& transport, const Index& block);

/// The populations of a D3Q19 lattice on this rank's block, with one layer of ghosts.
class Populations {
 public:
  Populations(const CartesianGrid& grid, Layout layout, std::size_t element_bytes);
  Field field();
  /// Bytes of all ghosts of the block, in 26 regions.
  std::size_t halo_bytes() const { return halo_bytes_; }

 private:
  Layout layout_;
  std::size_t element_bytes_, halo_bytes_;
  std::vector<double> memory_;
};

/// A method to fill the ghosts, with a name such as "direct reduced per_peer" or "baseline by_dimension".
struct HaloVariant {
  std::string name;
  HaloOptions::Scheme scheme;
  HaloOptions::Payload payload;
  bool is_baseline = false;
  std::function<std::unique_ptr<HaloMethod>(mpi::Communicator&, const CartesianGrid&, const Field&,
                                            std::shared_ptr<Progress>)>
      make;
};

/// weft's exchange with these settings.
HaloVariant weft_variant(HaloOptions::Scheme scheme, HaloOptions::Payload payload, const std::string& how,
                         std::function<void(ExchangeOptions&)> set);
/// Only the messages of the direct scheme, without packing and copies, to measure the cost of the network.
HaloVariant bare_variant(HaloOptions::Payload payload);
/// Plain MPI: by_dimension, at once, and datatypes.
std::vector<HaloVariant> baselines();
/// The baselines, and weft with all schemes, payloads and settings of messages.
std::vector<HaloVariant> all_variants(const Transport& transport, const std::vector<HaloOptions::Scheme>& schemes);

}  // namespace weft::bench
