// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "fft/fft.hpp"
#include "weft/tune/tuning.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace fft {

/// Candidates for Tuning of a transform: first all planes at once, waited for (no overlap), then in tiles, with
/// different windows and progress modes. `options` has the default choice and all other options.
template <class Value>
std::vector<Setting> candidates(Transport& transport, const Size3& size, const Options& options);

/// Applies a setting's tile, window and progress to the options.
void apply(const Setting& setting, Transport& transport, Options& options);

/// Chooses tile, window and progress of `options` by the stored result, or by a dry run on `in` and `out`, of which
/// `out` is overwritten (a field and a spectrum, as for Fft::forward, or the reverse). Returns a text for the user.
/// Needs memory for a second transform. Collective.
template <class Value>
std::string tune(Transport& transport, const Size3& size, Options& options, bool forward, const void* in, void* out,
                 const Tuning::Options& how);

}  // namespace fft
}  // namespace weft
