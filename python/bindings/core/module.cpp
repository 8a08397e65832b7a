// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <exception>

#include "core/bind.hpp"
#include "core/end.hpp"
#include "shared/plain_errors.hpp"
#include "weft/error.hpp"
#include "weft/version.hpp"

namespace weft::python {
namespace {

// The exceptions of Python, in the order in which they are tried. They live as long as the process.
PyObject *error = nullptr, *peer_error = nullptr, *input_error = nullptr;

// The classes are those of weft/errors.py, which the module _programs raises, too.
void bind_errors(nb::module_& m) {
  const nb::module_ errors = nb::module_::import_("weft.errors");
  const auto take = [&](const char* name) {
    const nb::object type = errors.attr(name);
    m.attr(name) = type;
    return type.inc_ref().ptr();
  };
  error = take("Error");
  peer_error = take("PeerError");
  input_error = take("InputError");
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const InputError& e) {
      PyErr_SetString(input_error, e.what());
    } catch (const PeerError& e) {
      PyErr_SetString(peer_error, e.what());
    } catch (const Error& e) {
      PyErr_SetString(error, e.what());
    } catch (const std::bad_cast&) {
      PyErr_SetString(
          PyExc_TypeError,
          "An argument has a type that weft can't use, or an object was not initialised. See help() for the "
          "types; in a subclass call super().__init__() first.");
    }
  });
}

}  // namespace
}  // namespace weft::python

NB_MODULE(_core, m) {
  using namespace weft::python;
  nb::set_leak_warnings(false);  // objects of a program that ends in an exception outlive the interpreter
  // help() and signatures name the classes as a program does: weft.Exchange. The generator of the stub needs the real
  // name.
  const nb::object name = m.attr("__name__");
  if (std::getenv("WEFT_STUBGEN") == nullptr) m.attr("__name__") = "weft";
  m.doc() = "The core of weft: overlap of MPI communication with computation.";
  m.attr("__version__") = WEFT_VERSION;
  bind_errors(m);
  bind_world(m);
  bind_warning(m);
  bind_report(m);
  bind_device(m);
  bind_options(m);
  bind_requests(m);
  bind_exchange(m);
  bind_halo(m);
  bind_graph(m);
  bind_step(m);
  bind_monitors(m);
  bind_pipeline(m);
  bind_tune(m);
  bind_counterpart(m);
#ifdef WEFT_HAVE_FFT
  bind_fft(m);
#endif
  make_errors_plain(m);
  m.attr("__name__") = name;
  watch_exceptions();
  nb::module_::import_("weft._shown").attr("install")(m);
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&end));
}
