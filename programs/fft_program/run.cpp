// SPDX-License-Identifier: BSD-3-Clause
#include "fft_program/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fft/tune.hpp"
#include "fft_program/field_file.hpp"
#include "fft_program/hdf5_field.hpp"
#include "fft_program/spectrum.hpp"
#include "program/run_frame.hpp"
#include "weft/clock.hpp"
#include "weft/file/beside.hpp"
#include "weft/file/whole_file.hpp"
#include "weft/step/overlap_report.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::fft_program {
namespace {

using json = nlohmann::ordered_json;

// The stages and their durations on this rank.
class Stages {
 public:
  void add(const char* name, double seconds) {
    const auto there = std::ranges::find(stages_, std::string_view(name), [](const auto& s) { return s.first; });
    if (there == stages_.end())
      stages_.emplace_back(name, seconds);
    else
      there->second += seconds;
  }
  void time(const char* name, const std::function<void()>& action) {
    const double from = now_seconds();
    action();
    add(name, now_seconds() - from);
  }
  // Prints the durations; returns the same as JSON.
  json report(Transport& world) const {
    json all = json::object();
    if (world.rank() == 0) fmt::print("{:12} {:>12} {:>12}   ms\n", "", "mean", "slowest");
    for (const auto& [name, seconds] : stages_) {
      const double mean = all_reduce(world, seconds, sum<double>()) / world.size();
      const double most = all_reduce(world, seconds, maximum<double>());
      if (world.rank() == 0) fmt::print("{:12} {:12.3f} {:12.3f}\n", name, 1e3 * mean, 1e3 * most);
      all[name] = {{"mean_s", mean}, {"most_s", most}};
    }
    return all;
  }

