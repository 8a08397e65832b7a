// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "wave/run.hpp"
#include "weft/file/whole_file.hpp"

namespace weft::wave {

void write_result_json(const std::filesystem::path& file, const Case& c, const RunResult& result,
                       const Transport& transport) {
  using json = nlohmann::ordered_json;
  const auto& d = c.domain;
  json document = {{"case", c.file.string()},
                   {"title", c.title},
                   {"mpi", transport.library()},
                   {"ranks", transport.size()},
                   {"cells", {d.blocks[0] * d.cells, d.blocks[1] * d.cells, d.blocks[2] * d.cells}},
                   {"block", d.cells},
                   {"levels_above", c.refinement.levels},
                   {"from_step", result.from_step},
                   {"steps", result.steps},
                   {"seconds", result.seconds},
                   {"cell_updates", result.cell_updates},
                   {"updates_per_second", result.updates_per_second()},
                   {"new_meshes", result.regrids},
                   {"tuned", result.tuned},
                   {"overlap", json::parse(result.overlap.json())}};
  const auto columns = Reading::columns(c.refinement.levels);
  for (const auto& [name, reading] : {std::pair{"first", &result.first}, std::pair{"last", &result.last}}) {
    const auto values = reading->values(c.refinement.levels);
    document[name]["step"] = reading->step;
    for (std::size_t k = 0; k < values.size(); ++k)
      document[name][columns[columns.size() - values.size() + k]] = values[k];
  }
  document["files"] = json::array();
  for (const auto& path : result.files) document["files"].push_back(path.string());
  WholeFile out(file);
  out.stream() << document.dump(2, ' ', false, json::error_handler_t::replace) << "\n";
  out.finish();
}

}  // namespace weft::wave
