// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string_view>

#include "flow/case/table.hpp"
#include "program/section_reader.hpp"

namespace weft::flow {

/// What an opening's key prescribes over time: a constant, a list of [time, value], a cosine
/// {mean, amplitude, period, phase}, or the name of a CSV file, relative to `folder`. A list and a file may have a
/// `period` beside them. `unit` is what one SI unit of the dimension counts for in the table.
///
/// The file has two columns, time and value, in SI units or each with its unit: "12 ms, 30 cm/s". Its first line may
/// name them, with units that hold for the numbers below: "time [ms], velocity [cm/s]". Empty lines and # comments are
/// passed over. Throws InputError: file, line, what is wrong and what is allowed.
Table read_waveform(const program::SectionReader& in, std::string_view key, program::Dimension dimension, double unit,
                    const std::filesystem::path& folder);

/// Whether a value is one that a period may repeat: a list or a CSV file.
bool is_series(const program::Value& value);

}  // namespace weft::flow
