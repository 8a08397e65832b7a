// SPDX-License-Identifier: BSD-3-Clause
#include "weft/halo/halo.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>
#include <optional>
#include <utility>

#include "core/bind.hpp"
#include "core/options.hpp"
#include "core/own_exchange.hpp"
#include "core/repr.hpp"
#include "core/world.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/tune/grid.hpp"

namespace weft::python {
namespace {

/// weft.CartesianGrid.
struct PyGrid {
  std::shared_ptr<mpi::Communicator> transport;
  CartesianGrid grid;
};

nb::object slice(std::size_t first, std::size_t last) {
  return nb::steal(PySlice_New(nb::int_(first).ptr(), nb::int_(last).ptr(), nullptr));
}

template <class T>
nb::tuple tuple_of(const T& values, std::size_t count) {
  nb::list all;
  for (std::size_t k = 0; k < count; ++k) all.append(values[k]);
  return nb::tuple(all);
}

// One array of a field: where its axes are.
struct Placed {
  Memory memory;
  std::size_t first_axis = 0;               // of the grid's axes; those before and behind are of components
  std::vector<std::size_t> layers;          // ghost points on each side, along the grid's axes
  std::vector<std::size_t> component_axes;  // outermost first
  std::size_t components = 1;
};

Placed place(const CartesianGrid& grid, Memory memory, std::size_t width, const std::string& who) {
  const auto n = grid.dimensions();
  const auto fits = [&](std::size_t first, bool exactly) {
    for (std::size_t a = 0; a < n; ++a) {
      const auto has = memory.shape[first + a], least = grid.block().count[a] + 2 * width;
      if (exactly ? has != least : has < least || (has - least) % 2 != 0) return false;
    }
    return true;
  };
  Placed p;
  const auto axes = memory.shape.size();
  if (memory.elements() == 0)
    throw InputError(who + " has no elements (an axis of length 0). Give an array with some.");
  std::optional<std::size_t> first;
  for (const bool exactly : {true, false}) {  // components may fit as thicker layers
    if (!first && axes >= n && fits(0, exactly)) first = 0;
    if (!first && axes > n && fits(axes - n, exactly)) first = axes - n;
  }
  if (!first) {
    std::string shape, wanted;
    for (const auto s : memory.shape) shape += (shape.empty() ? "" : ", ") + std::to_string(s);
    for (std::size_t a = 0; a < n; ++a)
      wanted += (a == 0 ? "" : ", ") + std::to_string(grid.block().count[a] + 2 * width);
    throw InputError(who + " has the shape (" + shape + "), which is not this rank's block with " +
                     std::to_string(width) + " ghost points on each side. Give an array of shape (" + wanted +
                     "), or with further axes for components behind or before these.");
  }
  p.first_axis = *first;
  for (std::size_t a = 0; a < n; ++a) p.layers.push_back((memory.shape[*first + a] - grid.block().count[a]) / 2);
  for (std::size_t a = 0; a < axes; ++a)
    if (a < *first || a >= *first + n) {
      p.component_axes.push_back(a);
      p.components *= memory.shape[a];
    }
  for (std::size_t a = 0; a < axes; ++a)
    if (memory.shape[a] > 1 && memory.strides[a] <= 0)
      throw InputError(
          who + ": Axis " + std::to_string(a) +
          " of the array is reversed or repeats one element (its stride is not positive). Give the array in "
          "its memory's order.");
  p.memory = std::move(memory);
  return p;
}

// The axes in the order of the memory, outermost first, as one number: the same on all ranks.
std::vector<std::size_t> order_of_axes(const Placed& p) {
  std::vector<std::size_t> order(p.memory.shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p.memory.strides[a] > p.memory.strides[b]; });
  return order;
}

Region region_in(const Placed& p, const Box& box, const std::vector<std::size_t>& components, std::size_t width,
                 std::size_t dimensions) {
  auto* base = p.memory.data;
  const auto is_all = components.size() == p.components;
  const auto stride = [&](std::size_t axis) { return static_cast<std::size_t>(p.memory.strides[axis]); };
  std::vector<Loop> loops;
  std::size_t smallest = ~std::size_t{0};
  for (const auto axis : order_of_axes(p)) {
    if (axis >= p.first_axis && axis < p.first_axis + dimensions) {
      const auto a = axis - p.first_axis;
      base += (box.first[a] + p.layers[a] - width) * stride(axis);
      loops.push_back({box.count[a], stride(axis)});
      smallest = std::min(smallest, stride(axis));
    } else if (is_all) {
      loops.push_back({p.memory.shape[axis], stride(axis)});
    }
  }
  if (is_all) {
    std::erase_if(loops, [](const Loop& loop) { return loop.count == 1; });
    if (loops.empty()) return make_contiguous(base, p.memory.item, true).as(p.memory.code()).on(p.memory.device);
    return make_strided(base, p.memory.item, loops, true).as(p.memory.code()).on(p.memory.device);
  }
  std::vector<std::size_t> offsets;
  for (auto c : components) {
    std::size_t offset = 0;
    for (std::size_t k = p.component_axes.size(); k-- > 0; c /= p.memory.shape[p.component_axes[k]])
      offset += c % p.memory.shape[p.component_axes[k]] * stride(p.component_axes[k]);
    offsets.push_back(offset);
  }
  const bool innermost = offsets.empty() || stride(p.component_axes.back()) < smallest;
  return make_strided(base, p.memory.item, loops, true, offsets, innermost).as(p.memory.code()).on(p.memory.device);
}

/// weft.Halo: the pattern, and an exchange of its own once it is started.
class PyHalo : public OwnExchange {
 public:
  PyHalo(const PyGrid& grid, const std::vector<nb::object>& fields, const HaloOptions& how,
         const std::vector<Direction>& velocities, bool faces, const std::string& combine, Options options)
      : OwnExchange("A halo", "halo"), transport_(grid.transport), halo_(grid.grid, how), options_(std::move(options)) {
    check_not_ended();
    std::uint64_t code = 0;
    std::exception_ptr problem;  // of this rank alone, perhaps: the other ranks must not wait for it
    try {
      code = place_fields(grid, fields, how, velocities, faces, combine);
    } catch (...) {
      problem = std::current_exception();
    }
    std::array<std::uint64_t, 3> most{code, ~code, problem ? 1U : 0U};
    {
      const nb::gil_scoped_release released;
      most = all_reduce(*transport_, most, maximum<std::uint64_t>());
    }
    if (problem) std::rethrow_exception(problem);
    if (most[2] != 0)
      throw PeerError(
          "The halo can't be made (a field of another rank is refused). See the error message of that rank.");
    if (most[0] != ~most[1])
      throw Error(
          "The fields of a halo have different memory orders on different ranks, other axes of components, or another "
          "number of arrays. Give arrays of the same number, axes and order on all ranks.",
          true);
  }

