// SPDX-License-Identifier: BSD-3-Clause
#include "weft/tune/store.hpp"

#include "tests/fuzz/fuzz.hpp"
#include "tests/support/scratch.hpp"
#include "weft/error.hpp"

namespace weft::fuzz {

namespace {

// Uses the store as a program does. Refusing a wrong value is the program's task.
void use(const Setting& setting) {
  try {
    StepOptions options;
    apply(setting, options);
    number_of(setting, "tile", 1);
  } catch (const InputError&) {
  }
}

}  // namespace

void tune_store(Bytes bytes) {
  const auto file = as_file(text_of(bytes), "tuned.toml");
  is_read(file, [&] {
    TuneStore store(file);
    if (store.entries().empty()) return;
    for (const auto& entry : store.entries()) use(entry.setting);
    const auto first = store.entries().front();
    store.put(first);
    const auto written = test::content(file);
    expect(TuneStore(file).entries().size() == store.entries().size(), "entries that were lost");
    store.put(store.entries().front());
    expect(test::content(file) == written, "another file when it is written again");
  });
}

}  // namespace weft::fuzz
