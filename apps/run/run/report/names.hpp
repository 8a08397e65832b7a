// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace weft::run {

/// A function's name as its author wrote it: "solver::sweep" of gfortran's "__solver_MOD_sweep" and of Intel's
/// "solver_mp_sweep_", "mpi4py.MPI.Comm.Isend" of Cython's "__pyx_pw_6mpi4py_3MPI_4Comm_77Isend", and nothing of what
/// compilers add to copies of a function (".constprop.0"). Other names stay as they are.
std::string readable(std::string function, const std::string& file = {});

bool is_fortran(const std::string& file);  ///< by its ending

}  // namespace weft::run
