// SPDX-License-Identifier: BSD-3-Clause
#include "advise/python_frames.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/call_sites.hpp"
#include "advise/key_map.hpp"
#include "advise/python_lines.hpp"

namespace weft::advise {

std::atomic<bool> python_is_here = false;

namespace {

// Offsets in CPython's structures, from its headers (Include/cpython/{pystate,frameobject,code,unicodeobject}.h and
// Include/internal/pycore_frame.h), for builds with a GIL and without Py_DEBUG. They are the same in all releases of
// one minor version. Those of 3.14 are from the structures in py-spy (src/python_bindings). Other builds are recognised
// by their first code object, whose type is not where it should be.
struct Layout {
  int minor;
  LineTable lines;
  unsigned frame;               // of a thread: its current frame, or the structure that has it
  int frame_in_frame_holder;    // -1: there is no such structure
  unsigned code, previous, at;  // of a frame; at: the instruction
  unsigned owner;               // of a frame; 0: all frames are of Python code
  unsigned first_line, file, name, line_table, bytecode;  // of a code object; bytecode 0: `at` is a number
  unsigned ascii, not_ascii;                              // of a text: where its characters begin
};
constexpr std::array<Layout, 5> layouts{{
    {10, LineTable::of_3_10, 24, -1, 32, 24, 96, 0, 40, 104, 112, 120, 0, 48, 72},
    {11, LineTable::of_3_11, 56, 8, 32, 48, 56, 69, 72, 112, 128, 136, 184, 48, 72},
    {12, LineTable::of_3_11, 56, 0, 0, 8, 56, 70, 68, 112, 128, 136, 192, 40, 56},
    {13, LineTable::of_3_11, 72, -1, 0, 8, 56, 70, 68, 112, 128, 136, 200, 40, 56},
    {14, LineTable::of_3_11, 72, -1, 0, 8, 56, 74, 68, 112, 128, 136, 208, 40, 56},
}};
constexpr unsigned type_of_object = 8, size_of_object = 16;                       // of each object
constexpr unsigned length_of_text = 16, state_of_text = 32, bytes_of_bytes = 32;  // in all versions
constexpr unsigned char owned_by_c = 3;

struct Python {
  Layout layout{};
  std::uint64_t code_type = 0, text_type = 0, bytes_type = 0;
  void* (*thread)() = nullptr;
  int (*is_initialized)() = nullptr;
  pthread_t main{};
  bool has_main = false;
  std::atomic<bool> proven{false};  // a frame was read, and all was as it should be
  std::atomic<int> failures{0};
} python;

// Reads of this process's memory. `direct`: as any program reads; else by the kernel, so that a wrong address is an
// error and no crash.
class Memory {
 public:
  explicit Memory(bool direct) : direct_(direct) {}
  bool read(std::uint64_t from, void* to, std::size_t bytes) {
    if (direct_) {
      std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
      return true;
    }
    const iovec here{to, bytes}, there{reinterpret_cast<void*>(from), bytes};
    if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(bytes)) return true;
    std::memset(to, 0, bytes);
    return fine = false;
  }
  template <class T = std::uint64_t>
  T get(std::uint64_t from) {
    T value{};
    read(from, &value, sizeof value);
    return value;
  }
  bool is_direct() const { return direct_; }
  bool fine = true;

 private:
  bool direct_;
};

// The front of a structure. The kernel reads it in one system call.
class Front {
 public:
  Front(Memory& memory, std::uint64_t from, std::size_t bytes) : memory_(memory), from_(from) {
    if (!memory.is_direct()) memory.read(from, copy_.data(), std::min(bytes, copy_.size()));
  }
  template <class T = std::uint64_t>
  T get(unsigned offset) {
    if (memory_.is_direct()) return memory_.get<T>(from_ + offset);
    T value{};
    std::memcpy(&value, copy_.data() + offset, sizeof value);
    return value;
  }

 private:
  Memory& memory_;
  std::uint64_t from_;
  std::array<unsigned char, 136> copy_;  // as much as is needed of a code object
};

void append_utf8(std::string& text, std::uint32_t c) {
  const auto more = [&](int shift) { text += static_cast<char>(0x80u | (c >> shift & 0x3fu)); };
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xc0u | c >> 6);
    more(0);
  } else if (c < 0x10000) {
    text += static_cast<char>(0xe0u | c >> 12);
    more(6), more(0);
  } else {
    text += static_cast<char>(0xf0u | c >> 18);
    more(12), more(6), more(0);
  }
}

