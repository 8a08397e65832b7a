// SPDX-License-Identifier: BSD-3-Clause
#include "fft_program/run.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
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
  void add(const char* name, double seconds) { stages_.emplace_back(name, seconds); }
  void time(const char* name, const std::function<void()>& action) {
    const double from = now_seconds();
    action();
    add(name, now_seconds() - from);
  }
  // Prints the durations; returns the same as JSON.
  json tell(Transport& world) const {
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

std::string output_dataset(const RunOptions& o) { return o.output_dataset.empty() ? "spectrum" : o.output_dataset; }

template <class Value>
void run_as(program::RunFrame& frame, mpi::Communicator& world, const RunOptions& o, const FieldFile& file,
            const fft::Size3& size, const std::string& type) {
  using F = fft::Fft<Value>;
  Stages stages;
  std::string chosen;  // result of tuning as text; empty: not tuned
  auto options = o.transform;
  options.transposed = !o.inverse && o.output.empty();  // the order does not matter
  if (!o.settings.tune) options.timeline = &frame.timeline();
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
  stages.time("read", [&] {
    if (o.inverse)
      read_box(world, file, fft->spectrum(), spectrum.data());
    else
      read_box(world, file, fft->field(), field.data());
  });
  if (o.settings.tune) {
    void *from = field.data(), *to = spectrum.data();
    if (o.inverse) std::swap(from, to);
    stages.time("tune",
                [&] { chosen = fft::tune<Value>(world, size, options, !o.inverse, from, to, *o.settings.tune); });
    if (world.rank() == 0) fmt::print("tune: {}\n", chosen);
    options.timeline = &frame.timeline();
    fft = std::make_unique<F>(world, size, options);
    plan();
  }
  frame.timeline().reset();  // discards tuning's trials
  if (o.inverse)
    fft->inverse({spectrum.data(), spectrum.size()}, {field.data(), field.size()});
  else
    fft->forward({field.data(), field.size()}, {spectrum.data(), spectrum.size()});
  stages.add("transform", fft->seconds.transform);
  stages.add("pack", fft->seconds.pack);
  stages.add("wait, unpack", fft->seconds.wait);
  if (!o.spectrum.empty())
    stages.time("spectrum", [&] {
      auto shells = energy_spectrum(world, size, fft->spectrum(), !F::is_complex, spectrum.data());
      const auto n = static_cast<double>(fft->points());
      const double factor = options.normalisation == fft::Normalisation::forward   ? 1
                            : options.normalisation == fft::Normalisation::unitary ? 1 / n
                                                                                   : 1 / (n * n);
      for (auto& shell : shells) shell.energy *= factor;
      write_spectrum(world, o.spectrum, shells);
    });
  if (!o.output.empty())
    stages.time("write", [&] {
      if (o.inverse)
        write_box(world, o.output, output_dataset(o), size, type, fft->field(), field.data());
      else
        write_box(world, o.output, output_dataset(o), spectrum_size(size, type), spectrum_type(type), fft->spectrum(),
                  spectrum.data());
    });
  const auto times = stages.tell(world);
  const auto overlap = overlap_report(world, frame.timeline(), 1, {"transform", "planes"});
  if (world.rank() == 0) fmt::print("\n{}\n", overlap.text());
  std::vector<std::filesystem::path> files;
  for (const auto& written : {o.output, o.spectrum})
    if (!written.empty()) files.push_back(written);
  frame.leave_trace(files);
  frame.leave_result(files, [&](const std::filesystem::path& to) {
    json document = {{"input", o.input.string()},
                     {"mpi", world.library()},
                     {"ranks", world.size()},
                     {"size", size},
                     {"type", type},
                     {"inverse", o.inverse},
                     {"grid", {fft->grid().rows, fft->grid().columns}},
                     {"tile", fft->tile()},
                     {"window", fft->window()},
                     {"backend", fft::name_of(fft->backend())},
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
  if (has_hdf5_name(o.output)) return check_new_dataset(o.output, output_dataset(o), o.force);
  if (!o.output_dataset.empty())
    throw InputError(o.output.string() +
                     ": --output-dataset needs an output of HDF5 (.h5, .hdf5). Omit it, or correct "
                     "the name.");
  if (!o.force) check_absent(o.output);
}

}  // namespace

void run(mpi::Communicator& world, const RunOptions& o) {
  if (!o.type.empty()) bytes_of_type(o.type);  // throws for an unknown type
  if (o.output.empty() && o.spectrum.empty())
    throw InputError("No output is requested. Give --output, --spectrum or both.", true);
  if (o.inverse && !o.spectrum.empty()) throw InputError("--spectrum needs a forward transform. Omit --inverse.", true);
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
  const auto file = find_field(world, o.input, o.dataset, size, o.inverse ? spectrum_type(type) : type);
  on_root(world, [&] { check_apart({o.output, o.spectrum}, {file.holder}); });
  if (!halved) type = file.type;
  const auto of_field = halved ? *o.size : file.size;
  if (type == "f64") return run_as<double>(frame, world, o, file, of_field, type);
  if (type == "f32") return run_as<float>(frame, world, o, file, of_field, type);
  if (type == "c128") return run_as<std::complex<double>>(frame, world, o, file, of_field, type);
  return run_as<std::complex<float>>(frame, world, o, file, of_field, type);
}

}  // namespace weft::fft_program