 private:
  std::vector<std::pair<const char*, double>> stages_;
};

// The type of the numbers in the file of a spectrum.
std::string spectrum_type(const std::string& type) { return type == "f64" ? "c128" : type == "f32" ? "c64" : type; }
fft::Size3 spectrum_size(fft::Size3 size, const std::string& type) {
  if (type[0] == 'f') size[2] = size[2] / 2 + 1;
  return size;
}

std::vector<std::string> output_datasets(const RunOptions& o) {
  if (!o.output_datasets.empty()) return o.output_datasets;
  return o.datasets.size() > 1 ? o.datasets : std::vector<std::string>{"spectrum"};
}

template <class Value>
void run_as(program::RunFrame& frame, mpi::Communicator& world, const RunOptions& o,
            const std::vector<FieldFile>& fields, const fft::Size3& size, const std::string& type) {
  using F = fft::Fft<Value>;
  Stages stages;
  std::string chosen;  // result of tuning as text; empty: not tuned
  auto options = o.transform;
  options.transposed = !o.inverse && o.output.empty();  // the order does not matter
  if (!o.settings.tune) options.timeline = &frame.timeline();
  const auto tuned = [&](std::string text) {
    if (world.rank() == 0) fmt::print("tune: {}\n", text);
    chosen += (chosen.empty() ? "" : "; ") + std::move(text);
  };
  if (o.settings.tune && world.size() > 1)  // first, since it decides where the field is
    stages.time("tune grid", [&] { tuned(fft::tune_grid<Value>(world, size, options, *o.settings.tune)); });
  auto fft = std::make_unique<F>(world, size, options);
  fft::Buffer<Value> field(fft->field_size());
  fft::Buffer<typename F::Complex> spectrum(fft->spectrum_size());
  const auto plan = [&] {
    if (world.rank() == 0) {
      fmt::print("{} {} points of type {} on {} ranks as {}x{} {}, tile {}, window {}, by {}\n",
                 o.inverse ? "inverse:" : "forward:", fft::text_of(size), type, world.size(), fft->grid().rows,
                 fft->grid().columns, fft->grid().columns == 1 ? "slabs" : "pencils", fft->tile(), fft->window(),
                 fft::text_of(fft->backend()));
      std::fflush(stdout);
    }
    stages.time("plan", [&] { fft->plan(!o.inverse); });
  };
  if (!o.settings.tune) plan();
  const auto read = [&](const FieldFile& file) {
    if (o.inverse)
      read_box(world, file, fft->spectrum(), spectrum.data());
    else
      read_box(world, file, fft->field(), field.data());
  };
  stages.time("read", [&] { read(fields.front()); });
  if (o.settings.tune) {
    void *from = field.data(), *to = spectrum.data();
    if (o.inverse) std::swap(from, to);
    stages.time("tune", [&] { tuned(fft::tune<Value>(world, size, options, !o.inverse, from, to, *o.settings.tune)); });
    options.timeline = &frame.timeline();
    fft = std::make_unique<F>(world, size, options);
    plan();
  }
  frame.timeline().reset();  // discards tuning's trials
  std::optional<FieldWriter> writer;
  std::vector<Shell> shells;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    if (k > 0) stages.time("read", [&] { read(fields[k]); });
    fft->seconds = {};
    if (o.inverse)
      fft->inverse({spectrum.data(), spectrum.size()}, {field.data(), field.size()});
    else
      fft->forward({field.data(), field.size()}, {spectrum.data(), spectrum.size()});
    stages.add("transform", fft->seconds.transform);
    stages.add("pack", fft->seconds.pack);
    stages.add("wait, unpack", fft->seconds.wait);
    if (!o.spectrum.empty())
      stages.time("spectrum", [&] {
        const auto its = energy_spectrum(world, size, fft->spectrum(), !F::is_complex, spectrum.data());
        shells.resize(its.size());
        for (std::size_t n = 0; n < its.size(); ++n) {
          shells[n].energy += its[n].energy;
          shells[n].waves = its[n].waves;
        }
      });
    if (!o.output.empty())
      stages.time("write", [&] {
        if (!writer && o.inverse)
          writer.emplace(world, o.output, output_datasets(o), size, type);
        else if (!writer)
          writer.emplace(world, o.output, output_datasets(o), spectrum_size(size, type), spectrum_type(type));
        if (o.inverse)
          writer->write(k, fft->field(), field.data());
        else
          writer->write(k, fft->spectrum(), spectrum.data());
      });
  }
  if (!o.spectrum.empty())
    stages.time("spectrum", [&] {
      const auto n = static_cast<double>(fft->points());
      const double factor = options.normalisation == fft::Normalisation::forward   ? 1
                            : options.normalisation == fft::Normalisation::unitary ? 1 / n
                                                                                   : 1 / (n * n);
      for (auto& shell : shells) shell.energy *= factor;
      write_spectrum(world, o.spectrum, shells);
    });
  if (writer) stages.time("write", [&] { writer->finish(); });
  const auto times = stages.report(world);
  const auto overlap =
      overlap_report(world, frame.timeline(), static_cast<std::int64_t>(fields.size()), {"transform", "planes"});
  if (world.rank() == 0) fmt::print("\n{}\n", overlap.text());
  std::vector<std::filesystem::path> files;
  for (const auto& written : {o.output, o.spectrum})
    if (!written.empty()) files.push_back(written);
  frame.leave_trace(files);
  frame.leave_result(files, [&](const std::filesystem::path& to) {
    json document = {{"input", o.input.string()},
                     {"datasets", o.datasets},
                     {"mpi", world.library()},
                     {"ranks", world.size()},
                     {"size", size},
                     {"type", type},
                     {"inverse", o.inverse},
                     {"grid", {fft->grid().rows, fft->grid().columns}},
                     {"tile", fft->tile()},
                     {"window", fft->window()},
                     {"backend", fft::backend_names.of(fft->backend())},
                     {"tuned", chosen},
                     {"stages", times},
                     {"overlap", json::parse(overlap.json())},
                     {"files", json::array()}};
    for (const auto& path : files) document["files"].push_back(path.string());
    WholeFile out(to);
    out.stream() << document.dump(2, ' ', false, json::error_handler_t::replace) << "\n";
    out.finish();
  });
  if (world.rank() != 0) return;
  for (const auto& written : files) fmt::print("written: {}\n", written.string());
}

