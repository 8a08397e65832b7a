// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "fft/fft.hpp"
#include "weft/tune/tuning.hpp"

namespace weft::fft {

/// Ways to transform, for Tuning: first all planes at once, waited for (no overlap), then in tiles, with windows of
/// them and all who can drive them. `options` say what is chosen if nobody tunes, and all else.
template <class Value>
std::vector<Setting> candidates(Transport& transport, const Size3& size, const Options& options);

/// Puts a setting's tile, window and progress into the options.
void apply(const Setting& setting, Transport& transport, Options& options);

/// Chooses tile, window and progress of `options` by what is stored, or by a dry run on `in` and `out`, of which `out`
/// is overwritten (a field and a spectrum, as Fft::forward has them, or the other way round). Returns what to tell a
/// person. Takes memory for a second transform. Collective.
template <class Value>
std::string tune(Transport& transport, const Size3& size, Options& options, bool forward, const void* in, void* out,
                 const Tuning::Options& how);

}  // namespace weft::fft