std::optional<std::string> text_at(Memory& memory, std::uint64_t object) {
  constexpr std::uint64_t longest = 4096;
  if (memory.get(object + type_of_object) != python.text_type) return {};
  const auto length = memory.get(object + length_of_text);
  const auto state = memory.get<std::uint32_t>(object + state_of_text);
  const std::size_t width = state >> 2 & 7u;
  const bool is_compact = (state >> 5 & 1u) != 0, is_ascii = (state >> 6 & 1u) != 0;
  if (!is_compact || length > longest || (width != 1 && width != 2 && width != 4)) return {};
  std::vector<unsigned char> characters(length * width);
  memory.read(object + (is_ascii ? python.layout.ascii : python.layout.not_ascii), characters.data(),
              characters.size());
  std::string text;
  for (std::size_t i = 0; i < length; ++i) {
    std::uint32_t c = 0;
    std::memcpy(&c, characters.data() + i * width, width);
    append_utf8(text, c);
  }
  return memory.fine ? std::optional(std::move(text)) : std::nullopt;
}

std::vector<unsigned char> bytes_at(Memory& memory, std::uint64_t object) {
  constexpr std::uint64_t most = 1 << 22;
  if (memory.get(object + type_of_object) != python.bytes_type) return {};
  const auto size = memory.get(object + size_of_object);
  if (size > most) return {};
  std::vector<unsigned char> bytes(size);
  memory.read(object + bytes_of_bytes, bytes.data(), size);
  return memory.fine ? bytes : std::vector<unsigned char>();
}

struct Frame {
  std::uint64_t code = 0, at = 0, name = 0;
};

// "Solver.step"; "main.inner" for a function in a function.
std::string plain(std::string function) {
  constexpr std::string_view local = "<locals>.";
  for (auto found = function.find(local); found != std::string::npos; found = function.find(local))
    function.erase(found, local.size());
  return function;
}

bool is_user_s(const std::string& path) { return path.find("-packages/mpi4py/") == std::string::npos; }

// `line` is 0 for frames that the report should not show. Nothing if the memory is not as expected.
std::optional<SourcePlace> resolved(const Frame& frame) {
  Memory memory(false);
  const auto& l = python.layout;
  const auto path = text_at(memory, memory.get(frame.code + l.file));
  const auto function = text_at(memory, frame.name);
  const auto table = bytes_at(memory, memory.get(frame.code + l.line_table));
  const auto first = memory.get<std::int32_t>(frame.code + l.first_line);
  if (!memory.fine || !path || !function) return {};
  const auto offset = l.bytecode == 0 ? 2 * (frame.at - frame.code) : frame.at - frame.code - l.bytecode;
  return SourcePlace{*path, plain(*function), is_user_s(*path) ? python_line(l.lines, first, table, offset) : 0};
}

// The numbers of places by frame, without lock: the upper 48 bits are a hash, the lower are the number.
constexpr std::uint64_t number_bits = 0xffff, not_shown = 0xffff;
static_assert(most_source_places < not_shown);
std::array<std::atomic<std::uint64_t>, 2048> known_places;

// 0: no place; source_place_bit | not_shown: a frame that the report should not show.
std::uint64_t number_of(const Frame& frame, std::uint64_t instruction) {
  const auto hash = mixed(mixed(mixed(mixed(0, frame.at), frame.code), frame.name), instruction);
  auto& slot = known_places[hash % known_places.size()];
  const auto known = slot.load(std::memory_order_relaxed);
  if (((known ^ hash) & ~number_bits) == 0 && known != 0) return source_place_bit | (known & number_bits);
  auto place = resolved(frame);
  if (!place) return 0;
  const auto number = place->line == 0 ? source_place_bit | not_shown : source_place(std::move(*place), instruction);
  if (number != 0) slot.store((hash & ~number_bits) | (number & number_bits), std::memory_order_relaxed);
  return number;
}

struct Found {
  std::uint64_t place = 0, before = 0;  // before: the frame that called it
};

// The first frame from this one on that has a source line.
Found find(Memory& memory, std::uint64_t address, std::uint64_t instruction) {
  constexpr int most = 256;
  const auto& l = python.layout;
  for (int i = 0; i < most && address != 0 && memory.fine; ++i) {
    Front frame(memory, address, std::max<std::size_t>(l.at + sizeof(std::uint64_t), l.owner + 1));
    const auto before = frame.get(l.previous);
    // The lowest bits of a reference may be marks (3.14).
    const auto code = frame.get(l.code) & ~std::uint64_t{7};
    const bool is_python = l.owner == 0 || frame.get<unsigned char>(l.owner) < owned_by_c;
    address = before;
    if (!is_python || code == 0 || !memory.fine) continue;
    Front object(memory, code, l.name + sizeof(std::uint64_t));
    if (!memory.fine || object.get(type_of_object) != python.code_type) continue;
    const auto at = l.bytecode != 0 ? frame.get(l.at) : code + frame.get<std::uint32_t>(l.at);
    const auto number = number_of({code, at, object.get(l.name)}, instruction);
    if (number == 0) return {};
    if (number != (source_place_bit | not_shown)) return {number, before};
  }
  return {};
}

