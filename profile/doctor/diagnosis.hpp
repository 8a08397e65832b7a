// SPDX-License-Identifier: BSD-3-Clause
// The mismatches found, and advice.
#pragma once

#include <string>
#include <vector>

#include "doctor/machine.hpp"
#include "doctor/measure.hpp"
#include "doctor/tools.hpp"

namespace weft::doctor {

/// All findings.
struct Findings {
  Machine machine;
  Compiler compiler;
  Launcher launcher;        ///< mpirun, or mpiexec if there is no mpirun
  Launcher other_launcher;  ///< mpiexec, in addition to mpirun
  Program program;
  std::vector<Examined> libraries;
  double seconds = 0;  ///< duration of the examination

  /// The libraries of mpicc, of mpirun and of the program; null: none, or unknown.
  const Examined* of_compiler = nullptr;
  const Examined* of_launcher = nullptr;
  const Examined* of_program = nullptr;
};

struct Advice {
  std::string text, command;
};

struct Diagnosis {
  std::string verdict;
  std::vector<std::string> problems;  ///< mismatches
  std::vector<std::string> notes;     ///< oddities that do no harm
  std::vector<Advice> advice;         ///< settings to make
};

Diagnosis diagnose(const Findings& findings);

/// As text of at most 100 columns, the verdict first.
std::string as_text(const Findings& findings, const Diagnosis& diagnosis);

/// As JSON for bug reports: all findings, with the environment variables for MPI.
std::string as_json(const Findings& findings, const Diagnosis& diagnosis);

}  // namespace weft::doctor
