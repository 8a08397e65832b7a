// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "bench/shared/report.hpp"
#include "flow/case/case.hpp"
#include "weft/transport/transport.hpp"

namespace weft::bench {

/// The case in a given file. Collective. Throws an InputError on all ranks, also if the report would replace a file of
/// the case.
flow::Case given_case(Transport& transport, const std::filesystem::path& file, const Options& options);

}  // namespace weft::bench