// While the interpreter ends, it frees the states of all threads but its own, so those are read by the kernel. It is
// not initialised any more then, but it may begin to end just after this was asked.
Found first_place(std::uint64_t instruction, bool caller) {
  if (python.is_initialized() == 0) return {};
  const auto thread = reinterpret_cast<std::uint64_t>(python.thread());
  if (thread == 0) return {};
  const bool is_main = python.has_main && pthread_equal(pthread_self(), python.main) != 0;
  const bool proven = python.proven.load(std::memory_order_relaxed);
  Memory memory(proven && is_main);
  auto frame = memory.get(thread + python.layout.frame);
  if (python.layout.frame_in_frame_holder >= 0 && frame != 0)
    frame = memory.get(frame + static_cast<unsigned>(python.layout.frame_in_frame_holder));
  auto found = find(memory, frame, instruction);
  if (caller) {
    const auto called = source_place_of(found.place);  // a module's code is called by Python's importing functions
    return called && called->function != "<module>" ? find(memory, found.before, 0) : Found{};
  }
  if (proven || frame == 0) return found;
  constexpr int most_failures = 100;
  if (found.place != 0 && memory.fine)
    python.proven = true;
  else if (++python.failures > most_failures)
    python_is_here = false;
  return found;
}

// Whether the caller of MPI is of an installed package, or code that was made at run time: there a user's line says
// more. A user's own extension module is shown by its own lines.
bool is_of_package(std::uint64_t address) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(address), &info) == 0 || info.dli_fname == nullptr) return true;
  const std::string_view path = info.dli_fname;
  for (const auto* part :
       {"/site-packages/", "/dist-packages/", "/mpi4py/", "/weft/_", "/libffi", "/_ctypes.", "/_cffi_backend."})
    if (path.find(part) != path.npos) return true;
  return false;
}

bool is_package_call(std::uint64_t address) {
  static std::array<std::atomic<std::uint64_t>, 2048> known;  // twice the address, plus the answer
  auto& slot = known[mixed(0, address) % known.size()];
  auto word = slot.load(std::memory_order_relaxed);
  if (word >> 1 != address) {
    word = address << 1 | (is_of_package(address) ? 1u : 0u);
    slot.store(word, std::memory_order_relaxed);
  }
  return (word & 1u) != 0;
}

template <class T>
bool look_up(const char* name, T& to) {
  void* found = dlsym(RTLD_DEFAULT, name);
  if constexpr (std::is_pointer_v<T>)
    to = reinterpret_cast<T>(found);
  else
    to = reinterpret_cast<std::uint64_t>(found);
  return found != nullptr;
}

}  // namespace

void find_python() {
  const char* (*version)() = nullptr;
  if (!look_up("PyGILState_GetThisThreadState", python.thread) || !look_up("Py_IsInitialized", python.is_initialized) ||
      !look_up("Py_GetVersion", version) || !look_up("PyCode_Type", python.code_type) ||
      !look_up("PyUnicode_Type", python.text_type) || !look_up("PyBytes_Type", python.bytes_type))
    return;
  const std::string text = version();
  if (text.rfind("3.", 0) != 0) return;
  for (const auto& layout : layouts)
    if (layout.minor == std::atoi(text.c_str() + 2)) python.layout = layout;
  std::uint64_t probe = 1, copy = 0;
  if (python.layout.minor == 0 || !Memory(false).read(reinterpret_cast<std::uint64_t>(&probe), &copy, sizeof copy))
    return;  // an unknown version, or reads by the kernel are not allowed
  python.has_main = syscall(SYS_gettid) == getpid();
  python.main = pthread_self();
  python_is_here = true;
}

std::uint64_t python_site(std::uint64_t return_address) {
  if (!is_package_call(return_address)) return return_address;
  const auto found = first_place(return_address, false);
  return found.place != 0 ? found.place : return_address;
}

std::uint64_t python_caller() { return first_place(0, true).place; }

}  // namespace weft::advise
