// SPDX-License-Identifier: BSD-3-Clause
//
// The extension module _programs: the programs weft flow, weft box and weft wave, for python/weft/_case.py, flow.py,
// box.py and wave.py. Users see only those.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "programs/box_session.hpp"
#include "programs/commands.hpp"
#include "programs/document.hpp"
#include "programs/flow_session.hpp"
#include "programs/session.hpp"
#include "programs/wave_session.hpp"
#include "shared/plain_errors.hpp"
#include "weft/error.hpp"

namespace nb = nanobind;
using namespace weft::python;
using namespace nb::literals;

namespace {

/// weft's errors become weft.errors.Error and weft.errors.InputError, which are classes of Python.
void translate(const std::exception_ptr& thrown, void*) {
  const auto raise = [](const char* name, const char* what) {
    const nb::object type = nb::module_::import_("weft.errors").attr(name);
    PyErr_SetString(type.ptr(), what);
  };
  try {
    std::rethrow_exception(thrown);
  } catch (const weft::InputError& e) {
    raise("InputError", e.what());
  } catch (const weft::PeerError& e) {  // also of _core's functions: this translator is asked first
    raise("PeerError", e.what());
  } catch (const weft::Error& e) {
    raise("Error", e.what());
  }
}

/// Runs a command as its program would, and returns its exit status. MPI is initialised and finalised in it, so a
/// process can do this once. The words are those after the name.
int run_command(const std::string& name, const std::vector<nb::bytes>& words) {
  for (const auto& [each, run] : main_functions()) {
    if (each != name) continue;
    std::vector<std::string> all{"weft-" + name};
    for (const auto& word : words) all.emplace_back(word.c_str(), word.size());
    std::vector<char*> argv;
    for (auto& word : all) argv.push_back(word.data());
    argv.push_back(nullptr);
    const nb::gil_scoped_release others_may_run;
    return run(static_cast<int>(all.size()), argv.data());
  }
  throw weft::InputError("There is no command '" + name + "' in this module.", true);
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const auto& each : main_functions()) names.emplace_back(each.name);
  return names;
}

}  // namespace

NB_MODULE(_programs, m) {
  m.doc() = "weft's programs in this process; see weft.flow, weft.box and weft.wave.";
  nb::register_exception_translator(translate);
  m.def("run_command", &run_command, "name"_a, "words"_a);
  m.def("command_names", &command_names);

  nb::class_<Document>(m, "Document")
      .def_static("read", &Document::read, "program"_a, "file"_a)
      .def_static("parse", &Document::parse, "program"_a, "text"_a, "file"_a)
      .def_static("of", &Document::of, "program"_a, "content"_a, "file"_a)
      .def("content", &Document::content)
      .def("set", &Document::set, "changes"_a)
      .def("copy", [](const Document& d) { return d; })
      .def_prop_ro("file", [](const Document& d) { return d.file().string(); });

  nb::class_<Session>(m, "Session")
      .def_rw("on_step", &Session::on_step)
      .def_rw("on_warning", &Session::on_warning)
      .def_rw("every", &Session::every)
      .def_rw("output", &Session::output)
      .def_rw("files", &Session::files)
      .def_rw("arguments", &Session::arguments)
      .def_rw("progress", &Session::progress)
      .def_rw("restart", &Session::restart, nb::arg().none())
      .def_ro("first_step", &Session::first_step)
      .def_ro("step", &Session::step)
      .def_ro("steps", &Session::steps)
      .def_ro("rank", &Session::rank)
      .def_ro("ranks", &Session::ranks)
      .def_ro("seconds", &Session::seconds)
      .def_ro("is_running", &Session::is_running)
      .def_ro("is_over", &Session::is_over)
      .def_ro("converged", &Session::converged)
      .def_ro("stopped", &Session::stopped)
      .def_ro("written", &Session::written)
      .def("table", &Session::table, "name"_a)
      .def("tables", &Session::tables)
      .def("last_row", &Session::last_row, "name"_a)
      .def("run", &Session::run, "document"_a, "communicator"_a.none());

  nb::class_<FlowSession, Session>(m, "FlowSession")
      .def(nb::init<>())
      .def_rw("quantities", &FlowSession::quantities)
      .def("field", &FlowSession::field, "name"_a)
      .def("sites", &FlowSession::sites)
      .def("mesh", &FlowSession::mesh)
      .def("command", &FlowSession::command, "json"_a)
      .def("limits", &FlowSession::limits)
      .def_prop_ro("origin", &FlowSession::origin)
      .def_prop_ro("voxel", &FlowSession::voxel)
      .def_prop_ro("time_step", &FlowSession::time_step)
      .def_prop_ro("time", &FlowSession::time);

  nb::class_<BoxSession, Session>(m, "BoxSession")
      .def(nb::init<>())
      .def("field", &BoxSession::field, "name"_a)
      .def("particles", &BoxSession::particles)
      .def_prop_ro("first", &BoxSession::first)
      .def_prop_ro("count", &BoxSession::count)
      .def_prop_ro("extent", &BoxSession::extent);

  nb::class_<WaveSession, Session>(m, "WaveSession")
      .def(nb::init<>())
      .def("blocks", [](nb::handle self) { return nb::cast<const WaveSession&>(self).blocks(self); })
      .def_prop_ro("cells", &WaveSession::cells)
      .def_prop_ro("time_step", &WaveSession::time_step)
      .def_prop_ro("time", &WaveSession::time);
  weft::python::make_errors_plain(m);
}
