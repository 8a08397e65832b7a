// SPDX-License-Identifier: BSD-3-Clause
#include "fortran/array.hpp"

namespace weft::fortran {
namespace {

/// An array of one dimension, or of two, of which one has the components. `components_are`: 1 in the first, 2 in the
/// last.
weft_values values_of(const void* descriptor, int rank, int type, int components_are, const std::string& what) {
  const auto array = array_of(descriptor, rank, type, what);
  if (rank != 1 && rank != 2)
    refuse(what + " is an array of rank " + std::to_string(rank) +
           ". Pass one of one dimension, or of two, of which one has the components.");
  const auto length = static_cast<std::int64_t>(array.length);
  weft_values values{};
  values.size = sizeof values;
  values.data = array.data;
  values.type = array.type;
  values.count = array.count() == 0 ? 0 : 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
    if (array.stride[d] < 0 || array.stride[d] % length != 0)
      refuse(what + " is a section that weft can't describe. Pass the whole array, or a section that runs forwards.");
    const auto stride = static_cast<std::size_t>(array.stride[d] / length);
    if (values.count > 0) values.count += static_cast<std::size_t>(array.extent[d] - 1) * stride;
    if (rank == 2 && d == (components_are == 1 ? 0 : 1)) {
      values.components = static_cast<std::size_t>(array.extent[d]);
      values.component_stride = stride;
    } else {
      values.stride = stride;
    }
  }
  return values;
}

}  // namespace

extern "C" {

/// Adds the parts of a field on a graph: to the copies, or to the owners, combined by `op` (0: not).
WEFT_API int weft_fortran_graph(weft_graph graph, weft_requests list, int to_owners, std::int64_t key,
                                const void* owned, int owned_rank, const void* copies, int copies_rank, int type,
                                int components_are, std::intptr_t op, int in_any_order, int round, weft_part* parts) {
  return call([&] {
    const auto own = values_of(owned, owned_rank, type, components_are, "The array of owned values");
    const auto copied = values_of(copies, copies_rank, type, components_are, "The array of copies");
    const auto id = static_cast<std::uint64_t>(key);
    return to_owners != 0 ? weft_graph_to_owners(graph, list, id, &copied, &own, reinterpret_cast<weft_op>(op),
                                                 in_any_order, round, parts)
                          : weft_graph_to_copies(graph, list, id, &own, &copied, round, parts);
  });
}
}

}  // namespace weft::fortran