void check_output(const RunOptions& o) {
  WholeFile::check_given_plain(o.output);
  if (has_hdf5_name(o.output)) {
    for (const auto& name : output_datasets(o)) check_new_dataset(o.output, name, o.force);
    return;
  }
  const auto raw = [&](const char* why) {
    return InputError(fmt::format("{}: {}. Give an output of HDF5 (.h5, .hdf5).", o.output.string(), why));
  };
  if (!o.output_datasets.empty()) throw raw("A raw file has no --output-dataset");
  if (o.datasets.size() > 1) throw raw("A raw file has one field, but several datasets are given");
  if (!o.force) check_absent(o.output);
}

// The fields of the input, all of one size and type.
std::vector<FieldFile> find_fields(mpi::Communicator& world, const RunOptions& o, const std::optional<fft::Size3>& size,
                                   const std::string& type) {
  std::vector<FieldFile> fields;
  for (const auto& name : o.datasets.empty() ? std::vector<std::string>{""} : o.datasets) {
    fields.push_back(find_field(world, o.input, name, size, type));
    if (fields.back().size != fields[0].size || fields.back().type != fields[0].type)
      throw InputError(fmt::format("{}: The datasets '{}' and '{}' differ in size or type. Transform each in a run of "
                                   "its own.",
                                   o.input.string(), fields[0].dataset, name),
                       true);
  }
  return fields;
}

void check_names(const RunOptions& o) {
  if (const auto n = std::max<std::size_t>(1, o.datasets.size());
      !o.output_datasets.empty() && o.output_datasets.size() != n)
    throw InputError(fmt::format("--output-dataset is given {} times, for {} fields. Give it once for each --dataset.",
                                 o.output_datasets.size(), n),
                     true);
  auto names = output_datasets(o);
  for (auto& name : names) name.erase(0, name.find_first_not_of('/'));
  for (const auto& one : names)
    for (const auto& other : names)
      if (&one != &other && (one + "/").starts_with(other + "/"))
        throw InputError(
            fmt::format("The output dataset '{}' is the same as, or lies in, '{}'. Give another name.", one, other),
            true);
}

}  // namespace

void run(mpi::Communicator& world, const RunOptions& o) {
  if (!o.type.empty()) bytes_of_type(o.type);  // throws for an unknown type
  if (o.output.empty() && o.spectrum.empty())
    throw InputError("No output is requested. Give --output, --spectrum or both.", true);
  if (o.inverse && !o.spectrum.empty()) throw InputError("--spectrum needs a forward transform. Omit --inverse.", true);
  check_names(o);
  together(world, [] { fft::default_backend(); });  // throws for an invalid WEFT_FFT_BACKEND, before files are read
  program::RunFrame frame(world, o.settings, {});
  frame.reads(o.input);
  for (const auto& written : {o.output, o.spectrum}) frame.writes(written);
  frame.check_files();
  on_root(world, [&] {  // fails early, not after a long run
    check_apart({o.output, o.spectrum}, {o.input});
    if (!o.output.empty()) check_output(o);
    if (!o.spectrum.empty()) WholeFile::check_given(o.spectrum);
  });
  auto size = o.size;
  auto type = o.type;
  const bool halved = o.inverse && !type.empty() && type[0] == 'f';
  if (halved && !size)
    throw InputError("The size of the field can't be derived from half a spectrum. Give it with --size.", true);
  if (o.inverse && size) size = spectrum_size(*size, type.empty() ? "c128" : type);
  const auto fields = find_fields(world, o, size, o.inverse ? spectrum_type(type) : type);
  const auto& file = fields.front();
  for (const auto& one : fields) on_root(world, [&] { check_apart({o.output, o.spectrum}, {one.holder}); });
  if (!halved) type = file.type;
  const auto of_field = halved ? *o.size : file.size;
  if (type == "f64") return run_as<double>(frame, world, o, fields, of_field, type);
  if (type == "f32") return run_as<float>(frame, world, o, fields, of_field, type);
  if (type == "c128") return run_as<std::complex<double>>(frame, world, o, fields, of_field, type);
  return run_as<std::complex<float>>(frame, world, o, fields, of_field, type);
}

}  // namespace weft::fft_program
