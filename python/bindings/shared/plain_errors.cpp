// SPDX-License-Identifier: BSD-3-Clause
//
// nanobind refuses wrong arguments with several lines about "incompatible function arguments". Each function of the
// module gets a call that puts a sentence in their place. A call that succeeds costs one more jump.
#include <Python.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

#include "shared/plain_errors.hpp"

namespace weft::python {
namespace {

using Call = PyObject* (*)(PyObject*, PyObject* const*, size_t, PyObject*);

// The modules' own names, which users don't see.
std::string without_modules(std::string text) {
  for (const char* prefix :
       {"weft._abi.", "weft._openmpi.", "weft._mpich.", "_core.", "_programs.", "weft.", "collections.abc.", "typing."})
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at))
      text.erase(at, std::string_view(prefix).size());
  return text;
}

// The signature without the parameters that have defaults, if it is long and the call names none of them.
std::string shortened(std::string signature, const std::string& given) {
  const auto first = signature.find(" = ");
  if (signature.size() < 200 || first == std::string::npos || given.find("kwargs") != std::string::npos)
    return signature;
  const auto end = signature.rfind(", ", first);
  return end == std::string::npos ? signature : signature.substr(0, end) + ", ...)";
}

// Whether it is an object of the module whose __init__ was not called.
bool is_unmade(nb::handle object) { return object.is_valid() && nb::inst_check(object) && !nb::inst_ready(object); }

// From nanobind's text; empty if it is another one.
std::string sentence_of(const std::string& text, nb::handle self) {
  const auto named = text.find("(): incompatible function arguments."), types = text.find("\nInvoked with types: ");
  if (named == std::string::npos || types == std::string::npos) return {};
  auto name = text.substr(0, named), given = without_modules(text.substr(types + 21));
  const bool has_self = text.find("(self") < types;
  const auto first = given.substr(0, given.find(", "));
  if (has_self) given.erase(0, std::min(given.size(), first.size() + 2));
  if (name != "__init__" && has_self && is_unmade(self))
    return "This " + first.substr(first.rfind('.') + 1) +
           " was not initialised (its __init__() does not call super().__init__()). Call that first.";
  if (name == "__init__") name = first;
  std::string expected;
  for (auto at = text.find("\n    "); at < types; at = text.find("\n    ", at + 1)) {
    const auto open = text.find('(', at), end = text.find('\n', at + 1);
    auto signature = text.substr(open, text.rfind(')', end) + 1 - open);
    if (has_self) signature.erase(1, signature.starts_with("(self, ") ? 6 : 4);
    expected += (expected.empty() ? "" : ", or ") + name + shortened(without_modules(signature), given);
  }
  return name + "() does not take these arguments (given: " + (given.empty() ? "none" : given) + "). Use " + expected +
         (given.find("int") == std::string::npos || expected.find("int") == std::string::npos
              ? "."
              : "; whole numbers that count or name something are not negative.");
}

void make_plain(nb::handle self) {
  if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) return;
  nb::python_error error;
  std::string sentence;
  try {
    sentence = sentence_of(nb::cast<std::string>(nb::str(error.value())), self);
  } catch (const std::exception&) {  // the exception of a program, whose text can't be made
    PyErr_Clear();
  }
  if (sentence.empty()) return error.restore();
  PyErr_SetString(PyExc_TypeError, sentence.c_str());
}

// nanobind has a few such functions, by the kinds of arguments.
std::array<Call, 8> originals{};

template <std::size_t I>
PyObject* plain(PyObject* self, PyObject* const* arguments, size_t count, PyObject* names) {
  auto* result = originals[I](self, arguments, count, names);
  if (result == nullptr) make_plain(PyVectorcall_NARGS(count) > 0 ? arguments[0] : nullptr);
  return result;
}

constexpr std::array<Call, 8> plains{&plain<0>, &plain<1>, &plain<2>, &plain<3>,
                                     &plain<4>, &plain<5>, &plain<6>, &plain<7>};

// The beginning of nanobind's nb_func.
struct Function {
  PyObject_VAR_HEAD Call call;
};

void wrap(nb::handle object) {
  const auto name = nb::cast<std::string>(object.type().attr("__name__"));
  if (name != "nb_func" && name != "nb_method") return;
#ifndef Py_LIMITED_API  // a nanobind with another layout keeps its own texts
  if (Py_TYPE(object.ptr())->tp_vectorcall_offset != offsetof(Function, call)) return;
#endif
  auto& call = reinterpret_cast<Function*>(object.ptr())->call;
  for (std::size_t k = 0; k < originals.size(); ++k) {
    if (call == plains[k]) return;
    if (originals[k] == nullptr) originals[k] = call;
    if (originals[k] == call) {
      call = plains[k];
      return;
    }
  }
}

}  // namespace

void make_errors_plain(nb::module_& m) {
  // The error that follows says it.
  nb::module_::import_("warnings")
      .attr("filterwarnings")("ignore", "nanobind: attempted to access an uninitialized instance",
                              nb::arg("category") = nb::module_::import_("builtins").attr("RuntimeWarning"));
  for (const auto value : nb::list(m.attr("__dict__").attr("values")())) {
    wrap(value);
    if (PyType_Check(value.ptr()) == 0) continue;
    for (const auto method : nb::list(value.attr("__dict__").attr("values")())) wrap(method);
  }
}

}  // namespace weft::python