  void request(const PyRequests& target) const {
    auto* requests = target.list->requests;
    if (requests == nullptr) throw Error("This list of requests is closed. Use the list that request() gives.");
    if (target.list->transport != transport_.get())
      throw InputError(
          "The grid of the halo has another communicator than the exchange or step manager, so its ranks would be "
          "taken "
          "for others. Make both with the same communicator.");
    Requests plain("halo", 0);
    halo_.request(plain);
    requests->agree_on(plain.agreed());
    std::size_t at = 0;
    for (std::size_t f = 0; f < fields_.size(); ++f)
      for (const auto& t : halo_.transfers(f))
        for (const bool sends : {true, false}) {
          const auto& components = sends ? t.send_components : t.receive_components;
          if (components.empty()) continue;
          const auto& of_core = plain.list()[at++];
          std::vector<Region> regions;
          std::vector<nb::object> keep;
          for (const auto& array : fields_[f]) {
            regions.push_back(region_in(array, sends ? t.send : t.receive, components, halo_.options().layers(),
                                        halo_.grid().dimensions()));
            keep.push_back(array.memory.keeper);
          }
          Buffers buffers(std::move(regions));
          if (!target.list->device) target.list->device = buffers.device();
          const Part part =
              sends ? Part(requests->send(of_core.peer, of_core.key, std::move(buffers), of_core.round))
                    : Part(requests->receive(
                          of_core.peer, of_core.key, std::move(buffers),
                          {.combine = of_core.combine, .round = of_core.round, .in_any_order = of_core.in_any_order}));
          target.list->kept[part.index] = std::move(keep);
        }
  }

  void commit() {
    if (has_exchange()) return;
    auto core = std::make_shared<ExchangeCore>(transport_, options_);
    request(PyRequests{core->client("halo")});
    OwnExchange::commit(std::move(core));
  }

  void start(std::uint64_t buffer_index, nb::object stream) {
    commit();
    OwnExchange::start(buffer_index, std::move(stream));
  }
  // An array that the halo does not have is an error of this rank alone, perhaps: the others must not wait for it.
  void start_with(const nb::args& arrays, nb::object stream) {
    commit();
    std::uint64_t buffer_index = 0;
    try {
      buffer_index = index_of(arrays);
    } catch (const std::exception& error) {
      fail(error.what());
      throw;
    }
    start(buffer_index, std::move(stream));
  }
  double repeat(std::size_t count) {
    commit();
    return OwnExchange::repeat(count);
  }

  // `outside`: ghost points that the box counts.
  nb::tuple slices(const Box& box, std::size_t field, std::size_t outside = 0) const {
    if (field >= fields_.size())
      throw InputError("The halo has no field " + std::to_string(field) + " (it has " + std::to_string(fields_.size()) +
                       "). Give a number of a field, from 0.");
    const auto& p = fields_[field][0];
    nb::list all;
    for (std::size_t a = 0; a < p.first_axis; ++a) all.append(nb::steal(PySlice_New(nullptr, nullptr, nullptr)));
    for (std::size_t a = 0; a < halo_.grid().dimensions(); ++a) {
      const auto first = box.first[a] + p.layers[a] - outside;
      all.append(slice(first, first + box.count[a]));
    }
    return nb::tuple(all);
  }
  const Halo& halo() const { return halo_; }
  std::string describe() const { return halo_.describe() + OwnExchange::describe(); }

