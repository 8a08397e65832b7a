// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "doctor/diagnosis.hpp"

namespace weft::doctor {

/// For a person: at most 100 columns, the verdict first.
std::string as_text(const Findings& findings, const Diagnosis& diagnosis);

/// For bug reports: all of it, with what the environment has for MPI.
std::string as_json(const Findings& findings, const Diagnosis& diagnosis);

}  // namespace weft::doctor
