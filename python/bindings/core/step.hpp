// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "core/end.hpp"
#include "core/options.hpp"
#include "core/requests.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/step/step_manager.hpp"

namespace weft::python {

namespace nb = nanobind;

/// weft.Step: one object per client, which is valid during a callback.
struct PyStep {
  Step* step = nullptr;
  std::uint64_t list = 0;  // of the client's parts
  List* arrays = nullptr;
  const nb::object* stream = nullptr;  // of run_step()
};

/// A client of Python. Its methods are looked up once; those that it does not have, or has from weft.Client, are not
/// called.
class PythonClient final : public Client {
 public:
  /// `stream`: of the step, borrowed.
  PythonClient(nb::object object, const Transport& transport, const nb::object& stream);

  void request(Requests& requests) override;
  void before(Step& step) override { call(before_, step); }
  void during(Step& step) override { call(during_, step); }
  void after(Step& step) override { call(after_, step); }
  void finish(Step& step) override { call(finish_, step); }

  const nb::object& object() const { return object_; }
  List& list() const { return *list_; }
  int traverse(visitproc visit, void* arg) const;

 private:
  void call(const nb::object& method, Step& step);

  nb::object object_, request_, before_, during_, after_, finish_, step_;
  const Transport& transport_;
  PyStep* of_step_ = nullptr;
  std::shared_ptr<List> list_, earlier_;  // the earlier one's arrays may be in use until the next step
};

/// A step manager with all that must live as long.
class ManagerCore final : public Live {
 public:
  ManagerCore(std::shared_ptr<mpi::Communicator> transport, const Options& options);
  ~ManagerCore() override { close(); }

  StepManager& get() const;
  bool is_closed() const { return manager_ == nullptr; }
  PythonClient& client(nb::handle object) const;
  void add(const std::string& name, nb::object object, Schedule schedule);
  void remove(nb::handle object);
  std::vector<std::string> names() const;
  void release_later();
  /// Without the GIL.
  void run_step(nb::object of_step);
  /// Fails, without the GIL. Nothing if it was closed.
  void fail(const std::string& why);

  void close() override;
  bool is_in_use() const override { return static_cast<bool>(use); }

  InUse use;
  std::shared_ptr<mpi::Communicator> transport;
  Options options;                 // in use
  nb::object stream = nb::none();  // of the step
  std::vector<std::pair<std::string, std::unique_ptr<PythonClient>>> clients;
  std::vector<std::string> other_names;      // of monitors
  std::vector<std::shared_ptr<Live>> later;  // dropped in a call, which may still use them: released after it

 private:
  std::unique_ptr<StepManager> manager_;
};

/// weft.StepManager.
struct PyManager {
  std::shared_ptr<ManagerCore> core;
};

/// A call of a step manager. After the outermost one, what its callbacks have dropped is released.
class ManagerCall {
 public:
  explicit ManagerCall(std::shared_ptr<ManagerCore> core, bool again = true)
      : after_{std::move(core)}, call_(after_.core->use, again) {}

 private:
  struct After {
    std::shared_ptr<ManagerCore> core;
    ~After() { core->release_later(); }
  };
  After after_;
  InUse::Call call_;  // ends first
};

}  // namespace weft::python
