// SPDX-License-Identifier: BSD-3-Clause
#include "history/badge.hpp"
#include "history/page.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace weft::fuzz {

void history(Bytes bytes) {
  const auto file = as_file(text_of(bytes), "20261130T164257Z.json");
  is_read(file, [&] {
    const std::vector runs(3, run::read_run(file));
    const auto page = history::page_of(runs, history::main_branch(runs, ""));
    expect(page.find("<script") == std::string::npos, "markup of the file in the page");
    expect(!history::badge_of(runs[0]).empty(), "no badge");
  });
}

}  // namespace weft::fuzz
