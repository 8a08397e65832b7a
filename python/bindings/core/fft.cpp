// SPDX-License-Identifier: BSD-3-Clause
#include "fft/fft.hpp"

#include <nanobind/stl/tuple.h>
#include <complex>

#include <optional>
#include <tuple>
#include <utility>

#include "core/bind.hpp"
#include "core/end.hpp"
#include "core/memory.hpp"
#include "core/options.hpp"
#include "core/raised.hpp"
#include "core/world.hpp"
#include "weft/error.hpp"

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
  std::size_t batch = 1;
};

std::string text_of(const std::vector<std::size_t>& shape) {
  std::string text;
  for (const auto n : shape) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return "(" + text + (shape.size() == 1 ? ",)" : ")");
}

/// weft.Fft.
struct PyFft {
  std::shared_ptr<FftCore> core;

  // The shape of an array: the box in the order of the memory, with padding, and the batch in front.
  std::vector<std::size_t> shape(bool spectrum) const {
    const auto box = spectrum ? core->get().spectrum() : core->get().field();
    std::vector<std::size_t> shape;
    if (core->batch > 1) shape.push_back(core->batch);
    for (std::size_t k = 0; k < 3; ++k) shape.push_back(k == 2 ? box.row : box.axes[box.order[k]].count);
    return shape;
  }
  nb::tuple slices(bool spectrum) const {
    const auto box = spectrum ? core->get().spectrum() : core->get().field();
    nb::list all;
    for (const auto& axis : box.axes)
      all.append(nb::steal(PySlice_New(nb::int_(axis.first).ptr(), nb::int_(axis.first + axis.count).ptr(), nullptr)));
    return nb::tuple(all);
  }
  nb::tuple axes(bool spectrum) const {
    const auto box = spectrum ? core->get().spectrum() : core->get().field();
    return nb::make_tuple(box.order[0], box.order[1], box.order[2]);
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

void make(PyFft* self, const fft::Size3& size, const nb::object& dtype, nb::handle comm,
          const std::string& decomposition, std::size_t rows, std::size_t batch, bool transposed, bool padded,
          const std::string& normalisation, const std::string& effort, std::size_t tile,
          std::optional<std::size_t> window, const std::string& carrier, const nb::object& progress,
          const nb::object& timeline) {
  auto core = std::make_shared<FftCore>();
  core->transport = transport_of(comm);
  core->size = size;
  core->batch = batch;
  Options how;
  nb::dict keywords;
  keywords["progress"] = progress;
  keywords["timeline"] = timeline;
  how.take(keywords);
  core->timeline = how.timeline;
  const fft::Options options{
      .decomposition = fft::decomposition_named(decomposition),
      .rows = rows,
      .batch = batch,
      .transposed = transposed,
      .padded = padded,
      .normalisation = fft::normalisation_names.named(normalisation),
      .effort = fft::effort_named(effort),
      .tile = tile,
      .window = window.value_or(fft::Options::chosen),
      .carrier = fft::carrier_named(carrier),
      .progress = how.shared ? how.shared : std::make_shared<Progress>(*core->transport, how.progress),
      .timeline = how.timeline.get()};
  const auto name = nb::cast<std::string>(nb::module_::import_("numpy").attr("dtype")(dtype).attr("name"));
  {
    const nb::gil_scoped_release released;
    auto& on = *core->transport;
    if (name == "float64")
      core->fft = std::make_unique<FftOf<double>>(on, size, options);
    else if (name == "float32")
      core->fft = std::make_unique<FftOf<float>>(on, size, options);
    else if (name == "complex128")
      core->fft = std::make_unique<FftOf<std::complex<double>>>(on, size, options);
    else if (name == "complex64")
      core->fft = std::make_unique<FftOf<std::complex<float>>>(on, size, options);
    else
      throw InputError("A transform of '" + name + "' is not possible. Use float32, float64, complex64 or complex128.");
  }
  new (self) PyFft{std::move(core)};
}

}  // namespace

void bind_fft(nb::module_& m) {
  nb::class_<PyFft>(m, "Fft", R"(A 3-D Fourier transform of a field that is distributed over all ranks.

Planes are sent in tiles while the next ones are transformed.

Parameters
----------
shape : tuple of int
    Points of the whole grid along x, y and z: any numbers, over any number of ranks.
dtype : dtype
    Of the field: float32, float64, complex64 or complex128. The spectrum of a real field has the first ``nz // 2 + 1``
    of z.
comm : communicator of mpi4py, int or None
    The ranks. None: all.
decomposition : {'automatic', 'slabs', 'pencils'}
    Whole planes, or whole lines, on each rank.
rows : int
    Rows of the process grid of pencils; 0: as square as possible.
batch : int
    The number of fields, which are transformed at once; above 1 arrays have a first axis for them.
transposed : bool
    Leave the spectrum in the order (y, x, z): less to send.
padded : bool
    Rows of a real field have ``2 * (nz // 2 + 1)`` values, to transform in place.
normalisation : {'inverse', 'none', 'unitary', 'forward'}
    Which transform is multiplied by 1/N (``unitary``: both by 1/sqrt(N)).
effort : {'estimate', 'measure', 'patient'}
    How long plans are searched.
tile : int
    Planes that are sent together; 0: chosen.
window : int, optional
    Tiles in flight while the next is transformed; 0: each is waited for. None: chosen.
carrier : {'messages', 'collective', 'shared_memory'}
    How planes are sent.
progress : str or Progress
timeline : Timeline, optional

Raises
------
InputError
    If a name or the dtype is unknown.
Error
    If the grid is empty, or can't be distributed so.

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
          [](PyFft* self, const std::tuple<std::size_t, std::size_t, std::size_t>& shape, const nb::object& dtype,
             nb::object comm, const std::string& decomposition, std::size_t rows, std::size_t batch, bool transposed,
             bool padded, const std::string& normalisation, const std::string& effort, std::size_t tile,
             std::optional<std::size_t> window, const std::string& carrier, const nb::object& progress,
             const nb::object& timeline) {
            make(self, {std::get<0>(shape), std::get<1>(shape), std::get<2>(shape)}, dtype, comm, decomposition, rows,
                 batch, transposed, padded, normalisation, effort, tile, window, carrier, progress, timeline);
          },
          nb::arg("shape"), nb::arg("dtype") = "float64", nb::kw_only(), nb::arg("comm") = nb::none(),
          nb::arg("decomposition") = "automatic", nb::arg("rows") = 0, nb::arg("batch") = 1,
          nb::arg("transposed") = false, nb::arg("padded") = false, nb::arg("normalisation") = "inverse",
          nb::arg("effort") = "measure", nb::arg("tile") = 0, nb::arg("window") = nb::none(),
          nb::arg("carrier") = "messages", nb::arg("progress") = "passive", nb::arg("timeline") = nb::none())
      .def(
          "forward",
          [](const PyFft& f, nb::handle field, const nb::object& spectrum) {
            return f.transform(true, field, spectrum);
          },
          nb::arg("field"), nb::arg("spectrum") = nb::none(),
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
          nb::arg("spectrum"), nb::arg("field") = nb::none(),
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
          "shape", [](const PyFft& f) { return nb::make_tuple(f.core->size[0], f.core->size[1], f.core->size[2]); },
          "Points of the whole grid.")
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
          "spectrum_axes", [](const PyFft& f) { return f.axes(true); },
          "The axes of the spectrum's array, outermost first: (0, 1, 2), or (1, 0, 2) if it is transposed.")
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
          nb::arg("type").none(), nb::arg("value").none(), nb::arg("traceback").none());
}

}  // namespace weft::python
