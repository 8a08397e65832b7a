// SPDX-License-Identifier: BSD-3-Clause
// The ranges of NVTX as regions. NVTX is a header in the program, which asks the library that NVTX_INJECTION64_PATH
// names to fill its table of functions. Numbers and layouts are those of NVTX 2 and 3 (nvtxTypes.h, nvToolsExt.h).
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern "C" void weft_mark_region(const char* name, int enters);

namespace {

using Function = void (*)();

struct Callbacks {
  size_t bytes;
  int (*table_of)(int module, Function*** table, unsigned* size);
};

// An event's attributes; the message is a string, a wide string, or what register_string returned.
struct Event {
  uint16_t version, bytes;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, reserved;
  uint64_t payload;
  int32_t message_type;
  const void* message;
};
enum Message { ascii = 1, wide = 2, registered = 3 };

// One copy of each name, for good, so that its address can stand for it.
const char* kept(const char* name) {
  struct Name {
    Name* next;
    char* text;
  };
  static Name* names[256];
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  unsigned hash = 0;
  for (const char* c = name; *c != 0; ++c) hash = hash * 31 + static_cast<unsigned char>(*c);
  pthread_mutex_lock(&mutex);
  Name** at = &names[hash % 256];
  while (*at != nullptr && strcmp((*at)->text, name) != 0) at = &(*at)->next;
  if (*at == nullptr) {
    const size_t bytes = strlen(name) + 1;
    *at = static_cast<Name*>(calloc(1, sizeof(Name) + bytes));
    if (*at != nullptr) (*at)->text = static_cast<char*>(memcpy(*at + 1, name, bytes));
  }
  const char* text = *at == nullptr ? "" : (*at)->text;
  pthread_mutex_unlock(&mutex);
  return text;
}

const char* kept_wide(const wchar_t* name) {
  char text[128];
  size_t n = 0;
  for (; name[n] != 0 && n + 1 < sizeof text; ++n) text[n] = name[n] < 128 ? static_cast<char>(name[n]) : '?';
  text[n] = 0;
  return kept(text);
}

const char* name_of(const Event* event) {
  if (event == nullptr || event->message == nullptr) return "";
  switch (event->message_type) {
    case ascii: return kept(static_cast<const char*>(event->message));
    case wide: return kept_wide(static_cast<const wchar_t*>(event->message));
    case registered: return static_cast<const char*>(event->message);
    default: return "";
  }
}

// The ranges in which this thread is; those beyond are not regions.
constexpr int most_pushed = 64;
__thread const char* pushed[most_pushed] __attribute__((tls_model("initial-exec")));
__thread int level __attribute__((tls_model("initial-exec")));

int push(const char* name) {
  if (level < most_pushed) weft_mark_region(pushed[level] = name, 1);
  return level++;
}
int pop() {
  if (level == 0) return -1;
  if (--level < most_pushed) weft_mark_region(pushed[level], 0);
  return level;
}
uint64_t start(const char* name) {
  weft_mark_region(name, 1);
  return reinterpret_cast<uintptr_t>(name);
}
void end(uint64_t range) {
  if (range != 0) weft_mark_region(reinterpret_cast<const char*>(static_cast<uintptr_t>(range)), 0);
}

uint64_t start_event(const Event* event) { return start(name_of(event)); }
uint64_t start_ascii(const char* name) { return start(kept(name)); }
uint64_t start_wide(const wchar_t* name) { return start(kept_wide(name)); }
int push_event(const Event* event) { return push(name_of(event)); }
int push_ascii(const char* name) { return push(kept(name)); }
int push_wide(const wchar_t* name) { return push(kept_wide(name)); }
uint64_t start_in(void*, const Event* event) { return start(name_of(event)); }
void end_in(void*, uint64_t range) { end(range); }
int push_in(void*, const Event* event) { return push(name_of(event)); }
int pop_in(void*) { return pop(); }
const void* register_ascii(void*, const char* name) { return kept(name); }
const void* register_wide(void*, const wchar_t* name) { return kept_wide(name); }

struct Entry {
  int module;  // 1: without a domain, 5: with one
  unsigned number;
  Function function;
};
template <class F>
Function as(F* function) {
  return reinterpret_cast<Function>(function);
}

}  // namespace

// Called by NVTX at its first use in each module of the program. Returns 1: the library stays.
extern "C" int InitializeInjectionNvtx2(const void* (*exported)(uint32_t)) {
  const auto* callbacks = static_cast<const Callbacks*>(exported(1));
  if (callbacks == nullptr || callbacks->bytes < sizeof(Callbacks)) return 0;
  const Entry all[] = {
      {1, 4, as(start_event)},     {1, 5, as(start_ascii)},   {1, 6, as(start_wide)}, {1, 7, as(end)},
      {1, 8, as(push_event)},      {1, 9, as(push_ascii)},    {1, 10, as(push_wide)}, {1, 11, as(pop)},
      {5, 2, as(start_in)},        {5, 3, as(end_in)},        {5, 4, as(push_in)},    {5, 5, as(pop_in)},
      {5, 10, as(register_ascii)}, {5, 11, as(register_wide)}};
  for (const auto& entry : all) {
    Function** table = nullptr;
    unsigned size = 0;
    if (callbacks->table_of(entry.module, &table, &size) != 0 && table != nullptr && entry.number < size &&
        table[entry.number] != nullptr)
      *table[entry.number] = entry.function;
  }
  return 1;
}
