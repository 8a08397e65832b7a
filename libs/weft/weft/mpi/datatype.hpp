// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

#include "weft/transport/region.hpp"

namespace weft::mpi {

/// A run of any number of bytes, not committed. The caller frees it.
MPI_Datatype type_of_run(std::size_t bytes);

/// What lies in some regions, one after the other, as one committed datatype over absolute addresses: for one element
/// of it at MPI_BOTTOM. A request holds what it needs of it, so a persistent one may outlive this object. Move-only.
class Datatype {
 public:
  /// The regions' memory must stay in place as long as the datatype is used. Throws mpi::Error if MPI refuses.
  explicit Datatype(std::span<const Region> regions);
  /// Leaves `other` without a datatype.
  Datatype(Datatype&& other) noexcept : type_(other.type_) { other.type_ = MPI_DATATYPE_NULL; }
  Datatype& operator=(Datatype&&) = delete;
  ~Datatype();

  /// Valid as long as this object.
  MPI_Datatype handle() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace weft::mpi
