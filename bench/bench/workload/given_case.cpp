// SPDX-License-Identifier: BSD-3-Clause
#include "bench/workload/given_case.hpp"

#include "flow/reading/case_reader.hpp"
#include "program/same_file.hpp"
#include "weft/file/beside.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {

flow::Case given_case(Transport& transport, const std::filesystem::path& file, const Options& options) {
  flow::Case c;
  program::check_same_file(transport, file);
  together(transport, [&] {
    c = flow::read_case(file);
    check_apart(options.json, c.surface.file);
    for (const auto& opening : c.openings) check_apart(options.json, opening.value.file);
  });
  return c;
}

}  // namespace weft::bench
