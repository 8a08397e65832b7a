// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "doctor/diagnosis.hpp"

namespace weft::doctor {

/// As text of at most 100 columns, the verdict first.
std::string as_text(const Findings& findings, const Diagnosis& diagnosis);

/// As JSON for bug reports: all findings, with the environment variables for MPI.
std::string as_json(const Findings& findings, const Diagnosis& diagnosis);

}  // namespace weft::doctor
