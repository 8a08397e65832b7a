// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

#include "bench/shared/report.hpp"
#include "flow/case/case.hpp"
#include "flow/vessel/vessel.hpp"
#include "weft/transport/transport.hpp"

namespace weft::bench {

/// The case in a given file. Collective. Throws an InputError on all ranks, also if the report would replace a file of
/// the case.
flow::Case given_case(Transport& transport, const std::filesystem::path& file, const Options& options);

/// A straight vessel with about so many fluid sites, four diameters long, along the diagonal of a plane so that no axis
/// is preferred. Fills `c` with its case (an inlet with a small velocity, an outlet). Collective.
flow::Vessel synthetic_vessel(Transport& transport, std::int64_t sites, flow::Case& c);

/// The vessel of a case file, or a straight one if none is given. Fills `c` with its case. Collective.
flow::Vessel vessel_of(Transport& transport, const std::filesystem::path& case_file, std::int64_t sites,
                       const Options& options, flow::Case& c);

}  // namespace weft::bench
