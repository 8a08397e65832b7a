// SPDX-License-Identifier: BSD-3-Clause
#include "weft/step/overlap_report.hpp"

#include "c/objects.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::c {

struct ReportObject {
  OverlapReport report;
  std::string text, json;
};

}  // namespace weft::c

using namespace weft::c;

int weft_overlap_report_create(weft_comm comm, weft_step_manager manager, weft_timeline timeline, int clients,
                               const char* const* names, int repeats, weft_overlap_report* report) {
  return call(__func__, [&] {
    need(report, "The address of the report");
    const auto transport = transport_of(comm);
    auto& steps = get(manager).manager;
    std::vector<std::string> tracks;
    for (int k = 0; k < clients; ++k)
      tracks.push_back(text_at(need(names, "The list of names")[k], "The name of a client"));
    auto object = std::make_shared<ReportObject>();
    object->report = weft::overlap_report(*transport, steps, get(timeline), tracks);
    if (repeats > 0)
      object->report.exchange_seconds =
          weft::all_reduce(*transport, steps.measure_alone(repeats), weft::maximum<double>());
    object->text = object->report.text();
    object->json = object->report.json();
    *report = handle_of<weft_overlap_report>(std::move(object));
  });
}

int weft_overlap_report_free(weft_overlap_report* report) {
  return call(__func__, [&] { take(report); });
}

int weft_overlap_report_fraction(weft_overlap_report report, double* fraction) {
  return call(__func__, [&] { at(fraction, "The address of the fraction") = get(report).report.overlap_fraction(); });
}

int weft_overlap_report_text(weft_overlap_report report, const char** text) {
  return call(__func__, [&] { at(text, "The address of the text") = get(report).text.c_str(); });
}

int weft_overlap_report_json(weft_overlap_report report, const char** json) {
  return call(__func__, [&] { at(json, "The address of the text") = get(report).json.c_str(); });
}