 private:
  // Returns a number for the memory orders of the fields, which must be the same on all ranks.
  std::uint64_t place_fields(const PyGrid& grid, const std::vector<nb::object>& fields, const HaloOptions& how,
                             const std::vector<Direction>& velocities, bool faces, const std::string& combine) {
    std::uint64_t code = fields.size();
    for (const auto& field : fields) {
      const auto who = "Field " + std::to_string(fields_.size()) + " of a halo";
      std::vector<nb::object> arrays;
      if (nb::isinstance<nb::tuple>(field) || nb::isinstance<nb::list>(field))
        for (const auto array : field) arrays.push_back(nb::borrow(array));
      else
        arrays.push_back(field);
      if (arrays.empty()) throw InputError(who + " has no array. Give one, or several to swap.");
      auto& placed = fields_.emplace_back();
      for (const auto& array : arrays) {
        placed.push_back(place(grid.grid, memory_of(array, true, who.c_str(), Where::anywhere), how.layers(), who));
        if (placed.back().components != placed[0].components || placed.back().memory.item != placed[0].memory.item)
          throw InputError(who + " has arrays of different shapes or types. Give arrays of one shape and dtype.");
        for (const auto axis : order_of_axes(placed.back())) code = code * 31 + axis;
        code = code * 31 + placed.back().first_axis;
        code = code * 31 + placed.size();
      }
      Field of_core{.element_bytes = placed[0].memory.item, .components = placed[0].components};
      of_core.velocities = velocities;
      if (!combine.empty()) of_core.combine = combine_of(combine, placed[0].memory);
      if (faces) of_core.reads = reads_faces();
      halo_.add(of_core);
    }
    return code;
  }
  // The index at which the given arrays lie: one of each field that has several.
  std::uint64_t index_of(const nb::args& arrays) const {
    if (arrays.size() == 1 && PyIndex_Check(arrays[0].ptr()) != 0 &&
        (!nb::hasattr(arrays[0], "ndim") || nb::cast<int>(arrays[0].attr("ndim")) == 0)) {  // an integer of numpy
      const nb::object whole = nb::steal(PyNumber_Index(arrays[0].ptr()));
      std::uint64_t buffer_index = 0;
      if (!whole.is_valid()) throw nb::python_error();
      if (!nb::try_cast(whole, buffer_index))
        throw InputError("The buffer index of start() is " + nb::cast<std::string>(nb::str(whole)) +
                         ". Give 0 or more.");
      return buffer_index;
    }
    std::vector<std::optional<std::size_t>> index(fields_.size());
    std::size_t number = 0;
    for (const auto array : arrays) {
      const auto who = "Array " + std::to_string(number++) + " of start()";
      const auto memory = memory_of(array, true, who.c_str(), Where::anywhere);
      bool is_known = false;
      for (std::size_t f = 0; f < fields_.size() && !is_known; ++f)
        for (std::size_t k = 0; k < fields_[f].size() && !is_known; ++k)
          if (is_known = is_same(fields_[f][k].memory, memory); is_known) index[f] = k;
      if (!is_known)
        throw InputError(who +
                         " is none of the halo's arrays: it has its own memory, as after `u = u + 1`, or is a part of "
                         "one. Give the array that the halo was made with, and change its elements (`u += 1`).");
    }
    std::optional<std::size_t> of_all;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      if (fields_[f].size() == 1) continue;
      if (!index[f])
        throw InputError("start() has no array of field " + std::to_string(f) + ", which has " +
                         std::to_string(fields_[f].size()) + ". Give one of each field that has several.");
      if (of_all && of_all != index[f])
        throw InputError("start() has array " + std::to_string(*of_all) + " of one field and array " +
                         std::to_string(*index[f]) +
                         " of another one. Give those of one index, or list the fields' arrays in the same order.");
      of_all = index[f];
    }
    return of_all.value_or(0);
  }
  static bool is_same(const Memory& a, const Memory& b) {
    return a.data == b.data && a.shape == b.shape && a.strides == b.strides && a.item == b.item;
  }

  std::shared_ptr<mpi::Communicator> transport_;
  Halo halo_;
  Options options_;
  std::vector<std::vector<Placed>> fields_;  // by field and buffer index
};

