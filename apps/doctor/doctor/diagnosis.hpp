// SPDX-License-Identifier: BSD-3-Clause
// What does not match, and what to set.
#pragma once

#include <string>
#include <vector>

#include "doctor/machine.hpp"
#include "doctor/measure.hpp"
#include "doctor/program.hpp"
#include "doctor/tools.hpp"

namespace weft::doctor {

/// All that was found out.
struct Findings {
  Machine machine;
  Compiler compiler;
  Launcher launcher;        ///< mpirun, or mpiexec where there is no mpirun
  Launcher other_launcher;  ///< mpiexec, beside mpirun
  Program program;
  std::vector<Examined> libraries;
  double seconds = 0;  ///< that it took

  /// The library of mpicc, of mpirun, and of the program; null: there is none, or it is not known.
  const Examined* of_compiler = nullptr;
  const Examined* of_launcher = nullptr;
  const Examined* of_program = nullptr;
};

struct Advice {
  std::string text, command;
};

struct Diagnosis {
  std::string verdict;
  std::vector<std::string> problems;  ///< what does not match
  std::vector<std::string> notes;     ///< what is odd, but stops nothing
  std::vector<Advice> advice;         ///< what to set
};

Diagnosis diagnose(const Findings& findings);

}  // namespace weft::doctor
