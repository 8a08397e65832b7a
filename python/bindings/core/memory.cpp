// SPDX-License-Identifier: BSD-3-Clause
#include "core/memory.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "core/bind.hpp"
#include "core/device.hpp"
#include "weft/error.hpp"

namespace weft::python {
namespace {

// The kind of a format of Python's struct module; native or little-endian only.
Kind kind_of_format(const char* format, std::size_t item) {
  if (format == nullptr) return Kind::unsigned_integer;  // bytes
  std::string text = format;
  if (!text.empty() && std::strchr("@=<", text[0]) != nullptr) text.erase(0, 1);
  if (text == "Zf" || text == "Zd") return Kind::complex;
  if (text.size() != 1) return item == 1 && text == ">B" ? Kind::unsigned_integer : Kind::bytes;
  if (std::strchr("bhilqn", text[0]) != nullptr) return Kind::integer;
  if (std::strchr("BHILQN", text[0]) != nullptr) return Kind::unsigned_integer;
  if (std::strchr("efd", text[0]) != nullptr) return Kind::real;
  return text[0] == '?' ? Kind::boolean : Kind::bytes;
}

// Whether a format of the struct module has references to objects, O. The names of fields stand between colons.
bool has_objects(const std::string& format) {
  bool is_name = false;
  for (const char c : format) {
    if (c == ':') is_name = !is_name;
    if (c == 'O' && !is_name) return true;
  }
  return false;
}

std::vector<std::ptrdiff_t> strides_of_contiguous(const std::vector<std::size_t>& shape, std::size_t item) {
  std::vector<std::ptrdiff_t> strides(shape.size());
  auto stride = static_cast<std::ptrdiff_t>(item);
  for (std::size_t d = shape.size(); d-- > 0; stride *= static_cast<std::ptrdiff_t>(shape[d])) strides[d] = stride;
  return strides;
}

[[noreturn]] void refuse_objects(const char* what) {
  throw nb::type_error((std::string(what) +
                        ": The array has objects of Python as elements (dtype object), whose addresses mean nothing on "
                        "another rank. Give an array of numbers.")
                           .c_str());
}

// numpy.ma: the buffer has no mask.
void refuse_masks(nb::handle array, const char* what) {
  if (!nb::hasattr(array, "_mask") || !nb::hasattr(array, "fill_value")) return;
  throw nb::type_error(
      (std::string(what) +
       ": The array is masked, and its mask would not be sent. Give array.filled(value), or array.data.")
          .c_str());
}

std::optional<Memory> from_buffer(nb::handle array, const char* what) {
  if (PyObject_CheckBuffer(array.ptr()) == 0) return {};
  auto view = std::make_unique<Py_buffer>();
  bool writable = true;
  if (PyObject_GetBuffer(array.ptr(), view.get(), PyBUF_STRIDES | PyBUF_FORMAT | PyBUF_WRITABLE) != 0) {
    PyErr_Clear();
    writable = false;
    if (PyObject_GetBuffer(array.ptr(), view.get(), PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
      PyErr_Clear();  // numpy refuses dates, which __array_interface__ has
      return {};
    }
  }
  Memory m;
  m.data = static_cast<std::byte*>(view->buf);
  m.item = static_cast<std::size_t>(view->itemsize);
  m.kind = kind_of_format(view->format, m.item);
  if (view->format != nullptr) m.format = view->format;
  for (int d = 0; d < view->ndim; ++d) m.shape.push_back(static_cast<std::size_t>(view->shape[d]));
  if (view->strides != nullptr)
    m.strides.assign(view->strides, view->strides + view->ndim);
  else
    m.strides = strides_of_contiguous(m.shape, m.item);  // arrays of ctypes
  m.writable = writable;
  const bool refused = view->format != nullptr && has_objects(view->format);
  m.keeper = nb::capsule(view.release(), [](void* p) noexcept {
    PyBuffer_Release(static_cast<Py_buffer*>(p));
    delete static_cast<Py_buffer*>(p);
  });
  if (refused) refuse_objects(what);
  return m;
}

std::optional<Memory> from_dict(const nb::dict& interface, nb::handle array, const char* what) {
  const auto data = interface["data"];
  Memory m;
  m.data = reinterpret_cast<std::byte*>(nb::cast<std::uintptr_t>(data[0]));
  m.writable = !nb::cast<bool>(data[1]);
  const auto type = nb::cast<std::string>(interface["typestr"]);
  if (type.size() < 3) return {};
  const auto dtype = nb::getattr(array, "dtype", nb::none());
  if (type[1] == 'O' || nb::cast<bool>(nb::getattr(dtype, "hasobject", nb::bool_(false)))) refuse_objects(what);
  m.item = static_cast<std::size_t>(std::atol(type.c_str() + 2));
  m.format = type;
  if (type[0] != '>')
    m.kind = type[1] == 'i'   ? Kind::integer
             : type[1] == 'u' ? Kind::unsigned_integer
             : type[1] == 'f' ? Kind::real
             : type[1] == 'c' ? Kind::complex
             : type[1] == 'b' ? Kind::boolean
                              : Kind::bytes;
  m.shape = nb::cast<std::vector<std::size_t>>(interface["shape"]);
  if (interface.contains("strides") && !interface["strides"].is_none()) {
    m.strides = nb::cast<std::vector<std::ptrdiff_t>>(interface["strides"]);
  } else {
    m.strides = strides_of_contiguous(m.shape, m.item);
  }
  if (m.strides.size() != m.shape.size() || (m.data == nullptr && m.bytes() != 0)) return {};
  m.keeper = nb::borrow(array);
  return m;
}

// Nothing if the interface is damaged, or has no address.
std::optional<Memory> from_interface(nb::handle array, const char* what, const char* name = "__array_interface__") {
  if (!nb::hasattr(array, name)) return {};
  const nb::object interface = array.attr(name);
  if (!nb::isinstance<nb::dict>(interface)) return {};
  try {
    return from_dict(nb::borrow<nb::dict>(interface), array, what);
  } catch (const nb::python_error&) {
  } catch (const nb::cast_error&) {
  }
  return {};
}

// Sets the device of an array in memory of one.
void place(Memory& memory, nb::handle array, const char* what) {
  if (nb::cast<std::string>(nb::str(nb::getattr(array.type(), "__module__", nb::str()))).starts_with("jax"))
    throw nb::type_error((std::string(what) +
                          ": Arrays of JAX are immutable, and their memory may move, so weft can't use them. Give an "
                          "array of CuPy, PyTorch or Numba.")
                             .c_str());
  if (memory.bytes() > 0) memory.device = device_of(array, memory.data, what);
}

std::optional<Memory> from_device(nb::handle array, const char* what) {
  auto memory = from_interface(array, what, "__cuda_array_interface__");
  if (memory) place(*memory, array, what);
  return memory;
}

// The capsule of an array in memory of a device, which need not wait for its work: weft does. Older libraries know no
// versions.
nb::object capsule_of(nb::handle array) {
  try {
    return array.attr("__dlpack__")(nb::arg("stream") = -1, nb::arg("max_version") = nb::make_tuple(1, 0));
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
  }
  return array.attr("__dlpack__")(nb::arg("stream") = -1);
}

std::optional<Memory> from_dlpack(nb::handle given, const char* what) {
  if (!nb::hasattr(given, "__dlpack__")) return {};
  const auto on = dlpack_device_of(given);
  const nb::object array = on && on->is_gpu() ? capsule_of(given) : nb::borrow(given);
  auto tensor = std::make_unique<nb::ndarray<>>();
  bool writable = true;
  if (!nb::try_cast(array, *tensor, false)) {
    nb::ndarray<nb::ro> constant;
    if (!nb::try_cast(array, constant, false)) return {};
    *tensor = nb::ndarray<>(constant.handle());
    writable = false;
  }
  const DlpackDevice kind{tensor->device_type(), tensor->device_id()};
  if (!kind.is_host() && !kind.is_gpu())
    throw nb::type_error((std::string(what) + ": The array is on another device than the CPU, CUDA and HIP, which weft "
                                              "can't read. Copy it to the host first.")
                             .c_str());
  Memory m;
  m.data = static_cast<std::byte*>(tensor->data());
  m.item = tensor->itemsize();
  const auto code = tensor->dtype().code;
  m.kind = code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int)       ? Kind::integer
           : code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt)    ? Kind::unsigned_integer
           : code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float)   ? Kind::real
           : code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Complex) ? Kind::complex
           : code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bool)    ? Kind::boolean
                                                                                : Kind::bytes;
  if (m.kind == Kind::bytes) m.format = "dlpack " + std::to_string(code) + " " + std::to_string(m.item);
  for (std::size_t d = 0; d < tensor->ndim(); ++d) {
    m.shape.push_back(tensor->shape(d));
    m.strides.push_back(static_cast<std::ptrdiff_t>(tensor->stride(d)) * static_cast<std::ptrdiff_t>(m.item));
  }
  m.writable = writable;
  m.keeper = nb::capsule(tensor.release(), [](void* p) noexcept { delete static_cast<nb::ndarray<>*>(p); });
  if (kind.is_gpu()) place(m, given, what);
  return m;
}

}  // namespace

