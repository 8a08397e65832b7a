// SPDX-License-Identifier: BSD-3-Clause
#include "hemelb/gmy.hpp"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "hemelb/gmy_domain.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/support/gmy_writer.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::fuzz {

namespace {

// Version 4 with one block: its width (1 to 4), its number of fluid sites (2 bytes), then the block's content.
std::string file_of_a_block(std::string_view bytes) {
  const auto byte = [&](std::size_t i) {
    return i < bytes.size() ? static_cast<std::uint8_t>(bytes[i]) : std::uint8_t{0};
  };
  const auto width = 1U + byte(0) % 4U, sites = 256U * byte(1) + byte(2);
  const auto inside = bytes.substr(std::min<std::size_t>(3, bytes.size()));
  std::vector<Bytef> packed(compressBound(static_cast<uLong>(inside.size())));
  auto size = static_cast<uLongf>(packed.size());
  compress2(packed.data(), &size, reinterpret_cast<const Bytef*>(inside.data()), static_cast<uLong>(inside.size()), 0);
  std::string text;
  for (const std::uint32_t n : {0x686C6221U, 0x676D7904U, 4U, 1U, 1U, 1U, width, 0U, sites}) hemelb::test::put(text, n);
  hemelb::test::put(text, size);
  hemelb::test::put(text, inside.size());
  return text.append(reinterpret_cast<const char*>(packed.data()), size);
}

}  // namespace

void gmy(Bytes bytes) {
  auto text = text_of(bytes);
  std::string made;
  if (text.starts_with('b')) {
    made = file_of_a_block(text.substr(1));
    text = made;
  } else if (!text.empty()) {
    text.remove_prefix(1);
  }
  const auto file = as_file(text, "vessel.gmy");
  const std::vector<geometry::Opening> ends{{geometry::Opening::Kind::inlet, "in", {}, {0, 0, 1}, 1},
                                            {geometry::Opening::Kind::outlet, "out", {}, {0, 0, -1}, 1}};
  is_read(file, [&] {
    const auto gmy = hemelb::read_gmy(file);
    const auto measured = hemelb::measure_openings(gmy, ends);
    for (const auto radius : measured.radius) expect(std::isfinite(radius) && radius >= 0, "an opening's radius");
    constexpr std::int64_t most_sites = 4096;  // larger ones run the same code, but slowly
    if (measured.sites > most_sites) return;
    run_in_process(1, [&](Transport& transport) {
      geometry::SetupReport report;
      const auto domain = hemelb::make_domain(transport, gmy, {0.001, {}}, ends, report);
      expect(static_cast<std::int64_t>(domain.sites.size()) == measured.sites, "sites that the table does not have");
    });
  });
}

}  // namespace weft::fuzz
