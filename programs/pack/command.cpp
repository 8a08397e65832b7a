// SPDX-License-Identifier: BSD-3-Clause
#include "pack/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "command_line/run_options.hpp"
#include "pack/archive.hpp"
#include "pack/input.hpp"
#include "pack/pack.hpp"
#include "program/readable.hpp"
#include "program/run_frame.hpp"
#include "weft/error.hpp"
#include "weft/file/whole_file.hpp"
#include "weft/step/overlap_report.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/timeout.hpp"
#include "weft/transport/transport.hpp"

namespace weft::pack {
namespace {

/// The outcome of `weft pack` or `weft unpack`.
struct Ended {
  std::string command;
  std::vector<std::string> files;  ///< files that were read
  std::string out;
  std::string codec;  ///< its name; empty: the archive's own
  Packed packed;
};

// Writes it as JSON, completely or not at all. One rank. Throws InputError if it can't be written.
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

struct Common {
  std::string write = "gather", progress = "auto";
  std::size_t window = 3;
  bool force = false, quiet = false;
  program::RunSettings settings{};

  void add_to(CLI::App& command) {
    command
        .add_option("--write", write,
                    "gather: rank 0 writes the output, or unpack's ranks on one machine; parallel: all ranks write it "
                    "(needs a parallel "
                    "file system)")
        ->check(CLI::IsMember({"gather", "parallel"}))
        ->capture_default_str();
    command.add_option("--window", window, "results per rank in flight while it computes, 0 to 64; 0: no overlap")
        ->check(CLI::Range(0, 64))
        ->capture_default_str();
    command
        .add_option("--progress", progress,
                    "how pending messages make progress: " +
                        progress_names.without(ProgressOptions::Kind::send_receive_threads).list() +
                        "; auto: thread on a network, else polling")
        ->capture_default_str();
    command.add_flag("--force", force, "replaces an existing output");
    command.add_flag("--quiet", quiet, "prints no progress and no summary");
    command_line::add_result(command, settings);
  }
  template <class Options>
  void fill(Options& o) const {
    o.way = write == "parallel" ? pack::MapOptions::Way::parallel : pack::MapOptions::Way::gather;
    o.window = window;
    if (progress != "auto") o.progress = progress_kind(progress);
    o.overwrite = force;
    o.bar = !quiet;
  }
};

struct PackCommand : Common {
  std::vector<std::string> files;
  std::string out, codec;
  int level = 0;
  std::uint64_t block = 0;
  CLI::Option* level_option = nullptr;
  command_line::TuneOption tune;
};
struct UnpackCommand : Common {
  std::string file, out, range;
  bool test = false, list = false;
};

// What the end of an archive's name says.
struct Ending {
  const char* ending;
  const char* codec;         // empty: not one that is written
  const char* instead = "";  // of the ending, in the name of the content
};
constexpr Ending endings[] = {
    {".zst", "zstd"},  {".tzst", "zstd", ".tar"},
    {".bz2", "bzip2"}, {".tbz2", "bzip2", ".tar"},
    {".xz", "xz"},     {".txz", "xz", ".tar"},
    {".gz", "gzip"},   {".tgz", "gzip", ".tar"},
    {".lzma", ""},     {".lz", ""},
    {".lz4", ""},      {".lzo", ""},
    {".z", ""},        {".br", ""},
    {".zip", ""},      {".7z", ""},
};

// In letters of any size; null: none.
const Ending* ending_of(const std::string& name) {
  auto letters = name;
  std::ranges::transform(letters, letters.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto* found = std::ranges::find_if(
      endings, [&](const Ending& e) { return letters.size() > std::strlen(e.ending) && letters.ends_with(e.ending); });
  return found == std::end(endings) ? nullptr : found;
}

// The end of both commands: the trace, the result, and the overlap table.
void close(Transport& world, program::RunFrame& frame, const Common& c, const Ended& ended) {
  const auto overlap = overlap_report(world, frame.timeline(), 1, {"block"});
  std::vector<std::filesystem::path> files;
  if (!ended.out.empty() && ended.out != "-") files.emplace_back(ended.out);
  frame.leave_trace(files);
  frame.leave_result(files, [&](const auto& file) { write_result_json(file, ended, overlap, world, files); });
  if (world.rank() == 0 && !c.quiet) fmt::print(stderr, "\n{}", overlap.text());
}

// From the name of the output unless given. A name that says something else would mislead other programs.
const pack::Format& format_for(const PackCommand& c) {
  const auto* ending = ending_of(c.out);
  const std::string of_name = ending != nullptr ? ending->codec : "zstd";
  const auto& format = pack::format_named(!c.codec.empty() ? c.codec : of_name.empty() ? "zstd" : of_name);
  if (ending != nullptr && format.name != of_name)
    throw InputError(fmt::format("{}: The ending {} is that of another format ({}). Choose a name with the ending of a "
                                 "codec: .zst, .bz2, .gz or .xz.",
                                 c.out, ending->ending,
                                 c.codec.empty() ? "which weft pack does not write" : "the codec is " + c.codec),
                     true);
  return format;
}

double speed(std::uint64_t bytes, double seconds) { return static_cast<double>(bytes) / std::max(1e-9, seconds); }

// The other end of a pipe may be slow, so the time-out of waiting ranks is switched off.
void wait_for_pipes(const std::vector<std::string>& names) {
  if (std::ranges::any_of(names, is_pipe)) timeout().set_limit(0);
}

void say_result(const PackCommand& c, const Packed& p) {
  fmt::print(stderr, "{}: {} -> {} in {} {}, ratio {:.3f}, {:.2f} s, {}/s\n", c.out,
             program::bytes_text(static_cast<double>(p.in_bytes)),
             program::bytes_text(static_cast<double>(p.out_bytes)),
             program::grouped(static_cast<std::int64_t>(p.blocks)), p.blocks == 1 ? "block" : "blocks",
             static_cast<double>(p.in_bytes) / static_cast<double>(std::max<std::uint64_t>(1, p.out_bytes)), p.seconds,
             program::bytes_text(speed(p.in_bytes, p.seconds)));
}

int run(mpi::Communicator& world, const PackCommand& c) {
  wait_for_pipes(c.files);
  wait_for_pipes({c.out});
  pack::PackOptions o{.files = c.files, .out = c.out, .codec = format_for(c).kind, .block_bytes = c.block};
  if (c.level_option->count() > 0) o.level = c.level;
  c.fill(o);
  program::RunFrame frame(world, c.settings, {});
  for (const auto& file : c.files) frame.reads(file);
  if (c.out != "-") frame.writes(c.out);
  if (c.out != "-" && o.codec == Codec::Kind::bzip2) frame.writes(index_path(c.out));
  frame.check_files();
  if (const auto how = c.tune.wanted()) {
    const auto chosen = pack::tune(world, o, *how);
    if (world.rank() == 0 && !c.quiet) fmt::print(stderr, "tune: {}\n", chosen);
  }
  o.timeline = &frame.timeline();
  const auto p = pack::pack(world, o);
  if (world.rank() == 0 && !c.quiet) say_result(c, p);
  close(world, frame, c, {"pack", c.files, c.out, pack::format_of(o.codec).name, p});
  return 0;
}

std::uint64_t number(const std::string& range, const std::string& text, std::uint64_t empty) {
  if (text.empty()) return empty;
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size())
    throw InputError(
        "'" + range +
            "' is not a range of bytes. Give FROM:TO, for example 0:1000; without TO the range ends with the file.",
        true);
  return value;
}

std::string output_of(const UnpackCommand& c) {
  if (!c.out.empty()) return c.out;
  if (c.file == "-") return "-";
  if (const auto* ending = ending_of(c.file))
    return c.file.substr(0, c.file.size() - std::strlen(ending->ending)) + ending->instead;
  throw InputError(c.file +
                       ": The name of the output can't be derived (the file name does not end in .zst, .bz2, .gz, .xz "
                       "or .lzma). Give a name with -o.",
                   true);
}

void print_list(const std::string& file) {
  if (file == "-") throw InputError("The standard input can't be listed (only a file has an index). Give a file.");
  const auto listing = pack::list(file);
  const auto packed = static_cast<double>(listing.bytes);
  fmt::print("{}: {}, {} {}, {}", file, listing.format, program::grouped(static_cast<std::int64_t>(listing.parts)),
             listing.parts == 1 ? "part" : "parts", program::bytes_text(packed));
  if (!listing.content_bytes) return fmt::print(", content of unknown size\n");
  const auto content = static_cast<double>(*listing.content_bytes);
  fmt::print(", content {} ({} bytes), ratio {:.3f}\n", program::bytes_text(content), *listing.content_bytes,
             content / std::max(1.0, packed));
}

int run(Transport& world, const UnpackCommand& c) {
  if (c.list) {
    on_root(world, [&] { print_list(c.file); });
    return 0;
  }
  wait_for_pipes({c.file, c.out});
  pack::UnpackOptions o{.file = c.file, .out = c.test ? "" : output_of(c), .test = c.test};
  if (!c.range.empty()) {
    const auto colon = c.range.find(':');
    if (colon == std::string::npos) number(c.range, "x", 0);
    o.range = pack::Range{number(c.range, c.range.substr(0, colon), 0),
                          number(c.range, c.range.substr(colon + 1), pack::Codec::unknown)};
  }
  c.fill(o);
  program::RunFrame frame(world, c.settings, {});
  if (c.file != "-") {
    frame.reads(c.file);
    frame.reads(index_path(c.file));
  }
  if (!c.test && o.out != "-") frame.writes(o.out);
  frame.check_files();
  o.timeline = &frame.timeline();
  const auto p = pack::unpack(world, o);
  if (world.rank() == 0 && !c.quiet)
    fmt::print(stderr, "{}: {} of {}, {:.2f} s, {}/s{}\n", c.test ? "intact" : o.out,
               program::bytes_text(static_cast<double>(p.out_bytes)), c.file, p.seconds,
               program::bytes_text(speed(p.out_bytes, p.seconds)),
               p.one_rank && world.size() > 1 ? " (on one rank: the archive has no parts)" : "");
  close(world, frame, c, {"unpack", {c.file}, o.out, {}, p});
  return 0;
}

}  // namespace

void add_pack(CLI::App& weft, command_line::Action& action) {
  auto packing = std::make_shared<PackCommand>();
  auto* command = weft.add_subcommand("pack", command_line::about("pack"));
  command->add_option("FILES", packing->files, "files, packed one after the other; - is the standard input")
      ->required();
  command->add_option("-o,--out", packing->out, "output file; - is the standard output")->required();
  command->add_option(
      "--codec", packing->codec,
      "zstd, bzip2, gzip or xz; default: from the ending of the output (.zst, .bz2, .gz, .xz), else zstd");
  packing->level_option = command->add_option(
      "--level", packing->level,
      "level of compression: zstd 1 to 19 (default 3), bzip2 1 to 9 (default 9), gzip 1 to 9 (default 6), xz 0 to "
      "9 (default 6)");
  command
      ->add_option("--block", packing->block,
                   "bytes per block, 4KiB to 1GiB; each block is compressed separately; default: zstd 4MiB, bzip2 "
                   "900k, gzip 1MiB, "
                   "xz 8MiB")
      ->transform(CLI::AsSizeValue(true));
  packing->add_to(*command);
  packing->tune.add_to(*command, {"--window", "--progress"});
  command_line::explain(*command,
                        {"mpirun -n 2 weft pack results/*.vtkhdf -o results.zst",
                         "tar c results | mpirun -n 2 weft pack - -o results.tar.bz2 --level 9"},
                        "docs/pack.md");
  command->callback(
      [&action, packing] { action = [packing](mpi::Communicator& world) { return run(world, *packing); }; });
}

void add_unpack(CLI::App& weft, command_line::Action& action) {
  auto unpacking = std::make_shared<UnpackCommand>();
  auto* command = weft.add_subcommand("unpack", command_line::about("unpack"));
  command
      ->add_option("FILE", unpacking->file, "archive to unpack (.zst, .bz2, .gz, .xz, .lzma); - is the standard input")
      ->required();
  command->add_option(
      "-o,--out", unpacking->out,
      "output file; - is the standard output; default: FILE without .zst, .bz2, .gz, .xz or .lzma; for -: the "
      "standard output");
  command->add_option(
      "--range", unpacking->range,
      "FROM:TO, without TO to the end: unpacks only these bytes of the content, and reads only their blocks");
  auto* test = command->add_flag("--test", unpacking->test, "verifies the archive and writes nothing");
  auto* list =
      command->add_flag("--list", unpacking->list,
                        "prints format, number of parts and sizes, which it does not verify, and unpacks nothing");
  test->excludes("--out", "--range", list);
  list->excludes("--out", "--range");
  unpacking->add_to(*command);
  command_line::explain(
      *command, {"mpirun -n 2 weft unpack results.zst -o results", "weft unpack results.zst --range 0:1000 -o head"},
      "docs/pack.md");
  command->callback([&action, unpacking] {
    action = [unpacking](mpi::Communicator& world) { return run(world, *unpacking); };
    if (unpacking->write == "parallel") return;
    action.alone = [unpacking](Transport& world) { return run(world, *unpacking); };
    action.threads = std::min(8U, std::max(1U, std::thread::hardware_concurrency()));
  });
}

}  // namespace weft::pack