std::size_t Memory::elements() const {
  std::size_t n = 1;
  for (const auto count : shape) n *= count;
  return n;
}

bool Memory::is_contiguous() const {
  if (elements() == 0) return true;
  auto stride = static_cast<std::ptrdiff_t>(item);
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] > 1 && strides[d] != stride) return false;
    stride *= static_cast<std::ptrdiff_t>(shape[d]);
  }
  return true;
}

std::string Memory::type() const {
  const auto bits = std::to_string(8 * item);
  switch (kind) {
    case Kind::integer: return "int" + bits;
    case Kind::unsigned_integer: return "uint" + bits;
    case Kind::real: return "float" + bits;
    case Kind::complex: return "complex" + bits;
    case Kind::boolean: return "bool";
    case Kind::bytes: break;
  }
  return "'" + format + "' of " + std::to_string(item) + " bytes";
}

// Bytes have no code, and structures only where the buffer protocol describes their fields.
ElementType Memory::code() const {
  using K = ElementType::Kind;
  switch (kind) {
    case Kind::integer: return ElementType::number(K::integer, item);
    case Kind::unsigned_integer: return item == 1 ? ElementType{} : ElementType::number(K::unsigned_integer, item);
    case Kind::real: return ElementType::number(K::real, item);
    case Kind::complex: return ElementType::number(K::complex, item);
    case Kind::boolean: return ElementType::number(K::boolean, item);
    case Kind::bytes: break;
  }
  if (format.empty() || format.find('V') != std::string::npos) return {};
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : format) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return ElementType::special(hash);
}

