// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

#include "weft/transport/region.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace mpi {

/// A datatype of a run of any number of bytes, not committed. The caller frees it.
MPI_Datatype type_of_run(std::size_t bytes);

/// A committed datatype of several regions, one after the other, with absolute addresses: use one element of it at
/// MPI_BOTTOM. MPI keeps what a request needs, so a persistent request may outlive this object. Move-only.
class Datatype {
 public:
  /// The regions' memory must not move while the datatype is in use. Throws mpi::Error if MPI refuses.
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

/// The memory of a part, from an MPI datatype, which may be freed afterwards: bytes without a type of their own, those
/// that `count` items of it at `data` consist of, in the order in which MPI sends them. With absolute addresses `data`
/// is MPI_BOTTOM. Throws an Error for a datatype whose layout MPI does not tell (of MPI_Type_create_darray, of
/// Fortran's parametrised types, and pairs such as MPI_DOUBLE_INT).
Region region(void* data, std::size_t count, MPI_Datatype datatype, bool writable = true);
/// The same for memory that is sent only.
inline Region region(const void* data, std::size_t count, MPI_Datatype datatype) {
  return region(const_cast<void*>(data), count, datatype, false);
}

}  // namespace mpi
}  // namespace weft
