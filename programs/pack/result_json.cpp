// SPDX-License-Identifier: BSD-3-Clause
#include "pack/result_json.hpp"

#include <nlohmann/json.hpp>

#include "weft/file/whole_file.hpp"

namespace weft::pack {

void write_result_json(const std::filesystem::path& file, const Ended& ended, const OverlapReport& overlap,
                       const Transport& transport, const std::vector<std::filesystem::path>& files) {
  using json = nlohmann::ordered_json;
  const auto& p = ended.packed;
  json document = {{"command", ended.command},   {"input", ended.files},      {"output", ended.out},
                   {"mpi", transport.library()}, {"ranks", transport.size()}, {"in_bytes", p.in_bytes},
                   {"out_bytes", p.out_bytes},   {"blocks", p.blocks},        {"seconds", p.seconds},
                   {"one_rank", p.one_rank},     {"files", json::array()},    {"overlap", json::parse(overlap.json())}};
  if (!ended.codec.empty()) document["codec"] = ended.codec;
  for (const auto& path : files) document["files"].push_back(path.string());
  WholeFile out(file);
  out.stream() << document.dump(2, ' ', false, json::error_handler_t::replace) << "\n";
  out.finish();
}

}  // namespace weft::pack
