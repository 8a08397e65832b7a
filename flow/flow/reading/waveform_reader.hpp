// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string_view>

#include "flow/case/table.hpp"
#include "program/section_reader.hpp"

namespace weft::flow {

/// Reads the waveform that an opening's key prescribes: a constant, a list of [time, value], a cosine {mean, amplitude,
/// period, phase}, or the name of a file, relative to `folder`. A list or a file may have a `period` beside it, and a
/// file the `unit` of its values. Values are multiplied by `unit`.
///
/// The file has two columns, time and value, in SI units or each with its unit: "12 ms, 30 cm/s". Its first line may be
/// a header, with letters in both cells, and with units for the numbers below: "time [ms], velocity [cm/s]". Empty
/// lines and # comments are skipped. A .flow file of SimVascular must have a unit; its first line may have the numbers
/// of rows and of Fourier modes. Throws InputError with file, line, the mistake and the allowed values.
Table read_waveform(const program::SectionReader& in, std::string_view key, program::Dimension dimension, double unit,
                    const std::filesystem::path& folder);

/// Whether a period may be given for a value: it is a list or a file.
bool is_series(const program::Value& value);

}  // namespace weft::flow
