// SPDX-License-Identifier: BSD-3-Clause
#include "program/field_series.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "program/shared_file.hpp"
#include "weft/error.hpp"
#include "weft/file/whole_file.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::program {

namespace fs = std::filesystem;

FieldSeries::FieldSeries(mpi::Communicator& communicator, fs::path directory, std::string name)
    : communicator_(communicator), directory_(std::move(directory)), name_(std::move(name)) {
  on_root(communicator, [&] {
    std::error_code error;
    fs::create_directories(directory_, error);
    if (error) throw cannot_write(directory_, error.message());
  });
}

void FieldSeries::keep_earlier(std::int64_t step) {
  if (communicator_.rank() != 0) return;
  std::ifstream in(directory_ / (name_ + ".vtkhdf.series"), std::ios::binary);
  for (std::string line; std::getline(in, line);) {
    // The format of write_index(): {"name": "fields_00000012.vtkhdf", "time": 0.375}
    constexpr std::string_view before = "{\"name\": \"", between = "\", \"time\": ";
    const auto from = line.find(before), to = line.find(between);
    if (from == std::string::npos || to == std::string::npos) continue;
    const auto file = line.substr(from + before.size(), to - from - before.size());
    const auto number = file.find_first_of("0123456789", name_.size());
    std::error_code error;  // of an impossible name
    if (number == std::string::npos || !fs::exists(directory_ / file, error)) continue;
    if (std::strtoll(file.c_str() + number, nullptr, 10) > step) continue;
    written_.push_back({file, std::strtod(line.c_str() + to + between.size(), nullptr)});
  }
}

fs::path FieldSeries::write(std::int64_t step, double time, std::int64_t enough_bytes, const LayOut& lay_out,
                            const Put& put) {
  const auto file = directory_ / fmt::format("{}_{:08}.vtkhdf", name_, step);
  std::vector<std::int64_t> offsets;
  write_whole(
      communicator_, file,
      [&](const fs::path& unfinished) { offsets = hdf5::make_with_room(file, unfinished, enough_bytes, lay_out); },
      [&](SharedFile& out) {
        offsets = broadcast(communicator_, std::move(offsets));
        put(out, offsets);
      });
  on_root(communicator_, [&] {
    std::erase_if(written_, [&](const Written& w) { return w.file == file.filename(); });
    written_.push_back({file.filename().string(), time});
    write_index();
  });
  return file;
}

void FieldSeries::write_index() const {
  const auto index = directory_ / (name_ + ".vtkhdf.series");
  std::string text = "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [";
  for (std::size_t i = 0; i < written_.size(); ++i)
    text += fmt::format("{}\n    {{\"name\": \"{}\", \"time\": {}}}", i ? "," : "", written_[i].file, written_[i].time);
  text += "\n  ]\n}\n";
  WholeFile out(index);
  out.stream() << text;
  out.finish();
}

}  // namespace weft::program
