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

/// Applies a setting's tile, window, carrier and progress, and its decomposition, rows and rank_order
/// (weft::RankOrder), to the options. Collective.
void apply(const Setting& setting, Transport& transport, Options& options);

/// Candidates for Tuning of the process grid: decomposition, rows and rank_order. The first is the grid that Fft
/// chooses, in row-major order; then come slabs and pencils, the most square first, unless they leave a rank without
/// points, and those that `options` exclude; at most `most` grids. Each is a candidate in row-major order and by node
/// (the fewest values go to other nodes), unless that is the same. Collective.
template <class Value>
std::vector<Setting> grid_candidates(Transport& transport, const Size3& size, const Options& options,
                                     std::size_t most = 8);

/// Chooses decomposition, rows and rank_order of `options` by the stored result, or by a dry run of transforms in both
/// directions, on memory of its own. Call it before the field is allocated, since the choice decides where it is
/// (unless the program has boxes of its own), and before tune(). Returns a text for the user. Collective.
template <class Value>
std::string tune_grid(Transport& transport, const Size3& size, Options& options, const Tuning::Options& how);

/// Chooses tile, window and progress of `options` by the stored result, or by a dry run on `in` and `out`, of which
/// `out` is overwritten (a field and a spectrum, as for Fft::forward, or the reverse). Returns a text for the user.
/// Needs memory for a second transform. Collective.
template <class Value>
std::string tune(Transport& transport, const Size3& size, Options& options, bool forward, const void* in, void* out,
                 const Tuning::Options& how);

}  // namespace fft
}  // namespace weft
