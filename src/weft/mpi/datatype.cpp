// SPDX-License-Identifier: BSD-3-Clause
#include "weft/mpi/datatype.hpp"

#include <vector>

#include "weft/mpi/check.hpp"

namespace weft::mpi {
namespace {

// Replaces a type by one that is made of it.
template <class Make>
void wrap(MPI_Datatype& type, const char* call, const Make& make) {
  MPI_Datatype outer = MPI_DATATYPE_NULL;
  check(make(type, &outer), call);
  MPI_Type_free(&type);
  type = outer;
}

void repeat_at(MPI_Datatype& type, std::span<const std::size_t> offsets) {
  if (offsets.empty()) return;
  const std::vector<MPI_Aint> places(offsets.begin(), offsets.end());
  wrap(type, "MPI_Type_create_hindexed_block", [&](MPI_Datatype inner, MPI_Datatype* outer) {
    return MPI_Type_create_hindexed_block(narrow(places.size(), "an index"), 1, places.data(), inner, outer);
  });
}

// From the inside out, in the order in which the region is packed.
MPI_Datatype type_of(const Layout& layout) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_contiguous(narrow(layout.run_bytes, "a run"), MPI_BYTE, &type), "MPI_Type_contiguous");
  if (layout.offsets_innermost) repeat_at(type, layout.offsets);
  for (std::size_t d = layout.loops.size(); d-- > 0;) {
    const auto& loop = layout.loops[d];
    wrap(type, "MPI_Type_create_hvector", [&](MPI_Datatype inner, MPI_Datatype* outer) {
      const auto stride = static_cast<MPI_Aint>(loop.stride_bytes);
      return MPI_Type_create_hvector(narrow(loop.count, "a loop"), 1, stride, inner, outer);
    });
  }
  if (!layout.offsets_innermost) repeat_at(type, layout.offsets);
  return type;
}

}  // namespace

Datatype::Datatype(std::span<const Region> regions) {
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Aint> places;
  for (const auto& region : regions) {
    if (region.bytes() == 0) continue;
    const auto layout = region.layout();
    types.push_back(type_of(layout));
    check(MPI_Get_address(layout.base, &places.emplace_back()), "MPI_Get_address");
  }
  const std::vector<int> ones(types.size(), 1);
  const int count = narrow(types.size(), "a message");
  const int code = MPI_Type_create_struct(count, ones.data(), places.data(), types.data(), &type_);
  for (auto& type : types) MPI_Type_free(&type);
  check(code, "MPI_Type_create_struct");
  check(MPI_Type_commit(&type_), "MPI_Type_commit");
}

Datatype::~Datatype() {
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (!finalised && type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
}

}  // namespace weft::mpi