template <class T>
std::vector<T> per_axis(nb::handle value, std::size_t axes, const char* what) {
  std::vector<T> all;
  if constexpr (std::is_same_v<T, bool>) {
    if (const auto one = flag_of(value)) return std::vector<bool>(axes, *one);
    if (nb::isinstance<nb::str>(value) || !nb::hasattr(value, "__iter__")) return {flag(value, what)};
    for (const auto one : value) all.push_back(flag(one, what));
    if (all.size() != axes)
      throw InputError(std::string(what) + " has " + std::to_string(all.size()) + " values for " +
                       std::to_string(axes) + " axes. Give one for all axes, or one for each.");
    return all;
  }
  T one{};
  if (nb::try_cast(value, one)) return std::vector<T>(axes, one);
  if (!nb::try_cast(value, all))
    throw nb::type_error((std::string(what) + " is one value, or a sequence of values.").c_str());
  return all;
}

// The options of a grid; processes and rank_order may be words of a setting.
GridOptions grid_options(Transport& transport, std::vector<std::size_t> extent, nb::handle processes,
                         nb::handle periodic, std::vector<std::vector<std::size_t>> lengths, nb::handle rank_order) {
  const auto axes = extent.size();
  GridOptions options{.extent = std::move(extent),
                      .periodic = per_axis<bool>(periodic, axes, "periodic"),
                      .lengths = std::move(lengths)};
  Setting setting;
  if (!nb::try_cast(processes, setting["processes"])) {
    setting.erase("processes");
    if (!nb::try_cast(processes, options.processes))
      throw nb::type_error("processes is a sequence of whole numbers, or a word such as '4x2x1'.");
  }
  if (!nb::try_cast(rank_order, setting["rank_order"])) {
    setting.erase("rank_order");
    if (!nb::try_cast(rank_order, options.ranks))
      throw nb::type_error("rank_order is a sequence of ranks, or one of 'row_major' and 'by_node'.");
  }
  const nb::gil_scoped_release released;
  apply(setting, transport, options);
  return options;
}

#define WEFT_GRID_OPTIONS                                                                           \
  "extent: collections.abc.Sequence[int], *, processes: collections.abc.Sequence[int] | str = (), " \
  "periodic: bool | collections.abc.Sequence[bool] = False, "                                       \
  "lengths: collections.abc.Sequence[collections.abc.Sequence[int]] = (), "

