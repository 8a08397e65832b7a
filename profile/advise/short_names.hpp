// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weft::advise {

/// Without what says least in a long name of C++: "Solver<...>::step" for
/// "(anonymous namespace)::Solver<double, Layout<3>>::step".
std::string without_details(const std::string& name);

/// The number of bytes, at most `most`, of the front of a text that ends between two words (also in "two_words"). If
/// the last word takes more than half of them, it is cut, but no character of UTF-8 is.
std::size_t whole_words(std::string_view text, std::size_t most);

/// A name in at most so many bytes: if it is longer, without details, and then without its end ("...").
std::string short_name(const std::string& name, std::size_t most);

}  // namespace weft::advise
