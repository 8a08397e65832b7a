// SPDX-License-Identifier: BSD-3-Clause
#include "fft/fft.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "core/bind.hpp"
#include "core/end.hpp"
#include "core/memory.hpp"
#include "core/options.hpp"
#include "core/raised.hpp"
#include "core/repr.hpp"
#include "core/world.hpp"
#include "fft/tune.hpp"
#include "weft/error.hpp"
#include "weft/names.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::python {
namespace {

using fft::Box;

// A transform of any type.
class AnyFft {
 public:
  virtual ~AnyFft() = default;
  virtual Box field() const = 0;
  virtual Box spectrum() const = 0;
  virtual std::size_t item(bool spectrum) const = 0;
  virtual Kind kind(bool spectrum) const = 0;
  virtual const char* type(bool spectrum) const = 0;
  virtual void run(bool forward, std::byte* field, std::byte* spectrum) = 0;
  virtual void plan(bool forward) = 0;
  virtual void fail(const std::string& why) noexcept = 0;
  virtual bool has_failed() const = 0;
  virtual std::size_t tile() const = 0;
  virtual std::size_t window() const = 0;
  virtual fft::Seconds& seconds() = 0;
};

template <class Value>
class FftOf final : public AnyFft {
 public:
  using Of = fft::Fft<Value>;
  using Complex = typename Of::Complex;
  FftOf(Transport& transport, const fft::Size3& size, const fft::Options& options) : fft_(transport, size, options) {}

  Box field() const override { return fft_.field(); }
  Box spectrum() const override { return fft_.spectrum(); }
  std::size_t item(bool spectrum) const override { return spectrum ? sizeof(Complex) : sizeof(Value); }
  Kind kind(bool spectrum) const override { return spectrum || Of::is_complex ? Kind::complex : Kind::real; }
  const char* type(bool spectrum) const override {
    const bool is_double = sizeof(typename Of::Real) == 8;
    if (spectrum || Of::is_complex) return is_double ? "complex128" : "complex64";
    return is_double ? "float64" : "float32";
  }
  void run(bool forward, std::byte* field, std::byte* spectrum) override {
    const std::span<Value> values(reinterpret_cast<Value*>(field), fft_.field_size());
    const std::span<Complex> waves(reinterpret_cast<Complex*>(spectrum), fft_.spectrum_size());
    forward ? fft_.forward(values, waves) : fft_.inverse(waves, values);
  }
  void plan(bool forward) override { fft_.plan(forward); }
  void fail(const std::string& why) noexcept override { fft_.fail(why); }
  bool has_failed() const override { return fft_.has_failed(); }
  std::size_t tile() const override { return fft_.tile(); }
  std::size_t window() const override { return fft_.window(); }
  fft::Seconds& seconds() override { return fft_.seconds; }

 private:
  Of fft_;
};

class FftCore final : public Live {
 public:
  ~FftCore() override { close(); }
  AnyFft& get() const {
    if (!fft) check_not_ended();  // closed by the end of MPI
    if (!fft) throw Error("The transform was closed. Make a new one.");
    return *fft;
  }
  void close() override {
    if (!fft) return;
    auto gone = std::move(fft);
    if (is_forked()) return static_cast<void>(gone.release());  // its MPI belongs to the parent
    const nb::gil_scoped_release released;
    gone.reset();
  }
  bool is_in_use() const override { return static_cast<bool>(use); }

  std::shared_ptr<mpi::Communicator> transport;
  std::shared_ptr<Timeline> timeline;
  std::unique_ptr<AnyFft> fft;
  InUse use;
  fft::Size3 size{};
  std::size_t dimensions = 3;  // 2: the field is a single plane of x
  std::size_t batch = 1;
};

std::string text_of(const std::vector<std::size_t>& shape) {
  std::string text;
  for (const auto n : shape) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return "(" + text + (shape.size() == 1 ? ",)" : ")");
}

nb::object slice(std::size_t first, std::size_t count) {
  return nb::steal(PySlice_New(nb::int_(first).ptr(), nb::int_(first + count).ptr(), nullptr));
}

/// weft.Fft.
struct PyFft {
  std::shared_ptr<FftCore> core;

