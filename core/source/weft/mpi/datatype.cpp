// SPDX-License-Identifier: BSD-3-Clause
#include "weft/mpi/datatype.hpp"

#include <limits>
#include <vector>

#include "weft/mpi/check.hpp"

namespace weft::mpi {
namespace {

// Replaces a type by one that contains it.
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
    return MPI_Type_create_hindexed_block(narrow(places.size(), "An index"), 1, places.data(), inner, outer);
  });
}

// From the inside out, in the order in which the region is packed.
MPI_Datatype type_of(const RegionLayout& layout) {
  MPI_Datatype type = type_of_run(layout.run_bytes);
  if (layout.offsets_innermost) repeat_at(type, layout.offsets);
  for (std::size_t d = layout.loops.size(); d-- > 0;) {
    const auto& loop = layout.loops[d];
    wrap(type, "MPI_Type_create_hvector", [&](MPI_Datatype inner, MPI_Datatype* outer) {
      const auto stride = static_cast<MPI_Aint>(loop.stride_bytes);
      return MPI_Type_create_hvector(narrow(loop.count, "A loop"), 1, stride, inner, outer);
    });
  }
  if (!layout.offsets_innermost) repeat_at(type, layout.offsets);
  return type;
}

}  // namespace

// MPI-3 counts with int: a run that is too long for it is split into blocks of 1 GiB and a rest.
MPI_Datatype type_of_run(std::size_t bytes) {
  constexpr std::size_t block_bytes = std::size_t{1} << 30;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (bytes <= static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    check(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type), "MPI_Type_contiguous");
    return type;
  }
  MPI_Datatype block = MPI_DATATYPE_NULL;
  check(MPI_Type_contiguous(static_cast<int>(block_bytes), MPI_BYTE, &block), "MPI_Type_contiguous");
  const auto blocks = bytes / block_bytes;
  const int counts[] = {narrow(blocks, "A run"), static_cast<int>(bytes % block_bytes)};
  const MPI_Aint places[] = {0, static_cast<MPI_Aint>(blocks * block_bytes)};
  const MPI_Datatype types[] = {block, MPI_BYTE};
  const int code = MPI_Type_create_struct(2, counts, places, types, &type);
  MPI_Type_free(&block);
  check(code, "MPI_Type_create_struct");
  return type;
}

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
  const int count = narrow(types.size(), "A message");
  const int code = MPI_Type_create_struct(count, ones.data(), places.data(), types.data(), &type_);
  for (auto& type : types) MPI_Type_free(&type);
  check(code, "MPI_Type_create_struct");
  check(MPI_Type_commit(&type_), "MPI_Type_commit");
}

Datatype::~Datatype() {
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (finalised == 0 && type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
}

}  // namespace weft::mpi
