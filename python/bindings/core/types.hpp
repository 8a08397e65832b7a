// SPDX-License-Identifier: BSD-3-Clause
//
// Types in signatures (nb::sig), for type checkers, editors and help(). The names are those of the C++ tables: a test
// compares them with the names in the error messages.
#pragma once

#define WEFT_PROGRESS "typing.Literal['passive', 'polling', 'thread', 'send_receive_threads']"
#define WEFT_GROUPING "typing.Literal['per_peer', 'per_part', 'by_size']"
#define WEFT_CARRIER "typing.Literal['messages', 'synchronous', 'datatypes', 'partitioned']"
#define WEFT_REDUCTION "typing.Literal['sum', 'minimum', 'maximum']"
#define WEFT_ACTIVITY "typing.Literal['compute', 'pack', 'wait', 'unpack', 'in_flight']"
#define WEFT_PATH "str | os.PathLike[str]"
#define WEFT_SETTING "dict[str, str]"
#define WEFT_BYTES "numpy.typing.NDArray[numpy.uint8]"