Memory memory_of(nb::handle array, bool writes, const char* what, Where where) {
  refuse_masks(array, what);
  auto memory = from_buffer(array, what);
  if (!memory) memory = from_device(array, what);
  if (!memory) memory = from_interface(array, what);
  if (!memory) memory = from_dlpack(array, what);
  if (!memory)
    throw nb::type_error((std::string(what) + ": A '" + nb::cast<std::string>(array.type().attr("__name__")) +
                          "' has no memory that weft can use. Give an array of numpy, or any object with the buffer "
                          "protocol, __array_interface__, __cuda_array_interface__ or DLPack.")
                             .c_str());
  if (memory->device && where == Where::host)
    throw nb::type_error((std::string(what) +
                          ": The array is in memory of a device, where memory of the host is needed. Copy it to the "
                          "host first.")
                             .c_str());
  if (writes && !memory->writable)
    throw nb::type_error(
        (std::string(what) + ": The array is read-only, so nothing can be received into it. Give a writable array.")
            .c_str());
  return std::move(*memory);
}

std::optional<std::size_t> number_of_bytes(nb::handle number, const char* what) {
  // An array of one integer has __index__, too; its elements can be set.
  if (PyLong_Check(number.ptr()) == 0 && (PyIndex_Check(number.ptr()) == 0 || nb::hasattr(number, "__setitem__")))
    return {};
  const auto bytes = PyNumber_AsSsize_t(number.ptr(), PyExc_OverflowError);
  if (bytes == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  if (bytes < 0)
    throw InputError(std::string(what) + ": " + std::to_string(bytes) + " is no number of bytes. Give 0 or more.");
  return static_cast<std::size_t>(bytes);
}

char order_of(const std::string& order) {
  if (order != "C" && order != "F")
    throw InputError("Unknown order '" + order + "' of elements. Use C (last axis fastest) or F (first axis fastest).");
  return order[0];
}

Region region_of(const Memory& memory, bool writes, char order, const char* what) {
  if (memory.bytes() == 0) return make_contiguous(memory.data, 0, writes);
  std::vector<Loop> loops;
  for (std::size_t d = 0; d < memory.shape.size(); ++d) {
    if (memory.shape[d] == 1) continue;
    const auto stride = memory.strides[d];
    if (stride < 0)
      throw InputError(
          std::string(what) + ": Axis " + std::to_string(d) +
          " of the array has a negative stride (it is reversed), which weft does not support. Give the array "
          "in its memory's order, or a copy.");
    if (writes && stride == 0)
      throw InputError(
          std::string(what) + ": Axis " + std::to_string(d) +
          " of the array repeats one element (its stride is 0), so nothing can be received into it. Give an "
          "array that has all its elements.");
    loops.push_back({memory.shape[d], static_cast<std::size_t>(stride)});
  }
  if (order == 'F') std::reverse(loops.begin(), loops.end());
  std::size_t run = memory.item;
  bool is_run = true;
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    is_run = is_run && loop->stride_bytes == run;
    run *= loop->count;
  }
  if (is_run) return make_contiguous(memory.data, memory.bytes(), writes).as(memory.code()).on(memory.device);
  return make_strided(memory.data, memory.item, loops, writes).as(memory.code()).on(memory.device);
}

nb::object new_array(const std::vector<std::size_t>& shape, nb::handle type) {
  nb::list sizes;
  for (const auto n : shape) sizes.append(n);
  return nb::module_::import_("numpy").attr("empty")(nb::tuple(sizes), type);
}

}  // namespace weft::python
