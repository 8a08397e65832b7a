// SPDX-License-Identifier: BSD-3-Clause
#include "advise/live.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "advise/recorder.hpp"

namespace weft::advise {
namespace {

namespace fs = std::filesystem;

constexpr char magic[16] = "weft live 3";
constexpr std::size_t most_modules = 64;
constexpr std::size_t probes = 32;  // of a place in its table
constexpr auto observed_for = std::chrono::milliseconds(200);

struct PlaceName {
  char function[88];
  std::uint64_t offset;
  std::uint32_t module;
};

struct SiteName {
  char call[40];
  PlaceName at;
  std::uint32_t kind;
};

// A place from which a call was made, and who called it first.
struct Place {
  std::uint64_t address;
  char call[40];
  PlaceName at, caller;
};

void copy(char* to, std::size_t size, const std::string& text) { std::snprintf(to, size, "%s", text.c_str()); }

std::string text_of(const char* text, std::size_t size) { return {text, strnlen(text, size)}; }

}  // namespace

struct LiveFile::Content {
  char magic[16];
  std::int32_t rank, ranks;
  std::uint32_t finished, late_after;
  ProcessMark process;
  std::uint32_t sites, modules;
  TickScale::Moment start, now;
  char library[128];
  char module_paths[most_modules][256];
  ThreadNow threads[most_threads];
  Place places[LiveFile::most_places];
  SiteName names[Recorder::most_sites];
  Site sums[Recorder::most_sites];