  // The shape of an array: the box in the order of the memory, with padding, and the batch in front.
  std::vector<std::size_t> shape(bool spectrum) const {
    const auto box = spectrum ? core->get().spectrum() : core->get().field();
    std::vector<std::size_t> shape;
    if (core->batch > 1) shape.push_back(core->batch);
    for (const auto k : places(box)) shape.push_back(k == 2 ? box.row : box.axes[box.order[k]].count);
    return shape;
  }
  nb::tuple slices(bool spectrum) const {
    const auto box = spectrum ? core->get().spectrum() : core->get().field();
    nb::list all;
    for (std::size_t a = first_axis(); a < 3; ++a) {
      const auto& axis = box.axes[a];
      all.append(slice(axis.first, axis.count));
    }
    return nb::tuple(all);
  }
  nb::tuple axes(bool spectrum) const {
    const auto box = spectrum ? core->get().spectrum() : core->get().field();
    nb::list all;
    for (const auto k : places(box)) all.append(box.order[k] - first_axis());
    return nb::tuple(all);
  }
  nb::tuple extent() const {
    nb::list all;
    for (std::size_t a = first_axis(); a < 3; ++a) all.append(core->size[a]);
    return nb::tuple(all);
  }
  // An array per axis, with one axis for each of the spectrum's array.
  nb::tuple wavenumbers(const std::vector<double>& spacing) const {
    const auto box = core->get().spectrum();
    const auto order = places(box);
    const auto numpy = nb::module_::import_("numpy");
    const auto of_reals = core->get().kind(false) == Kind::real;
    nb::list all;
    for (std::size_t a = first_axis(); a < 3; ++a) {
      const auto& axis = box.axes[a];
      const auto step = spacing[spacing.size() == 1 ? 0 : a - first_axis()];
      const nb::object all_of_axis =
          numpy.attr("fft").attr(of_reals && a == 2 ? "rfftfreq" : "fftfreq")(core->size[a], step);
      const auto own = slice(axis.first, axis.count);
      nb::list shape;
      for (const auto k : order) shape.append(box.order[k] == a ? axis.count : 1);
      const nb::object mine = all_of_axis[own];
      all.append(mine.attr("__mul__")(2 * std::numbers::pi).attr("reshape")(nb::tuple(shape)));
    }
    return nb::tuple(all);
  }
  std::string text() const {
    std::string points;
    for (std::size_t a = first_axis(); a < 3; ++a)
      points += (points.empty() ? "" : " x ") + std::to_string(core->size[a]);
    return core->fft ? points + " points, " + core->fft->type(false) + ", " + std::to_string(core->transport->size()) +
                           " ranks"
                     : "closed";
  }
  std::size_t first_axis() const { return 3 - core->dimensions; }
  // The positions in the memory's order of the axes that the user has.
  std::vector<std::size_t> places(const Box& box) const {
    std::vector<std::size_t> all;
    for (std::size_t k = 0; k < 3; ++k)
      if (core->dimensions == 3 || box.order[k] != 0) all.push_back(k);
    return all;
  }
  Memory array(nb::handle given, bool spectrum, bool writes) const {
    const char* what = spectrum ? "spectrum" : "field";
    auto memory = memory_of(given, writes, what);
    auto& fft = core->get();
    if (memory.kind != fft.kind(spectrum) || memory.item != fft.item(spectrum))
      throw InputError("The " + std::string(what) + " of this transform has the type " + fft.type(spectrum) +
                       ", the array has another one. Convert it with astype().");
    const auto wanted = shape(spectrum);
    if (memory.shape != wanted)
      throw InputError("The array has the shape " + text_of(memory.shape) + ", the " + what + " of this transform " +
                       text_of(wanted) + " on this rank. Give an array of " + what + "_shape.");
    if (!memory.is_contiguous())
      throw InputError("The " + std::string(what) + " of this transform is a contiguous array of shape " +
                       text_of(wanted) + " on this rank, the array is not contiguous. Copy it with " +
                       "numpy.ascontiguousarray().");
    return memory;
  }
  nb::object transform(bool forward, nb::handle in, const nb::object& out) const {
    const InUse::Call call(core->use, false);
    auto& fft = core->get();
    Memory from, to;
    nb::object result;
    try {
      from = array(in, !forward, false);
      result = out.is_none() ? new_array(shape(forward), nb::str(fft.type(forward))) : out;
      to = array(result, forward, true);
    } catch (const std::exception& e) {  // the other ranks wait in the transform
      const std::string why = e.what();
      const nb::gil_scoped_release released;
      if (core->transport->size() > 1) fft.fail(why);
      throw;
    }
    const nb::gil_scoped_release released;
    forward ? fft.run(true, from.data, to.data) : fft.run(false, to.data, from.data);
    return result;
  }
};

// The box that a program gives as slices, and as the order of the array's axes; `size` has an axis less if it is flat.
std::optional<Box> box_of(nb::handle block, nb::handle axes, const std::vector<std::size_t>& size,
                          const std::string& name) {
  if (block.is_none() && axes.is_none()) return std::nullopt;
  const auto refuse = [](const std::string& why) { throw InputError(why); };
  const auto dimensions = std::to_string(size.size());
  if (block.is_none()) refuse(name + "_axes is given without " + name + "_block. Give both.");
  std::vector<nb::object> slices;
  if (!nb::try_cast(block, slices) || slices.size() != size.size())
    refuse(name + "_block has not one slice for each axis. Give " + dimensions +
           " slices, such as those of a CartesianGrid's block.");
  const std::size_t first = 3 - size.size();
  Box box;
  if (first == 1) box.axes[0] = {0, 1};
  for (std::size_t a = 0; a < size.size(); ++a) {
    std::int64_t from = 0, to = static_cast<std::int64_t>(size[a]), step = 1;
    const auto read = [&](const char* of, std::int64_t& value) {
      const nb::object given = slices[a].attr(of);
      if (!given.is_none() && !nb::try_cast(given, value)) value = -1;
    };
    if (!PySlice_Check(slices[a].ptr()))
      refuse(name + "_block has " + nb::cast<std::string>(nb::repr(slices[a])) + ". Give slices.");
    read("start", from);
    read("stop", to);
    read("step", step);
    if (from < 0 || to < 0 || step != 1)
      refuse(name + "_block has " + nb::cast<std::string>(nb::repr(slices[a])) +
             ". Give slices from 0 or more, without a step.");
    box.axes[first + a] = {static_cast<std::size_t>(from),
                           static_cast<std::size_t>(std::max(to - from, std::int64_t{0}))};
  }
  if (axes.is_none()) return box;
  std::vector<std::size_t> order;
  const bool is_list = nb::try_cast(axes, order);
  auto sorted = order;
  std::ranges::sort(sorted);
  for (std::size_t a = 0; a < size.size(); ++a)
    if (!is_list || sorted.size() != size.size() || sorted[a] != a)
      refuse(name + "_axes is " + nb::cast<std::string>(nb::repr(axes)) + ". Name each axis from 0 to " +
             std::to_string(size.size() - 1) + " once, the outermost of the array first.");
  for (std::size_t a = 0; a < size.size(); ++a) box.order[first + a] = first + order[a];
  return box;
}

// A number, or a word of a setting.
std::size_t rows_of(nb::handle rows) {
  std::string word;
  std::size_t number = 0;
  if (nb::try_cast(rows, word)) return number_of({{"rows", word}}, "rows", 0);
  if (!nb::try_cast(rows, number)) throw nb::type_error("rows is a whole number of 0 or more.");
  return number;
}

// What a transform is: its points, on three axes, and the type of the field.
struct Problem {
  fft::Size3 size{};
  std::string type;
};

Problem problem_of(const std::vector<std::size_t>& shape, nb::handle dtype) {
  if (shape.size() != 2 && shape.size() != 3)
    throw InputError("A transform has " + std::to_string(shape.size()) + " axes. Give the points along two or three.");
  return {{shape.size() == 2 ? 1 : shape[0], shape[shape.size() - 2], shape.back()},
          nb::cast<std::string>(nb::module_::import_("numpy").attr("dtype")(dtype).attr("name"))};
}

// Calls `use` with a value of the type of that name.
template <class Use>
auto with_type(const std::string& name, const Use& use) {
  if (name == "float64") return use(double{});
  if (name == "float32") return use(float{});
  if (name == "complex128") return use(std::complex<double>{});
  if (name == "complex64") return use(std::complex<float>{});
  throw InputError("A transform of '" + name + "' is not possible. Use float32, float64, complex64 or complex128.");
}

nb::list candidates(const std::vector<std::size_t>& shape, nb::handle dtype, nb::handle comm, std::size_t most) {
  const auto transport = transport_of(comm);
  const auto [size, type] = problem_of(shape, dtype);
  fft::Options options;
  if (shape.size() == 2) options = {.decomposition = fft::Decomposition::pencils, .rows = 1};
  std::vector<Setting> all;
  {
    const nb::gil_scoped_release released;
    all = with_type(type, [&, &size = size](auto value) {
      return fft::grid_candidates<decltype(value)>(*transport, size, options, most);
    });
  }
  return words_of(all);
}

// As in numpy.fft.
constexpr Names<fft::Normalisation> norms("norm", {{fft::Normalisation::inverse, "backward"},
                                                   {fft::Normalisation::unitary, "ortho"},
                                                   {fft::Normalisation::forward, "forward"},
                                                   {fft::Normalisation::none, "none"}});

void make(PyFft* self, const std::vector<std::size_t>& shape, const nb::object& dtype, nb::handle comm,
          const std::string& wanted, const nb::object& given_rows, const std::string& rank_order, std::size_t batch,
          bool transposed, bool padded, const std::string& norm, const std::string& effort, std::size_t tile,
          std::optional<std::size_t> window, const std::string& carrier, const nb::object& progress,
          const nb::object& timeline, const std::array<nb::object, 4>& boxes) {
  const bool is_flat = shape.size() == 2;  // a single row of processes divides the first axis, then the last one
  const auto [size, name] = problem_of(shape, dtype);
  static_cast<void>(fft::decomposition_names.named(wanted));
  const std::string decomposition = is_flat ? "pencils" : wanted;
  const auto rows = is_flat ? 1 : rows_of(given_rows);
  auto core = std::make_shared<FftCore>();
  core->transport = transport_of(comm);
  core->size = size;
  core->dimensions = shape.size();
  core->batch = batch;
  Options how;
  nb::dict keywords;
  keywords["progress"] = progress;
  keywords["timeline"] = timeline;
  how.take(keywords, "Fft");
  core->timeline = how.timeline;
  fft::Options options{.decomposition = fft::decomposition_names.named(decomposition),
                       .rows = rows,
                       .rank_order = rank_order_names.named(rank_order),
                       .batch = batch,
                       .transposed = transposed,
                       .padded = padded,
                       .normalisation = norms.named(norm),
                       .effort = fft::effort_names.named(effort),
                       .tile = tile,
                       .window = window.value_or(fft::Options::chosen),
                       .carrier = fft::carrier_names.named(carrier),
                       .progress = how.shared ? how.shared : std::make_shared<Progress>(*core->transport, how.progress),
                       .timeline = how.timeline.get()};
  std::string mine = text_of(shape) + " of " + name + ", batch=" + std::to_string(batch) + ", decomposition=" + wanted +
                     ", rows=" + std::to_string(rows) + ", rank_order=" + rank_order + ", norm=" + norm +
                     ", carrier=" + carrier + ", tile=" + std::to_string(tile) +
                     ", window=" + (window ? std::to_string(*window) : "None");
  if (transposed) mine += ", transposed";
  if (padded) mine += ", padded";
  std::string problem;  // one rank's box is no other rank's
  try {
    options.field_box = box_of(boxes[0], boxes[1], shape, "field");
    auto waves = shape;
    if (name.starts_with("float")) waves.back() = waves.back() / 2 + 1;
    options.spectrum_box = box_of(boxes[2], boxes[3], waves, "spectrum");
  } catch (const InputError& e) {
    problem = e.what();
  }
  {
    const nb::gil_scoped_release released;
    auto& on = *core->transport;
    together(on, [&] {
      if (!problem.empty()) throw InputError(problem);
    });
    const auto all = all_gather(on, mine);
    for (std::size_t r = 0; r < all.size(); ++r)
      if (all[r] != all[0])
        throw InputError("The transform is not the same on all ranks (rank 0: " + all[0] + "; rank " +
                             std::to_string(r) + ": " + all[r] + "). Create it alike on every rank.",
                         true);
    with_type(name, [&, &size = size](auto value) {
      core->fft = std::make_unique<FftOf<decltype(value)>>(on, size, options);
    });
  }
  new (self) PyFft{std::move(core)};
}

}  // namespace

