// SPDX-License-Identifier: BSD-3-Clause
#include "bench/pack/pack.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "bench/shared/process.hpp"
#include "bench/shared/rotation.hpp"
#include "pack/pack.hpp"
#include "program/scratch_folder.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/yield.hpp"

namespace weft::bench {
namespace {

namespace fs = std::filesystem;
using MapWay = weft::pack::MapOptions::Way;

// A folder for the input and the outputs.
class Folder : public program::ScratchFolder {
 public:
  explicit Folder(Transport& world) : ScratchFolder(world, "bench-pack") {}
  std::string operator/(const std::string& name) const { return (path() / name).string(); }
};

void append(std::ofstream& out, const fs::path& file, std::uint64_t most) {
  std::ifstream in(file, std::ios::binary);
  std::vector<char> buffer(std::size_t{1} << 20);
  while (most > 0 && in) {
    in.read(buffer.data(), static_cast<std::streamsize>(std::min<std::uint64_t>(buffer.size(), most)));
    out.write(buffer.data(), in.gcount());
    most -= static_cast<std::uint64_t>(in.gcount());
  }
}

// Gathers texts, sources, libraries and programs, a quarter each, sorted by name; files of 1 kB to 20 MB.
void gather_files(std::ofstream& out, std::uint64_t bytes) {
  for (const char* folder : {"/usr/share/doc", "/usr/include", "/usr/lib", "/usr/bin"}) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::recursive_directory_iterator i(folder, fs::directory_options::skip_permission_denied, error), end;
         !error && i != end; i.increment(error))
      if (!i->is_symlink(error) && i->is_regular_file(error)) files.push_back(i->path());
    std::sort(files.begin(), files.end());
    std::uint64_t left = bytes / 4;
    for (const auto& file : files) {
      const auto size = fs::file_size(file, error);
      if (error || size < 1000 || size > 20000000 || size > left) continue;
      append(out, file, size);
      left -= size;
    }
  }
}

// The other ranks wait without spinning, since a spinning rank would use a core that the program started by rank 0
// needs.
void on_root_alone(Transport& world, const std::function<void()>& action) {
  together(world, [&] {
    char told = 0;
    if (world.rank() == 0) {
      std::exception_ptr error;
      try {
        action();
      } catch (...) {
        error = std::current_exception();
      }
      for (int r = 1; r < world.size(); ++r) complete(*world.send(std::as_bytes(std::span(&told, 1)), r, 1));
      if (error) std::rethrow_exception(error);
      return;
    }
    const auto receive = world.receive(std::as_writable_bytes(std::span(&told, 1)), 0, 1);
    receive->start();
    for (; !receive->test(); yield()) std::this_thread::sleep_for(std::chrono::microseconds(500));
  });
}

struct Tool {
  std::string name, figure;
  std::vector<std::string> command;
};

// The tools with as many threads as ranks, the same level and block size, writing to standard output.
std::vector<Tool> tools_for(const std::string& codec, int ranks, int level) {
  const auto n = std::to_string(ranks), l = fmt::format("-{}", level);
  std::vector<Tool> wanted{{fmt::format("zstd -T{}", n), "over_zstd", {"zstd", "-q", "-c", l, fmt::format("-T{}", n)}}};
  if (codec == "xz") wanted = {{"xz -T" + n, "over_xz", {"xz", "-q", "-c", l, "-T" + n}}};
  if (codec == "gzip") wanted = {{"pigz", "over_pigz", {"pigz", "-c", l, "-p", n}}};
  if (codec == "bzip2")
    wanted = {{"lbzip2", "over_lbzip2", {"lbzip2", "-c", l, "-n", n}},
              {"pbzip2", "over_pbzip2", {"pbzip2", "-c", l, fmt::format("-p{}", n)}}};
  std::vector<Tool> found;
  for (auto& tool : wanted)
    if (const auto program = find_program(tool.command.front()); !program.empty()) {
      tool.command.front() = program.string();
      found.push_back(std::move(tool));
    }
  return found;
}

