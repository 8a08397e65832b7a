// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace weft::run {

/// A function's name as in the source code: "solver::sweep" for gfortran's "__solver_MOD_sweep" and Intel's
/// "solver_mp_sweep_", "mpi4py.MPI.Comm.Isend" for Cython's "__pyx_pw_6mpi4py_3MPI_4Comm_77Isend", without the suffixes
/// of copies made by compilers (".constprop.0"). Other names stay unchanged.
std::string readable(std::string function, const std::string& file = {});

bool is_fortran(const std::string& file);  ///< by its extension

}  // namespace weft::run
