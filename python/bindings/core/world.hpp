// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "weft/mpi/communicator.hpp"

namespace weft::python {

namespace nb = nanobind;

/// The transport of a communicator: none (all ranks), an object with py2f() such as mpi4py's, or the integer handle of
/// MPI_Comm_c2f. Initialises MPI if nobody has. Each communicator is duplicated once; the duplicate is its attribute,
/// so all ranks agree whether there is one, and it ends with the communicator. Collective.
std::shared_ptr<mpi::Communicator> transport_of(nb::handle comm);

/// Whether this process was forked after MPI was used: MPI belongs to the parent.
bool is_forked();
/// Tells all ranks that this one ends by an exception, and ends the job unless all of them do within seconds. Not if
/// WEFT_ABORT is `no`, or for a single rank.
void end_job_unless_all_end(const std::string& why);
/// Destroys the duplicates, and finalises MPI if weft has initialised it.
void end_mpi();

}  // namespace weft::python