void measure(mpi::Communicator& world, const PackBenchOptions& o, const std::string& codec, const Folder& folder,
             Report& report) {
  const auto& format = weft::pack::format_named(codec);
  std::vector<Timed> turns;
  weft::pack::Packed packed;
  const auto ours = [&](const std::string& name, MapWay way) {
    turns.push_back({name, [&, way] {
                       packed = weft::pack::pack(world, {.files = {folder / "input"},
                                                         .out = folder / "ours",
                                                         .codec = format.kind,
                                                         .way = way,
                                                         .window = o.window,
                                                         .overwrite = true});
                     }});
  };
  ours("pipelined", MapWay::gather);
  ours("compress, then gather", MapWay::after);
  ours("written by all", MapWay::parallel);
  const auto tools = o.tools ? tools_for(codec, world.size(), format.default_level) : std::vector<Tool>{};
  std::vector<double> theirs(tools.size());                                    // bytes written
  const auto count = all_reduce(world, tools.size(), minimum<std::size_t>());  // rank 0's machine decides
  for (std::size_t t = 0; t < count; ++t)
    turns.push_back({tools[t].name, [&, t] {
                       on_root_alone(world, [&] {
                         auto command = tools[t].command;
                         command.push_back(folder / "input");
                         const auto file = folder / "theirs";
                         fs::remove(file);  // weft's output is written to a new file, too
                         if (run_program(command, file) != 0) throw Error(tools[t].name + " failed.");
                         theirs[t] = static_cast<double>(fs::file_size(file));
                       });
                     }});
  time_in_turns(world, turns, {.seconds = o.seconds_or(18, 60), .fewest = 3, .batch_seconds = 1e-6});
  const auto name = [&](const std::string& what) {
    return codec + " " + std::to_string(format.default_level) + ": " + what;
  };
  for (const auto& turn : turns) {
    report.result(name(turn.name), turn.spread(), "s");
    if (&turn != turns.data()) report.result(name("pipelined over " + turn.name), ratio(turns[0], turn), "");
  }
  const auto compression =
      static_cast<double>(packed.in_bytes) / static_cast<double>(std::max<std::uint64_t>(1, packed.out_bytes));
  report.result(name("ratio"), compression, "");
  for (std::size_t t = 0; t < count; ++t)
    report.result(name(tools[t].name + ", ratio"),
                  static_cast<double>(packed.in_bytes) / all_reduce(world, theirs[t], maximum<double>()), "");
  report.figure(&codec == &o.codecs.front() ? "pipelined_speedup" : "pipelined_speedup_" + codec,
                ratio(turns[1], turns[0]));
  for (std::size_t t = 0; t < count; ++t) report.figure(tools[t].figure, ratio(turns[0], turns[3 + t]));
}

}  // namespace

void pack(mpi::Communicator& world, const PackBenchOptions& options) {
  Report report("pack", world, options);
  const auto bytes = options.quick ? std::min<std::uint64_t>(options.bytes, 60000000) : options.bytes;
  const Folder folder(world);
  std::uint64_t gathered = 0;
  on_root(world, [&] {
    std::ofstream out(folder / "input", std::ios::binary);
    if (options.files.empty()) gather_files(out, bytes);
    for (const auto& file : options.files) {
      if (::access(file.c_str(), R_OK) != 0 || fs::is_directory(file))
        throw InputError(file + ": This file can't be read. Give readable files.");
      append(out, file, bytes - std::min<std::uint64_t>(bytes, static_cast<std::uint64_t>(out.tellp())));
    }
    out.close();
    if (!out.good())
      throw InputError("The temporary folder has no space for the input. Set TMPDIR to a folder with more space.");
    gathered = fs::file_size(folder / "input");
  });
  report.setting("bytes", gathered);
  report.setting("files",
                 options.files.empty() ? "gathered from /usr" : fmt::format("{}", fmt::join(options.files, " ")));
  report.setting("window", options.window);
  for (const auto& codec : options.codecs) measure(world, options, codec, folder, report);
  report.note("The tools run with as many threads as there are ranks, on any core. Their times include their start.");
  report.finish(world);
}

}  // namespace weft::bench
