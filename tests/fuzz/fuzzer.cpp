// SPDX-License-Identifier: BSD-3-Clause
//
// The program that libFuzzer runs for one target, WEFT_FUZZ_TARGET.
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  weft::fuzz::WEFT_FUZZ_TARGET({bytes, size});
  return 0;
}
