// SPDX-License-Identifier: BSD-3-Clause
#include "fortran/array.hpp"

namespace weft::fortran {

extern "C" {

/// Adds a field to a halo: its array has the points of the block (`points` along each axis) with `layers` ghost points
/// on each side, and perhaps one more dimension, first or last, for its components. `op`: how a reverse halo combines;
/// 0: not.
WEFT_API int weft_fortran_halo_add(weft_halo halo, int dimensions, const std::int64_t* points, int layers,
                                   int components_are, int reads, int moves, const int* velocities, const char* name,
                                   std::intptr_t op, weft_device device, const void* array, int rank, int* number) {
  return call([&] {
    const std::string what = "The field '" + std::string(name) + "'";
    const auto field = array_of(array, rank, -1, what);
    std::string shape;
    for (int d = 0; d < dimensions; ++d) shape += (d > 0 ? " x " : "") + std::to_string(points[d] + 2 * layers);
    const auto has_points_from = [&](int from) {
      for (int d = 0; d < dimensions; ++d)
        if (field.extent[static_cast<std::size_t>(from + d)] != points[d] + 2 * layers) return false;
      return true;
    };
    // components: 0 none, 1 in the first dimension, 2 in the last one
    const bool can_be_first = rank == dimensions + 1 && components_are != 2 && has_points_from(1);
    const bool can_be_last = rank == dimensions + 1 && components_are != 1 && has_points_from(0);
    if (can_be_first && can_be_last)
      refuse(what + " may have its components first or last. Say components=weft_first or components=weft_last.");
    if (!can_be_first && !can_be_last && !(rank == dimensions && has_points_from(0))) {
      std::string given;
      for (int d = 0; d < rank; ++d)
        given += (d > 0 ? " x " : "") + std::to_string(field.extent[static_cast<std::size_t>(d)]);
      refuse(what + " has " + given + " elements, but the block with its ghost points has " + shape +
             " points. Allocate the array with ghost points on both sides, and the components in a dimension of their "
             "own, first or last.");
    }
    const std::size_t first = can_be_first ? 1 : 0;  // dimension of the first axis
    const auto length = static_cast<std::int64_t>(field.length);
    const auto last = first + static_cast<std::size_t>(dimensions);
    weft_field options{};
    options.size = sizeof options;
    options.data = field.data;
    options.device = device;
    options.type = field.type;
    options.order = WEFT_COLUMN_MAJOR;
    const auto site = field.stride[first] / length;
    options.site_stride = static_cast<std::size_t>(site);
    bool fits = field.stride[first] % length == 0 && site > 0;
    std::int64_t row = field.extent[first];
    if (fits && dimensions > 1) {
      row = field.stride[first + 1] / field.stride[first];
      fits = field.stride[first + 1] % field.stride[first] == 0 && row >= field.extent[first];
      if (row != field.extent[first]) options.pitch = static_cast<std::size_t>(row);
    }
    std::int64_t dense = field.stride[first] * row;
    for (auto d = first + 1; d < last; ++d) {
      fits = fits && field.stride[d] == dense;
      dense *= field.extent[d];
    }
    if (rank > dimensions) {
      const std::size_t component = can_be_first ? 0 : last;
      options.components = static_cast<std::size_t>(field.extent[component]);
      options.component_stride = static_cast<std::size_t>(field.stride[component] / length);
      fits = fits && field.stride[component] > 0 && field.stride[component] % length == 0;
    }
    if (!fits) refuse(what + " is a section with gaps that weft can't describe. Pass the whole array.");
    options.layers = static_cast<std::size_t>(layers);
    options.reads = reads;
    options.moves = moves;
    options.velocities = reinterpret_cast<const int(*)[3]>(velocities);
    options.name = name;
    std::size_t at = 0;
    const int code = op == 0 ? weft_halo_add(halo, &options, &at)
                             : weft_halo_add_combine(halo, &options, reinterpret_cast<weft_op>(op), &at);
    if (code == WEFT_OK) *number = static_cast<int>(at) + 1;
    return code;
  });
}

/// Gives another address to a field of a halo: in a manager (with the client's name), or in a halo exchange.
WEFT_API int weft_fortran_rebind_field(int in_manager, void* object, const char* name, int field, const void* array,
                                       int rank) {
  return call([&] {
    const auto memory = array_of(array, rank, -1, "The field");
    const auto number = static_cast<std::size_t>(field - 1);
    return in_manager != 0
               ? weft_step_manager_rebind_field(static_cast<weft_step_manager>(object), name, number, memory.data)
               : weft_halo_exchange_rebind(static_cast<weft_halo_exchange>(object), number, memory.data);
  });
}
}

}  // namespace weft::fortran
