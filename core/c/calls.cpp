// SPDX-License-Identifier: BSD-3-Clause
#include "c/calls.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <thread>

#include "weft/mpi/check.hpp"
#include "weft/version.hpp"

namespace weft::c {
namespace {

thread_local std::string sentence;
thread_local std::exception_ptr kept;
thread_local int kept_code = WEFT_OK;
thread_local bool everywhere = false;

int code_of(const char* call) {
  const std::string prefix = std::string(call) + ": ";
  everywhere = false;
  try {
    throw;
  } catch (const HandleError& error) {
    sentence = prefix + error.what();
    return WEFT_ERR_HANDLE;
  } catch (const Error& error) {
    sentence = error.what();
    everywhere = error.everywhere();
    if (dynamic_cast<const PeerError*>(&error) != nullptr) return WEFT_ERR_PEER;
    if (dynamic_cast<const InputError*>(&error) != nullptr) return WEFT_ERR_INPUT;
    return everywhere ? WEFT_ERR_EVERYWHERE : WEFT_ERR;
  } catch (const std::bad_alloc&) {
    sentence = prefix + "There is no memory.";
    return WEFT_ERR_MEMORY;
  } catch (const std::exception& error) {
    sentence = prefix + error.what();
    return WEFT_ERR;
  } catch (...) {
    sentence = prefix + "An exception that is no std::exception was thrown.";
    return WEFT_ERR;
  }
}

}  // namespace

int keep_exception(const char* call) noexcept {
  try {
    kept = std::current_exception();
    has_kept = true;
    return kept_code = code_of(call);
  } catch (...) {  // no memory for the sentence
    return WEFT_ERR_MEMORY;
  }
}

void forget_kept() noexcept {
  kept = nullptr;
  has_kept = false;
}

void throw_kept(int code, const std::string& callback) {
  if (kept && code == kept_code) std::rethrow_exception(std::exchange(kept, nullptr));
  throw Error(callback + " has returned " + std::to_string(code) +
              " (0 is success). Let it return weft_raise(\"why\") to say what is wrong.");
}

constinit thread_local const InCallback* InCallback::current = nullptr;

void check_idle(const void* object, const char* name) {
  if (InCallback::of(object))
    throw HandleError("The " + std::string(name) + " is freed in a callback of its own. Free it afterwards.");
}

void copy_nested(void* to, std::size_t bytes, const void* from, const char* name) {
  std::size_t given = 0;
  std::memcpy(&given, from, sizeof given);
  const auto* all = static_cast<const unsigned char*>(from);
  if (given == 0 && std::all_of(all, all + bytes, [](unsigned char c) { return c == 0; }))
    return copy_sized(to, bytes, nullptr, name);
  if (given != bytes)
    throw HandleError("The size of a " + std::string(name) + " in another struct is " + std::to_string(given) +
                      ". Set its member `size`, too.");
  copy_sized(to, bytes, from, name);
}

double seconds_of(double value, const char* what) {
  if (!(value >= 0 && value <= 1e7)) throw Error(std::string(what) + " is not within 0 and 1e7 seconds.");
  return value;
}

std::size_t product_of(std::size_t count, std::size_t bytes, const char* what) {
  if (bytes != 0 && count > PTRDIFF_MAX / bytes) throw Error(std::string(what) + " has more elements than memory.");
  return count * bytes;
}

void copy_sized(void* to, std::size_t bytes, const void* from, const char* name) {
  std::memset(to, 0, bytes);
  std::memcpy(to, &bytes, sizeof bytes);
  if (from == nullptr) return;
  std::size_t given = 0;
  std::memcpy(&given, from, sizeof given);
  if (given == bytes) {
    std::memcpy(to, from, bytes);
    return;
  }
  const std::string what = name;
  if (given < bytes || given % sizeof(void*) != 0 || given > 4096)
    throw HandleError("The size of a " + what + " is " + std::to_string(given) + ". Begin with: " + what +
                      " options = {.size = sizeof options};");
  const auto* rest = static_cast<const unsigned char*>(from);
  if (given > bytes && std::any_of(rest + bytes, rest + given, [](unsigned char c) { return c != 0; }))
    throw HandleError("A " + what + " sets members that this library does not have. Link a newer libweft_c.");
  std::memcpy(to, from, std::min(given, bytes));
  std::memcpy(to, &bytes, sizeof bytes);
}

int one_of(int value, int last, const char* what) {
  if (value < 0 || value > last)
    throw Error("Unknown " + std::string(what) + " " + std::to_string(value) + ". Use an enumerator of weft.h.");
  return value;
}

void check_mpi() {
  int done = 0;
  MPI_Finalized(&done);
  if (done != 0) throw Error("MPI was finalised. Free all objects of weft before MPI_Finalize.");
}

}  // namespace weft::c

using namespace weft::c;

const char* weft_error_text(void) { return sentence.c_str(); }

const char* weft_version(void) { return weft::version(); }

const char* weft_build_info(const char* what) {
  const auto& of = weft::build_info();
  const std::string_view word = what != nullptr ? what : "";
  if (word == "version") return of.version;
  if (word == "commit") return of.commit;
  if (word == "mpi") return of.mpi;
  if (word == "compiler") return of.compiler;
  return word == "options" ? of.options : "";
}

int weft_raise(const char* why) {
  return call("weft_raise", [&] { throw weft::Error(why != nullptr ? why : "A callback has failed."); });
}

void weft_check(int code) {
  if (code == WEFT_OK) return;
  int rank = 0, is_running = 0;
  MPI_Initialized(&is_running);
  if (is_running != 0) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  // The rank that knows the cause prints first, and its abort ends the others.
  if (code == WEFT_ERR_PEER || (everywhere && rank != 0)) std::this_thread::sleep_for(std::chrono::seconds(2));
  weft::mpi::abort_job(rank, sentence.c_str(), code == WEFT_ERR_INPUT ? 2 : 1);
}
