// SPDX-License-Identifier: BSD-3-Clause
#include "box_program/checkpoint.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace weft::fuzz {

void box_checkpoint(Bytes bytes) {
  using namespace box_program::checkpoint;
  std::string sealed;
  const auto file = as_checkpoint(bytes, "weftBOX2", sealed);
  is_read(file, [&] { read_header_bytes(file); });
  if (sealed.empty()) return;
  is_read(file, [&] {
    const auto header = parse(file, sealed);
    expect(header.step >= 0 && header.step % 2 == 0, "a step between two that belong together");
    const auto anew = bytes_of(header);
    expect(bytes_of(parse(file, anew)) == anew, "written anew");
  });
}

}  // namespace weft::fuzz