void bind_fft(nb::module_& m) {
  nb::class_<PyFft>(m, "Fft", R"(A Fourier transform of a 2-D or 3-D field that is distributed over all ranks.

Planes are sent in tiles while the next ones are transformed.

Parameters
----------
shape : tuple of int
    Points of the whole grid along x, y and z, or along y and z: any numbers, over any number of ranks.
dtype : dtype
    Of the field: float32, float64, complex64 or complex128. The spectrum of a real field has the first ``nz // 2 + 1``
    of z.
comm : communicator of mpi4py, int or None
    The ranks. None: all.
decomposition : {'automatic', 'slabs', 'pencils'}
    Whole planes, or whole lines, on each rank. In two dimensions each rank has whole lines.
rows : int or str
    Rows of the process grid of pencils in three dimensions; 0: as square as possible.
rank_order : {'row_major', 'by_node'}
    Which rank has which row and column of the process grid: in the order of their numbers, or the ranks of a node side
    by side.
batch : int
    The number of fields, which are transformed at once; above 1 arrays have a first axis for them.
transposed : bool
    Leave the spectrum in the order (y, x, z): less to send.
padded : bool
    Rows of a real field have ``2 * (nz // 2 + 1)`` values, to transform in place.
norm : {'backward', 'ortho', 'forward', 'none'}
    As in numpy.fft: the inverse is multiplied by 1/N, both by 1/sqrt(N), or the forward transform; or neither.
effort : {'estimate', 'measure', 'patient'}
    How long plans are searched.
tile : int
    Planes that are sent together; 0: chosen.
window : int, optional
    Tiles in flight while the next is transformed; 0: each is waited for. None: chosen.
carrier : {'messages', 'collective', 'shared_memory'}
    How planes are sent.
field_block, spectrum_block : sequence of slice, optional
    The points of the field that this rank has, and its waves of the spectrum (of a real field ``nz // 2 + 1`` along z):
    any disjoint blocks that cover the grid; with a slice such as ``slice(0, 0)`` the rank has none. Each is given on
    all ranks or on none. None: as the transform itself divides them. Other blocks are sent to that layout and back.
field_axes, spectrum_axes : sequence of int, optional
    The order of the axes of the rank's array, the outermost first. None: (0, 1, 2).
progress : str or Progress
timeline : Timeline, optional

Raises
------
InputError
    If a name, the dtype, a block or an order of axes is wrong.
Error
    If the grid is empty, or can't be distributed so, or if the blocks of the ranks overlap or leave a gap.

Notes
-----
Construction, transforms and ``close()`` are collective. They run without the GIL. One transform of an object at a time.
A failure is final, as of a ``StepManager``: to go on, make a new transform. On several ranks a wrong array is a failure,
too, since the other ranks wait in the transform.

Examples
--------
>>> fft = weft.Fft((128, 128, 128))
>>> field = numpy.zeros(fft.field_shape)
>>> spectrum = fft.forward(field)
>>> field = fft.inverse(spectrum))")
      .def(
          "__init__",
          [](PyFft* self, const std::vector<std::size_t>& shape, const nb::object& dtype, nb::object comm,
             const std::string& decomposition, const nb::object& rows, const std::string& rank_order, std::size_t batch,
             bool transposed, bool padded, const std::string& norm, const std::string& effort, std::size_t tile,
             std::optional<std::size_t> window, const std::string& carrier, const nb::object& progress,
             const nb::object& timeline, const nb::object& field_block, const nb::object& field_axes,
             const nb::object& spectrum_block, const nb::object& spectrum_axes) {
            make(self, shape, dtype, comm, decomposition, rows, rank_order, batch, transposed, padded, norm, effort,
                 tile, window, carrier, progress, timeline, {field_block, field_axes, spectrum_block, spectrum_axes});
          },
          nb::arg("shape"), nb::arg("dtype") = "float64", nb::kw_only(), nb::arg("comm") = nb::none(),
          nb::arg("decomposition") = "automatic", nb::arg("rows") = 0, nb::arg("rank_order") = "row_major",
          nb::arg("batch") = 1, nb::arg("transposed") = false, nb::arg("padded") = false, nb::arg("norm") = "backward",
          nb::arg("effort") = "measure", nb::arg("tile") = 0, nb::arg("window") = nb::none(),
          nb::arg("carrier") = "messages", nb::arg("progress") = "passive", nb::arg("timeline") = nb::none(),
          nb::arg("field_block") = nb::none(), nb::arg("field_axes") = nb::none(),
          nb::arg("spectrum_block") = nb::none(), nb::arg("spectrum_axes") = nb::none(),
          nb::sig("def __init__(self, shape: tuple[int, int, int] | tuple[int, int], dtype: typing.Any = 'float64', *, "
                  "comm: typing.Any = None, "
                  "decomposition: typing.Literal['automatic', 'slabs', 'pencils'] = 'automatic', rows: int | str = 0, "
                  "rank_order: typing.Literal['row_major', 'by_node'] = 'row_major', "
                  "batch: int = 1, transposed: bool = False, padded: bool = False, "
                  "norm: typing.Literal['backward', 'ortho', 'forward', 'none'] = 'backward', "
                  "effort: typing.Literal['estimate', 'measure', 'patient'] = 'measure', tile: int = 0, "
                  "window: int | None = None, "
                  "carrier: typing.Literal['messages', 'collective', 'shared_memory'] = 'messages', "
                  "progress: " WEFT_PROGRESS " | Progress = 'passive', timeline: Timeline | None = None, "
                  "field_block: collections.abc.Sequence[slice] | None = None, "
                  "field_axes: collections.abc.Sequence[int] | None = None, "
                  "spectrum_block: collections.abc.Sequence[slice] | None = None, "
                  "spectrum_axes: collections.abc.Sequence[int] | None = None) -> None"))
      .def_static(
          "candidates", &candidates, nb::arg("shape"), nb::arg("dtype") = "float64", nb::kw_only(),
          nb::arg("comm") = nb::none(), nb::arg("most") = 8,
          nb::sig("def candidates(shape: tuple[int, int, int] | tuple[int, int], dtype: typing.Any = 'float64', *, "
                  "comm: typing.Any = None, most: int = 8) -> list[" WEFT_SETTING "]"),
          R"(Return candidates for ``Tuning``: settings of ``decomposition``, ``rows`` and ``rank_order``, which an Fft takes
as keywords. Collective.

Parameters
----------
shape, dtype, comm
    As for an Fft.
most : int
    The largest number of process grids. The first is the usual one; then come slabs and the most square ones.

Returns
-------
list of dict of str)")
      .def(
          "forward",
          [](const PyFft& f, nb::handle field, const nb::object& spectrum) {
            return f.transform(true, field, spectrum);
          },
          nb::arg("field").none(), nb::arg("spectrum") = nb::none(),
          nb::sig("def forward(self, field: typing.Any, spectrum: typing.Any = None) -> typing.Any"),
          R"(Transform this rank's block of the field.

Parameters
----------
field : array
    Contiguous, of ``field_shape``; unchanged, unless the spectrum is in the same memory.
spectrum : array, optional
    Of ``spectrum_shape``, where the result is put; None: a new numpy array.

Returns
-------
array
    The spectrum: sum over x of ``field(x) exp(-2 pi i k x / n)``.

Raises
------
InputError
    If shape or dtype is wrong.
TypeError
    If the result is read-only.)")
      .def(
          "inverse",
          [](const PyFft& f, nb::handle spectrum, const nb::object& field) {
            return f.transform(false, spectrum, field);
          },
          nb::arg("spectrum").none(), nb::arg("field") = nb::none(),
          nb::sig("def inverse(self, spectrum: typing.Any, field: typing.Any = None) -> typing.Any"),
          R"(Transform this rank's block of the spectrum back, as ``forward()`` with the other sign.

Returns
-------
array
    The field.)")
      .def(
          "plan",
          [](const PyFft& f, bool forward) {
            const InUse::Call call(f.core->use, false);
            auto& fft = f.core->get();
            const nb::gil_scoped_release released;
            fft.plan(forward);
          },
          nb::arg("forward"),
          "Make plans and messages of one direction, which otherwise its first transform does. Collective.")
      .def(
          "fail",
          [](const PyFft& f, const std::string& why) {
            const InUse::Call call(f.core->use, false);
            auto& fft = f.core->get();
            const nb::gil_scoped_release released;
            fft.fail(why);
          },
          nb::arg("why"), "As ``StepManager.fail()``: the other ranks get a ``PeerError`` in their next transform.")
      .def_prop_ro(
          "has_failed", [](const PyFft& f) { return f.core->get().has_failed(); }, "As ``StepManager.has_failed``.")
      .def_prop_ro(
          "shape", [](const PyFft& f) { return f.extent(); }, "Points of the whole grid.")
      .def_prop_ro(
          "field_shape", [](const PyFft& f) { return nb::tuple(nb::cast(f.shape(false))); },
          "The shape of this rank's array of the field.")
      .def_prop_ro(
          "spectrum_shape", [](const PyFft& f) { return nb::tuple(nb::cast(f.shape(true))); },
          "The shape of this rank's array of the spectrum.")
      .def_prop_ro(
          "field_block", [](const PyFft& f) { return f.slices(false); },
          "This rank's points as slices of x, y and z of the whole grid.")
      .def_prop_ro(
          "spectrum_block", [](const PyFft& f) { return f.slices(true); },
          "This rank's wave numbers as slices of x, y and z of the whole spectrum.")
      .def_prop_ro(
          "field_axes", [](const PyFft& f) { return f.axes(false); }, "The axes of the field's array, outermost first.")
      .def_prop_ro(
          "spectrum_axes", [](const PyFft& f) { return f.axes(true); },
          "The axes of the spectrum's array, outermost first: as given, (0, 1, 2), or (1, 0, 2) if it is transposed.")
      .def(
          "wavenumbers",
          [](const PyFft& f, nb::handle spacing) {
            std::vector<double> all(1);
            if (!nb::try_cast(spacing, all[0]) && (!nb::try_cast(spacing, all) || all.size() != f.core->dimensions))
              throw InputError("The spacing of a transform is one number, or one per axis. Give " +
                               std::to_string(f.core->dimensions) + " numbers.");
            return f.wavenumbers(all);
          },
          nb::arg("spacing") = 1.0,
          nb::sig("def wavenumbers(self, spacing: float | collections.abc.Sequence[float] = 1.0) -> "
                  "tuple[numpy.typing.NDArray[numpy.float64], ...]"),
          R"(Return the angular wave numbers of this rank's part of the spectrum, as ``2 pi numpy.fft.fftfreq(n, spacing)``.

Parameters
----------
spacing : float or sequence of float
    Between two points, for all axes or for each.

Returns
-------
tuple of array
    One per axis, in the order of ``shape``. Their shapes broadcast to the spectrum's array (without a batch), also if
    it is transposed: ``spectrum * 1j * kx`` is the derivative along x.)")
      .def_prop_ro(
          "tile", [](const PyFft& f) { return f.core->get().tile(); }, "Planes per tile.")
      .def_prop_ro(
          "window", [](const PyFft& f) { return f.core->get().window(); }, "Tiles in flight.")
      .def_prop_ro(
          "seconds",
          [](const PyFft& f) {
            const auto& seconds = f.core->get().seconds();
            nb::dict all;
            all["transform"] = seconds.transform;
            all["pack"] = seconds.pack;
            all["wait"] = seconds.wait;
            return all;
          },
          "Seconds of this rank in transforms, by activity, since construction or ``reset_seconds()``.")
      .def(
          "reset_seconds", [](const PyFft& f) { f.core->get().seconds() = {}; }, "Set ``seconds`` to zero.")
      .def(
          "close",
          [](const PyFft& f) {
            const InUse::Call call(f.core->use, false);
            f.core->close();
          },
          "Destroy the transform now. Collective.")
      .def(
          "__enter__", [](nb::handle self) { return nb::borrow(self); }, nb::sig("def __enter__(self) -> Fft"))
      .def(
          "__exit__",
          [](const PyFft& f, nb::object, nb::object value, nb::object) {
            const InUse::Call call(f.core->use, false);
            if (!value.is_none() && f.core->fft) {
              const auto why = text_of(value);
              const nb::gil_scoped_release released;
              f.core->fft->fail(why);
            }
            f.core->close();
          },
          nb::arg("type").none(), nb::arg("value").none(), nb::arg("traceback").none())
      .def(Repr([](const PyFft& f) { return f.text(); }));
}

}  // namespace weft::python