  PlaceName named(const CallSite& place) {
    PlaceName name{};
    copy(name.function, sizeof name.function, place.function);
    name.offset = place.offset;
    for (name.module = 0; name.module < modules; ++name.module)
      if (place.module == module_paths[name.module]) break;
    if (name.module == modules && modules < most_modules)
      copy(module_paths[modules++], sizeof module_paths[0], place.module);
    return name;
  }
  CallSite place_of(const PlaceName& name) const {
    CallSite place;
    place.offset = name.offset;
    place.function = text_of(name.function, sizeof name.function);
    if (name.module < modules) place.module = text_of(module_paths[name.module], sizeof module_paths[0]);
    return place;
  }
};

LiveFile::LiveFile(const std::string& prefix, int rank, int ranks, bool wanted)
    : path_(prefix + ".rank-" + std::to_string(rank) + ".live") {
  // Always a new file: an existing one may be mapped by another program with the same prefix, which would crash if it
  // were truncated.
  if (wanted) unlink(path_.c_str());
  const int file = wanted ? open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
  struct stat about {};
  if (file >= 0 && fstat(file, &about) == 0) inode_ = about.st_ino;
  void* memory = MAP_FAILED;
  // Disk space is allocated at once: access to a mapped page without disk space would kill the process.
  if (file >= 0 && posix_fallocate(file, 0, sizeof(Content)) == 0)
    memory = mmap(nullptr, sizeof(Content), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file >= 0) {  // with a high number: programs may expect the low ones for themselves
    lock_ = fcntl(file, F_DUPFD_CLOEXEC, 512);
    close(file);
  }
  mapped_ = memory != MAP_FAILED;
  if (!mapped_) {
    if (file >= 0) unlink(path_.c_str());
    if (lock_ >= 0) close(std::exchange(lock_, -1));
    memory = mmap(nullptr, sizeof(Content), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
  }
  content_ = static_cast<Content*>(memory);
  content_->rank = rank;
  content_->ranks = ranks;
  content_->process = ProcessMark::of_this();
  content_->process.locks = lock_ >= 0 && lock_file(lock_) ? 1 : 0;
  std::memcpy(content_->magic, magic, sizeof magic);
}

LiveFile::~LiveFile() {
  munmap(content_, sizeof(Content));
  if (lock_ >= 0) close(lock_);
}

ThreadNow* LiveFile::threads() { return content_->threads; }

void LiveFile::set_finished(bool finished) { content_->finished = finished ? 1 : 0; }

void LiveFile::set_late(std::size_t seconds) {
  content_->late_after = static_cast<std::uint32_t>(seconds);
  set_finished(true);
}

// The entry of this place; null: it has none, and there is a free one.
const std::uint64_t* LiveFile::known(std::uint64_t address) const {
  const auto start = address ^ (address >> 10);
  for (std::size_t i = 0; i < probes; ++i) {
    const auto& entry = content_->places[(start + i) % most_places].address;
    const auto there = __atomic_load_n(&entry, __ATOMIC_ACQUIRE);
    if (there == address) return &entry;
    if (there == 0) return nullptr;
  }
  return &content_->places[start % most_places].address;  // full: this place stays without a name
}

void LiveFile::add_place(const char* call, std::uint64_t address, std::uint64_t caller) {
  const std::lock_guard lock(adding_);
  const auto start = address ^ (address >> 10);
  for (std::size_t i = 0; i < probes; ++i) {
    auto& place = content_->places[(start + i) % most_places];
    if (place.address == address) return;
    if (place.address != 0) continue;
    copy(place.call, sizeof place.call, call);
    place.at = content_->named(call_site_of(address));
    if (caller != 0) place.caller = content_->named(call_site_of(caller));
    return __atomic_store_n(&place.address, address, __ATOMIC_RELEASE);
  }
}

Site* LiveFile::sites() { return content_->sums; }

void LiveFile::add_site(std::size_t number, const Site& site, const CallSite& place) {
  auto& name = content_->names[number];
  copy(name.call, sizeof name.call, site.call);
  name.kind = static_cast<std::uint32_t>(site.kind);
  {
    const std::lock_guard lock(adding_);
    name.at = content_->named(place);
  }
  content_->sites = static_cast<std::uint32_t>(number) + 1;
}

void LiveFile::set_library(const std::string& name) { copy(content_->library, sizeof content_->library, name); }

void LiveFile::set_clock(const TickScale::Moment& start, const TickScale::Moment& now) {
  content_->start = start;
  content_->now = now;
}

void LiveFile::remove() {
  struct stat about {};
  const bool is_ours = mapped_ && stat(path_.c_str(), &about) == 0 && about.st_ino == inode_;
  if (is_ours) unlink(path_.c_str());
}

namespace {

using Content = LiveFile::Content;

std::unique_ptr<Content> content_of(const fs::path& path) {
  auto content = std::make_unique<Content>();
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(content.get()), sizeof *content)) return {};
  const auto& c = *content;
  const bool is_whole =
      std::memcmp(c.magic, magic, sizeof magic) == 0 && c.sites <= Recorder::most_sites && c.modules <= most_modules;
  return is_whole ? std::move(content) : nullptr;
}

bool ends_with_a_zero(const char* text, std::size_t size) { return strnlen(text, size) < size; }

// Where the rank is, by its threads' last calls. `later`: the same file, read again.
Whereabouts whereabouts_of(const Content& c, const Content& later, double a_tick, Whereabouts::Process process) {
  Whereabouts now;
  now.rank = c.rank;
  now.process = process;
  now.pid = c.process.pid;
  now.host = text_of(c.process.host, sizeof c.process.host);
  const ThreadNow* of = nullptr;
  std::size_t which = 0;
  for (std::size_t i = 0; i < most_threads; ++i) {
    const auto& thread = later.threads[i];
    if (thread.number == 0) continue;
    // If there are several threads, the one that has been in a call for longest.
    if (of == nullptr || (thread.inside != 0 && (of->inside == 0 || thread.since < of->since))) {
      of = &thread;
      which = i;
    }
  }
  if (of == nullptr) return now;
  now.inside = of->inside != 0;
  now.goes_on = c.threads[which].number != of->number || c.threads[which].inside != of->inside;
  for (const auto& place : later.places)
    if (place.address == of->address && ends_with_a_zero(place.call, sizeof place.call)) {
      now.call = place.call;
      now.place = later.place_of(place.at);
      now.caller = later.place_of(place.caller);
    }
  // The counters of one machine are the same for all processes.
  const auto ticks_now = ticks();
  if (of->since != 0 && ticks_now > of->since && process == Whereabouts::Process::runs &&
      c.process.is_on_this_machine())
    now.seconds = static_cast<double>(ticks_now - of->since) * a_tick;
  return now;
}

}  // namespace

