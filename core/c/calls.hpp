// SPDX-License-Identifier: BSD-3-Clause
//
// What every function of weft.h does around its work: exceptions become codes and a sentence, and codes of callbacks
// become exceptions.
#pragma once

#include <weft.h>

#include <exception>
#include <string>
#include <utility>

#include "weft/error.hpp"

namespace weft::c {

/// A handle or a pointer that can't be used.
class HandleError : public Error {
 public:
  using Error::Error;
};

/// Keeps the exception that is handled for weft_error_text() and for callbacks. Returns its code. `call`: the function.
int keep_exception(const char* call) noexcept;

/// Runs the work of a function of weft.h.
template <class Work>
int call(const char* name, const Work& work) noexcept {
  try {
    work();
    return WEFT_OK;
  } catch (...) {
    return keep_exception(name);
  }
}

/// Forgets what this thread has kept, before a callback.
void forget_exception() noexcept;
/// Throws what the callback has kept: its own error, or that of a weft function that failed in it.
[[noreturn]] void throw_kept(int code, const std::string& callback);

/// Calls a callback, if there is one. `who` makes its name for the sentence, and is only called then.
template <class Who, class Function, class... Arguments>
void call_back(const Who& who, Function* function, Arguments... arguments) {
  if (function == nullptr) return;
  forget_exception();
  if (const int code = function(arguments...); code != WEFT_OK) throw_kept(code, who());
}

/// The pointer; throws a HandleError if it is null. `what`: such as "The name".
template <class T>
T* need(T* pointer, const char* what) {
  if (pointer == nullptr) throw HandleError(std::string(what) + " is NULL.");
  return pointer;
}
/// What it points to.
template <class T>
T& at(T* pointer, const char* what) {
  return *need(pointer, what);
}
inline std::string text_at(const char* text, const char* what) { return need(text, what); }

/// Copies a struct of the caller, who may have been compiled with an earlier weft.h, whose struct was shorter. NULL:
/// all defaults.
void copy_sized(void* to, std::size_t bytes, const void* from, const char* name);
template <class Options>
Options options_of(const Options* given, const char* name) {
  Options options;
  copy_sized(&options, sizeof options, given, name);
  return options;
}
/// An enumerator of weft.h, from 0 to `last`.
int one_of(int value, int last, const char* what);

/// Throws if MPI was finalised, so that nothing can be communicated any more.
void check_mpi();

}  // namespace weft::c
