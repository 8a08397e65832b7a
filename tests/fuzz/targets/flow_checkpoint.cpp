// SPDX-License-Identifier: BSD-3-Clause
#include "flow/run/checkpoint_file.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace weft::fuzz {

void flow_checkpoint(Bytes bytes) {
  std::string sealed;
  const auto file = as_checkpoint(bytes, "weftFLO4", sealed);
  is_read(file, [&] { flow::checkpoint::read_header_bytes(file); });
  if (sealed.empty()) return;
  is_read(file, [&] {
    const auto header = flow::checkpoint::parse(file, sealed);
    expect(header.step >= 0 && header.blocks >= 0 && header.sites >= 0 && header.opening_sites >= 0,
           "a negative count");
    for (const auto& seen : header.seen)
      expect(seen.inflow.size() == header.monitors.row.flow.size(), "openings of a rank");
    expect(flow::checkpoint::parse(file, flow::checkpoint::bytes_of(header)).settings == header.settings,
           "written anew");
  });
}

}  // namespace weft::fuzz