std::optional<Recovered> recover(const std::string& prefix, bool over) {
  using Process = Whereabouts::Process;
  const fs::path at(prefix);
  const auto start = at.filename().string() + ".rank-";
  std::vector<std::pair<fs::path, std::unique_ptr<Content>>> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(at.has_parent_path() ? at.parent_path() : ".", none)) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with(start) || !name.ends_with(".live")) continue;
    if (auto content = content_of(entry.path())) files.emplace_back(entry.path(), std::move(content));
  }
  if (files.empty()) return {};
  if (!over) std::this_thread::sleep_for(observed_for);
  Recovered all;
  std::vector<Rows::Entry> unfinished;
  for (const auto& [path, content] : files) {
    const auto& c = *content;
    const auto again = over ? nullptr : content_of(path);
    const auto& later = again ? *again : c;
    all.ranks = std::max(all.ranks, c.ranks);
    all.found.push_back(c.rank);
    all.library = text_of(c.library, sizeof c.library);
    all.program = text_of(c.process.program, sizeof c.process.program);
    all.files.push_back(path.string());
    all.late_after = std::max(all.late_after, static_cast<double>(later.late_after));
    const TickScale scale(c.start, c.now, 0);
    const double a_tick = (scale.seconds(c.start.ticks + 1'000'000'000) - scale.seconds(c.start.ticks)) * 1e-9;
    const auto process = later.finished != 0 ? Process::finished
                         : over              ? Process::ended
                                             : process_of(c.process, path.string());
    all.now.push_back(whereabouts_of(c, later, a_tick, process));
    double last = process == Process::runs && c.process.is_on_this_machine()
                      ? static_cast<double>(ticks() - c.start.ticks) * a_tick
                      : 0;
    for (std::uint32_t i = 0; i < later.sites; ++i) {
      const auto& sums = later.sums[i];
      const auto& site = later.names[i];
      Rows::Entry row;
      row.place = later.place_of(site.at);
      row.call = text_of(site.call, sizeof site.call);
      row.sums.kind = static_cast<Kind>(site.kind);
      row.sums.total_calls = static_cast<double>(sums.calls);
      row.sums.total_bytes = static_cast<double>(sums.bytes);
      row.sums.total_seconds = static_cast<double>(sums.ticks) * a_tick;
      row.sums.total_fruitless = static_cast<double>(sums.fruitless);
      all.mpi_seconds += row.sums.total_seconds;
      if (sums.last > c.start.ticks) last = std::max(last, static_cast<double>(sums.last - c.start.ticks) * a_tick);
      all.rows.add(row);
    }
    // The call in which a rank hangs is not in its sums yet.
    if (const auto& now = all.now.back(); process == Process::runs && now.inside && now.seconds > 0) {
      Rows::Entry row;
      row.place = now.place;
      row.call = now.call;
      row.sums.kind = Kind::other;
      row.sums.total_calls = 1;
      row.sums.total_seconds = now.seconds;
      all.mpi_seconds += now.seconds;
      unfinished.push_back(row);
    }
    all.seconds = std::max(all.seconds, last);
  }
  for (const auto& row : unfinished) all.rows.add(row);  // last, since a finished call of this place has its kind
  std::ranges::sort(all.found);
  std::ranges::sort(all.now, {}, &Whereabouts::rank);
  all.mpi_seconds /= static_cast<double>(all.found.size());
  return all;
}

std::optional<std::string> recovered_json(const std::string& prefix, bool over, bool remove) {
  using Process = Whereabouts::Process;
  const auto left = recover(prefix, over);
  if (!left) return {};
  const auto any = [&](Process process) { return std::ranges::count(left->now, process, &Whereabouts::process) > 0; };
  const auto finished = std::ranges::count(left->now, Process::finished, &Whereabouts::process);
  Report report;
  report.end = any(Process::runs)        ? Report::End::runs
               : any(Process::elsewhere) ? Report::End::unknown
               : finished < left->ranks  ? Report::End::early
               : left->late_after > 0    ? Report::End::late
                                         : Report::End::sessions;
  report.deadline_seconds = left->late_after;
  report.ranks = left->ranks;
  report.left_by = left->found;
  report.library = left->library;
  report.program = left->program;
  report.seconds = left->seconds;
  report.mpi_seconds = left->mpi_seconds;
  report.rows = left->rows.named(Naming{});
  std::ranges::sort(report.rows, [](const Row& a, const Row& b) { return a.total_seconds > b.total_seconds; });
  std::vector<CallSite> places;
  for (const auto& now : left->now) places.insert(places.end(), {now.place, now.caller});
  const auto names = Naming{}.names_of(places);
  for (std::size_t i = 0; i < left->now.size(); ++i) {
    const auto& now = left->now[i];
    const auto name_if = [&](const CallSite& place, const Name& name) { return place.offset > 0 ? name.text : ""; };
    report.now.push_back({now, name_if(now.place, names[2 * i]), name_if(now.caller, names[2 * i + 1])});
  }
  for (const auto& file : left->files)
    if (remove) unlink(file.c_str());
  return json_of(report);
}

}  // namespace weft::advise