void bind_grid(nb::module_& m) {
  nb::class_<PyGrid>(m, "CartesianGrid", R"(A grid of points, distributed in blocks over a grid of ranks.

Rank (i, j, k) of PX x PY x PZ owns the points [i * NX / PX, (i + 1) * NX / PX) along x, and so on.

Parameters
----------
extent : sequence of int
    Points along each axis; one to three axes.
processes : sequence of int or str, optional
    Ranks along each axis, such as ``(4, 2)`` or ``4x2``; 0, or left out: chosen for the least surface between blocks.
periodic : bool or sequence of bool
    Whether the last point's neighbour is the first, for all axes or for each.
lengths : sequence of sequences of int, optional
    The lengths of the blocks along each axis, one per rank, for a program with its own decomposition.
rank_order : {'row_major', 'by_node'} or sequence of int
    Which rank has which position in the grid of ranks: in the order of their numbers, the ranks of a node side by side
    (collective), or the rank at each position.
comm : communicator of mpi4py, int or None
    The ranks. None: all. Collective over it at its first use.

Raises
------
Error
    If there are not one to three axes, or the ranks can't be arranged so that each owns a point.)")
      .def(
          "__init__",
          [](PyGrid* self, std::vector<std::size_t> extent, const nb::object& processes, const nb::object& periodic,
             std::vector<std::vector<std::size_t>> lengths, const nb::object& rank_order, nb::object comm) {
            const auto transport = transport_of(comm);
            const auto options =
                grid_options(*transport, std::move(extent), processes, periodic, std::move(lengths), rank_order);
            new (self) PyGrid{transport, CartesianGrid(*transport, options)};
          },
          nb::arg("extent"), nb::kw_only(), nb::arg("processes") = nb::tuple(), nb::arg("periodic") = false,
          nb::arg("lengths") = std::vector<std::vector<std::size_t>>(), nb::arg("rank_order") = "row_major",
          nb::arg("comm") = nb::none(),
          nb::sig("def __init__(self, " WEFT_GRID_OPTIONS
                  "rank_order: typing.Literal['row_major', 'by_node'] | collections.abc.Sequence[int] = 'row_major', "
                  "comm: object | None = None) -> None"))
      .def_static(
          "candidates",
          [](std::vector<std::size_t> extent, const nb::object& processes, const nb::object& periodic,
             std::vector<std::vector<std::size_t>> lengths, std::size_t width, std::size_t most, nb::object comm) {
            const auto transport = transport_of(comm);
            const auto options = grid_options(*transport, std::move(extent), processes, periodic, std::move(lengths),
                                              nb::str("row_major"));
            std::vector<Setting> all;
            {
              const nb::gil_scoped_release released;
              all = grid_candidates(*transport, options, width, most);
            }
            return words_of(all);
          },
          nb::arg("extent"), nb::kw_only(), nb::arg("processes") = nb::tuple(), nb::arg("periodic") = false,
          nb::arg("lengths") = std::vector<std::vector<std::size_t>>(), nb::arg("width") = 1, nb::arg("most") = 8,
          nb::arg("comm") = nb::none(),
          nb::sig("def candidates(" WEFT_GRID_OPTIONS
                  "width: int = 1, most: int = 8, comm: object | None = None) -> list[" WEFT_SETTING "]"),
          R"(Return candidates for ``Tuning``: settings of ``processes`` and ``rank_order``, which a CartesianGrid takes as
keywords. Collective.

Parameters
----------
extent, processes, periodic, lengths, comm
    As for a CartesianGrid.
width : int
    The least points of a block along axes with neighbours.
most : int
    The largest number of process grids. The first is the usual one; the others send the fewest points, at most twice as
    many.

Returns
-------
list of dict of str)")
      .def_prop_ro(
          "dimensions", [](const PyGrid& g) { return g.grid.dimensions(); }, "The number of axes, 1 to 3.")
      .def_prop_ro(
          "extent", [](const PyGrid& g) { return tuple_of(g.grid.extent(), g.grid.dimensions()); },
          "Points of the whole grid along each axis.")
      .def_prop_ro(
          "processes", [](const PyGrid& g) { return tuple_of(g.grid.processes(), g.grid.dimensions()); },
          "Ranks along each axis.")
      .def_prop_ro(
          "coordinates", [](const PyGrid& g) { return tuple_of(g.grid.coordinates(), g.grid.dimensions()); },
          "The position of this rank in the grid of ranks.")
      .def_prop_ro(
          "rank", [](const PyGrid& g) { return g.grid.rank(); }, "This rank.")
      .def_prop_ro(
          "shape", [](const PyGrid& g) { return tuple_of(g.grid.block().count, g.grid.dimensions()); },
          "Points of this rank's block along each axis, without ghost points.")
      .def_prop_ro(
          "block",
          [](const PyGrid& g) {
            nb::list all;
            const auto block = g.grid.block();
            for (std::size_t a = 0; a < g.grid.dimensions(); ++a)
              all.append(slice(block.first[a], block.first[a] + block.count[a]));
            return nb::tuple(all);
          },
          "This rank's points as slices of the whole grid.")
      .def(
          "neighbour",
          [](const PyGrid& g, const std::vector<int>& direction) {
            Direction d{};
            const auto is_step = [](int n) { return n >= -1 && n <= 1; };
            if (direction.size() != g.grid.dimensions() || !std::ranges::all_of(direction, is_step))
              throw InputError("A direction of this grid is -1, 0 or 1 for each of its " +
                               std::to_string(g.grid.dimensions()) + " axes. Give these numbers.");
            std::copy(direction.begin(), direction.end(), d.begin());
            return g.grid.neighbour(d);
          },
          nb::arg("direction"),
          R"(Return the rank that owns the block in this direction (-1, 0 or 1 along each axis), perhaps this rank; None
beyond the edge of the grid.)")
      .def(
          "at_edge",
          [](const PyGrid& g, std::size_t axis, int side) {
            if (axis >= g.grid.dimensions() || (side != -1 && side != 1))
              throw InputError("at_edge() has axis " + std::to_string(axis) + " and side " + std::to_string(side) +
                               ". Give an axis from 0 to " + std::to_string(g.grid.dimensions() - 1) +
                               ", and -1 (the first points) or 1 (the last).");
            return !g.grid.has_neighbour(axis, side);
          },
          nb::arg("axis"), nb::arg("side"),
          R"(Return whether this rank's block ends at an edge of the grid, so that the ghost points there belong to the
program: weft never writes them. False along a periodic axis.

Parameters
----------
axis : int
side : {-1, 1}
    Before the first points of the block, or behind the last.)")
      .def(
          "_block_of",
          [](const PyGrid& g, int rank) {
            nb::list all;
            const auto block = g.grid.block_of(rank);
            for (std::size_t a = 0; a < g.grid.dimensions(); ++a)
              all.append(slice(block.first[a], block.first[a] + block.count[a]));
            return nb::tuple(all);
          },
          nb::arg("rank"), nb::sig("def _block_of(self, rank: int) -> tuple[slice, ...]"))
      .def(
          "gather",
          [](nb::handle self, nb::handle array, int root) {
            return nb::module_::import_("weft._distributed").attr("gather")(self, array, root);
          },
          nb::arg("array").none(), nb::arg("root") = 0,
          nb::sig("def gather(self, array: numpy.typing.NDArray[typing.Any], root: int = 0) -> "
                  "numpy.typing.NDArray[typing.Any] | None"),
          R"(Return the whole array on one rank. Collective.

Parameters
----------
array : array
    Of this rank's block, with any number of ghost points (which are left out) and components, as for ``Halo``.
root : int
    The rank that gets it.

Returns
-------
array or None
    Of the shape ``extent``, and components; None on other ranks.

Raises
------
InputError
    If the array does not fit the block, or differs between ranks in type or components.)")
      .def(
          "scatter",
          [](nb::handle self, nb::handle whole, int root, std::size_t width) {
            return nb::module_::import_("weft._distributed").attr("scatter")(self, whole, root, width);
          },
          nb::arg("whole").none(), nb::arg("root") = 0, nb::kw_only(), nb::arg("width") = 1,
          nb::sig("def scatter(self, whole: numpy.typing.NDArray[typing.Any] | None, root: int = 0, *, width: int = 1) "
                  "-> numpy.typing.NDArray[typing.Any]"),
          R"(Return this rank's block of a whole array that one rank has, with ghost points of zero. Collective.

Parameters
----------
whole : array or None
    On the root: of the shape ``extent``, with components behind or before. Ignored on other ranks.
root : int
    The rank that has it.
width : int
    Ghost points on each side.

Raises
------
InputError
    On all ranks, if the array is not of the grid.)")
      .def(
          "write",
          [](nb::handle self, nb::handle path, nb::handle array, const std::string& name) {
            nb::module_::import_("weft._distributed").attr("write")(self, path, array, name);
          },
          nb::arg("path").none(), nb::arg("array").none(), nb::arg("name") = "u",
          nb::sig(
              "def write(self, path: str | os.PathLike[str], array: numpy.typing.NDArray[typing.Any], name: str = 'u') "
              "-> None"),
          R"(Write a distributed array into an HDF5 file, as one dataset of the shape ``extent`` and components. Collective.

The ranks write one after the other, into a file beside that replaces ``path`` when it is complete; no rank needs memory
for the whole. Needs h5py, as the extra ``weft-mpi[plots]`` installs it, and a file system that all ranks see.

Parameters
----------
path : str or path
array : array
    As for ``gather()``.
name : str
    Of the dataset.

Raises
------
InputError
    If the array does not fit the block, or the file can't be written.)")
      .def(
          "read",
          [](nb::handle self, nb::handle path, nb::handle array, const std::string& name) {
            nb::module_::import_("weft._distributed").attr("read")(self, path, array, name);
          },
          nb::arg("path").none(), nb::arg("array").none(), nb::arg("name") = "u",
          nb::sig(
              "def read(self, path: str | os.PathLike[str], array: numpy.typing.NDArray[typing.Any], name: str = 'u') "
              "-> None"),
          R"(Read this rank's block of a dataset of the grid into an array; its ghost points stay. Collective.

The file may be of another number of ranks. Parameters and errors are those of ``write()``.)")
      .def("_exchange",
           [](const PyGrid& g) {
             Options options;
             return PyExchange{std::make_shared<ExchangeCore>(g.transport, options)};
           })
      .def(
          "zeros",
          [](const PyGrid& g, nb::object type, std::size_t width, nb::object components) {
            nb::list shape;
            for (std::size_t a = 0; a < g.grid.dimensions(); ++a) shape.append(g.grid.block().count[a] + 2 * width);
            for (const auto n : per_axis<std::size_t>(components, 1, "components")) shape.append(n);
            return nb::module_::import_("numpy").attr("zeros")(nb::tuple(shape), type);
          },
          nb::arg("dtype") = "float64", nb::kw_only(), nb::arg("width") = 1, nb::arg("components") = nb::tuple(),
          nb::sig("def zeros(self, dtype: object = 'float64', *, width: int = 1, components: int | "
                  "collections.abc.Sequence[int] = ()) -> numpy.typing.NDArray[typing.Any]"),
          R"(Return a numpy array of zeros for this rank's block.

Parameters
----------
dtype : numpy dtype
width : int
    Ghost points on each side.
components : int or sequence of int
    Further axes behind those of the grid; 3 is as [3].)")
      .def(Repr([](const PyGrid& g) {
        std::string points, ranks;
        for (std::size_t a = 0; a < g.grid.dimensions(); ++a) {
          points += (a == 0 ? "" : " x ") + std::to_string(g.grid.extent()[a]);
          ranks += (a == 0 ? "" : " x ") + std::to_string(g.grid.processes()[a]);
        }
        return points + " points on " + ranks + " ranks";
      }));
}

}  // namespace

void bind_halo(nb::module_& m) {
  bind_grid(m);
  nb::class_<PyHalo>(m, "Halo", R"(The halo (ghost-point) exchange of arrays on a block-decomposed Cartesian grid.

Parameters
----------
grid : CartesianGrid
*fields : array, or tuple of arrays
    Arrays of the shape of this rank's block with at least ``width * steps`` ghost points on each side along every axis of the
    grid. Further axes behind (or before) are components, such as ``(nx + 2, ny + 2, 9)``. If several axes
    fit, those with exactly so many ghost points are taken, or else the first ones; with components before that fit
    as well, give ``u[None]``. Any dtype, order and positive strides; the arrays are used in place and kept alive. A
    tuple of arrays is one field that the program swaps: ``start(u)`` gets the one to exchange.
width : int
    Ghost points on each side that a step reads. ``width * steps`` is at most the shortest block along an axis with
    neighbours.
steps : int
    Steps for which one exchange suffices: it fills ``width * steps`` ghost points, and the program computes
    ``sub_step()``. Above 1 all values of all ghost points are sent, whatever the stencil.
scheme : {'direct', 'by_dimension'}
    All neighbours at once (edges and corners too), or one axis per round.
payload : {'whole', 'directions', 'reduced'}
    All components of all ghost points; all to ranks that read some; only those that are read.
flow : {'fill', 'reverse'}
    Ghost points get the values of their owners, or owners get the values that the computation wrote into ghost points.
velocities : sequence of tuple of int
    Of a lattice-Boltzmann scheme, one per component: component c of point p is used at ``p + velocities[c]``. Needed by
    ``reduced``, and by ``reverse`` without ``combine``: this sends component c of the ghost points p whose
    ``p + velocities[c]`` is in the block. So a program that pushes component c by v gives ``-v``.
combine : {'sum', 'minimum', 'maximum'} or None
    With ``reverse``, instead of velocities: owners combine the values of all ghost points with their own, such as add
    them. In an order that is the same in every run.
stencil : {'box', 'star'}
    What the computation of a point reads: all points around it, or only those along the axes (the 5 points of a
    Laplacian in two dimensions, the 7 in three). A star sends nothing across edges and corners.
**options
    As for ``Exchange``: progress, carrier, shared_memory, timeline and so on.

Raises
------
InputError
    If an array has the wrong shape, or an axis is reversed.
Error
    If the width is too large, or ranks give different fields.

Notes
-----
Construction, ``commit()``, the first ``start()`` and ``close()`` are collective. Between ``start()`` and ``finish()``
the program must not change the points within ``width * steps`` of a neighbour, nor read ghost points. One thread at a time may
call it. A failure is final, as of an ``Exchange``: to go on, make a new halo.

Examples
--------
>>> grid = weft.CartesianGrid((64, 64, 64), periodic=True)
>>> u = grid.zeros(width=1)
>>> halo = weft.Halo(grid, u)
>>> with halo.start():           # sends the block's outer points
...     compute(u, halo.interior())
>>> for box in halo.boundary():  # all ghost points are filled
...     compute(u, box))")
      .def(
          "__init__",
          [](PyHalo* self, const PyGrid& grid, nb::args fields, nb::kwargs keywords) {
            nb::dict left;
            left.update(keywords);
            HaloOptions how;
            std::string scheme = "direct", payload = "whole", flow = "fill", stencil = "box";
            std::vector<std::vector<int>> velocities;
            take(left, "width", how.width);
            take(left, "steps", how.steps);
            take(left, "scheme", scheme);
            take(left, "payload", payload);
            take(left, "flow", flow);
            take(left, "velocities", velocities);
            take(left, "stencil", stencil);
            std::string combine;
            if (left.contains("combine") && left["combine"].is_none()) PyDict_DelItemString(left.ptr(), "combine");
            take(left, "combine", combine);
            how.scheme = halo_scheme_names.without(HaloOptions::Scheme::reference).named(scheme);
            how.payload = halo_payload_names.named(payload);
            if (stencil != "star" && stencil != "box")
              throw InputError("Unknown stencil '" + stencil + "'. Use star or box.");
            const bool faces = stencil == "star";
            if (faces && (!velocities.empty() || how.flow == HaloOptions::Flow::reverse))
              throw InputError(
                  "A halo has stencil='star' and velocities, or flow='reverse', which each say what is sent. Give one "
                  "of "
                  "them.");
            if (faces && how.payload == HaloOptions::Payload::whole && how.steps == 1)
              how.payload = HaloOptions::Payload::directions;
            if (flow != "fill" && flow != "reverse")
              throw InputError("Unknown flow '" + flow + "'. Use fill or reverse.");
            how.flow = flow == "fill" ? HaloOptions::Flow::fill : HaloOptions::Flow::reverse;
            Options options;
            options.take(left, "Halo");
            std::vector<Direction> directions;
            for (const auto& v : velocities) {
              Direction d{};
              if (v.size() > 3 || v.size() < grid.grid.dimensions())
                throw InputError("A velocity has " + std::to_string(v.size()) + " numbers. Give one for each axis.");
              std::copy(v.begin(), v.end(), d.begin());
              directions.push_back(d);
            }
            if (fields.size() == 0) throw InputError("A halo has no field. Give it at least one array.");
            std::vector<nb::object> all;
            for (const auto field : fields) all.push_back(nb::borrow(field));
            new (self) PyHalo(grid, all, how, directions, faces, combine, std::move(options));
          },
          nb::arg("grid"), nb::arg("fields"), nb::arg("options"),
          nb::sig("def __init__(self, grid: CartesianGrid, *fields: typing.Any, width: int = 1, steps: int = 1, "
                  "scheme: typing.Literal['direct', 'by_dimension'] = 'direct', "
                  "payload: typing.Literal['whole', 'directions', 'reduced'] = 'whole', "
                  "flow: typing.Literal['fill', 'reverse'] = 'fill', velocities: "
                  "collections.abc.Sequence[collections.abc.Sequence[int]] = (), "
                  "combine: typing.Literal['sum', 'minimum', 'maximum'] | None = None, "
                  "stencil: typing.Literal['box', 'star'] = 'box', " WEFT_OPTIONS ") -> None"))
      .def("commit", &PyHalo::commit,
           "Make the halo's own exchange. Collective. The first ``start()`` does it otherwise.")
      .def(
          "start",
          [](nb::handle_t<PyHalo> self, std::uint64_t buffer_index, nb::object stream) {
            nb::cast<PyHalo&>(self).start(buffer_index, std::move(stream));
            return nb::borrow(self);
          },
          nb::arg("buffer_index") = 0, nb::kw_only(), nb::arg("stream") = nb::none(),
          nb::sig("def start(self, buffer_index: int = 0, *, " WEFT_STREAM ") -> Halo"))
      .def(
          "start",
          [](nb::handle_t<PyHalo> self, nb::args arrays, nb::object stream) {
            nb::cast<PyHalo&>(self).start_with(arrays, std::move(stream));
            return nb::borrow(self);
          },
          nb::arg("arrays"), nb::arg("stream") = nb::none(),
          nb::sig("def start(self, *arrays: typing.Any, " WEFT_STREAM ") -> Halo"),
          R"(Send the points that the neighbours need, and receive into the ghost points from now on.

Parameters
----------
*arrays : array
    Of each field that has several arrays the one to exchange, so that a program may swap them (``u, v = v, u``). The
    same on all ranks. Arrays of other fields may be given, too.
buffer_index : int
    Instead of arrays: their number in the fields' tuples, modulo the number of arrays.
stream : stream, optional
    Of arrays in memory of a device, as for ``Exchange.start()``.

Raises
------
InputError
    If the halo does not have an array. It has then failed on all ranks.

Returns
-------
Halo
    The halo itself: ``with halo.start():`` finishes at the end of the block, and fails on all ranks if an exception
    leaves it.)")
      .def(OwnExchangeMethods{"def __enter__(self) -> Halo"})
      .def("_repeat", &PyHalo::repeat, nb::arg("count"))
      .def(
          "request", &PyHalo::request, nb::arg("requests"),
          R"(List the parts of the halo in another list, such as that of a client of a ``StepManager``, instead of in an
exchange of its own.

Parameters
----------
requests : Requests)")
      .def(
          "interior", [](const PyHalo& h, std::size_t field) { return h.slices(h.halo().interior(), field); },
          nb::arg("field") = 0,
          "Return the points that need no ghost point of a neighbour, as slices of the field's array.")
      .def(
          "boundary",
          [](const PyHalo& h, std::size_t field) {
            nb::list all;
            for (const auto& box : h.halo().boundary()) all.append(h.slices(box, field));
            return all;
          },
          nb::arg("field") = 0, "Return the other points of the block, as a list of slices: disjoint boxes.")
      .def(
          "sub_step",
          [](const PyHalo& h, std::size_t k, std::size_t field) {
            const auto step = h.halo().sub_step(k);
            const auto layers = h.halo().options().layers();
            nb::list boundary;
            for (const auto& box : step.boundary) boundary.append(h.slices(box, field, layers));
            return nb::make_tuple(h.slices(step.points, field, layers), h.slices(step.interior, field, layers),
                                  boundary);
          },
          nb::arg("k"), nb::arg("field") = 0,
          nb::sig("def sub_step(self, k: int, field: int = 0) -> tuple[tuple[slice, ...], tuple[slice, ...], "
                  "list[tuple[slice, ...]]]"),
          R"(Return the points to compute in sub-step ``k``, if ``steps`` of them share an exchange: the block and, next to
neighbours, ``(steps - 1 - k) * width`` layers of ghost points. Beyond an edge that is not periodic the values are the
program's, also beside these ghost points.

Parameters
----------
k : int
    From 0 up to ``steps - 1``. Exchange before sub-step 0.

Returns
-------
points, interior : tuple of slice
    All points; those that need no ghost point.
boundary : list of tuple of slice
    The other points: disjoint boxes.)")
      .def(
          "block",
          [](const PyHalo& h, std::size_t field) {
            return h.slices({.first = {0, 0, 0}, .count = h.halo().grid().block().count}, field);
          },
          nb::arg("field") = 0, "Return the block without ghost points, as slices of the field's array.")
      .def_prop_ro(
          "rounds", [](const PyHalo& h) { return h.halo().rounds(); },
          "The number of rounds: 1; for ``by_dimension`` the number of axes with neighbours.")
      .def("describe", &PyHalo::describe,
           "Return a text for the user: process grid, block, neighbours, parts, bytes and messages.")
      .def(Repr([](const PyHalo& h) { return first_line(h.describe()); }));
}

}  // namespace weft::python
