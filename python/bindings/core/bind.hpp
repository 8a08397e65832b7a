// SPDX-License-Identifier: BSD-3-Clause
//
// The Python module weft._core: each bind_NAME() adds the classes of NAME.cpp. Docstrings are in numpydoc format.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace weft::python {

namespace nb = nanobind;

void bind_world(nb::module_& m);
void bind_warning(nb::module_& m);
void bind_report(nb::module_& m);
void bind_device(nb::module_& m);
void bind_options(nb::module_& m);
void bind_requests(nb::module_& m);
void bind_exchange(nb::module_& m);
void bind_halo(nb::module_& m);
void bind_graph(nb::module_& m);
void bind_step(nb::module_& m);
void bind_monitors(nb::module_& m);
void bind_pipeline(nb::module_& m);
void bind_tune(nb::module_& m);
void bind_counterpart(nb::module_& m);
void bind_fft(nb::module_& m);

}  // namespace weft::python

// Types in signatures (nb::sig), for type checkers, editors and help(). The names are those of the C++ tables: a test
// compares them with the names in the error messages.
#define WEFT_PROGRESS "typing.Literal['passive', 'polling', 'thread', 'send_receive_threads']"
#define WEFT_GROUPING "typing.Literal['per_peer', 'per_part', 'by_size', 'per_node']"
#define WEFT_CARRIER "typing.Literal['messages', 'synchronous', 'datatypes', 'partitioned']"
#define WEFT_REDUCTION "typing.Literal['sum', 'minimum', 'maximum']"
#define WEFT_ACTIVITY "typing.Literal['compute', 'pack', 'wait', 'unpack', 'in_flight']"
#define WEFT_PATH "str | os.PathLike[str]"
#define WEFT_SETTING "dict[str, str]"
#define WEFT_BYTES "numpy.typing.NDArray[numpy.uint8]"
