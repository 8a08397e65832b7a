# SPDX-License-Identifier: BSD-3-Clause
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)

# Folders in dependency order: a folder uses only folders above it.
add_library(weft_flow STATIC
  flow/case/table.cpp
  flow/case/extract_case.cpp
  flow/case/fluid.cpp
  flow/case/case.cpp
  flow/case/circulation_case.cpp
  flow/case/ramp.cpp
  flow/scaling/vessel_compartment.cpp
  flow/scaling/lattice_choice.cpp
  flow/scaling/scaling.cpp
  flow/scaling/resolution.cpp
  flow/scaling/cost.cpp
  flow/vessel/inflow_profiles.cpp
  flow/vessel/section_flow.cpp
  flow/vessel/lumens.cpp
  flow/vessel/lumen_cuts.cpp
  flow/vessel/vessel.cpp
  flow/vessel/wall_sites.cpp
  flow/step/controls.cpp
  flow/step/lattice_client.cpp
  flow/step/last_sound.cpp
  flow/step/pressure_gauge.cpp
  flow/outlets/circulation.cpp
  flow/outlets/outlet_fit.cpp
  flow/outlets/windkessel.cpp
  flow/outlets/tuner.cpp
  flow/outlets/outlet_state.cpp
  flow/outlets/outlets.cpp
  flow/reading/waveform_reader.cpp
  flow/reading/opening_reader.cpp
  flow/reading/circulation_reader.cpp
  flow/reading/tune_reader.cpp
  flow/reading/case_reader.cpp
  flow/reading/extract_reader.cpp
  flow/reading/fluid_reader.cpp
  flow/extracts/centreline_extract.cpp
  flow/extracts/vtkhdf.cpp
  flow/extracts/site_values.cpp
  flow/extracts/wall_fit.cpp
  flow/extracts/near_wall.cpp
  flow/extracts/wall_stress.cpp
  flow/extracts/table_writer.cpp
  flow/extracts/wall_stencils.cpp
  flow/extracts/triangle_values.cpp
  flow/extracts/triangle_series.cpp
  flow/extracts/extracts.cpp
  flow/pictures/flow_pictures.cpp
  flow/pictures/picture_source.cpp
  flow/pictures/wall_map.cpp
  flow/steering/unstable.cpp
  flow/steering/monitor.cpp
  flow/steering/limits.cpp
  flow/steering/command_json.cpp
  flow/steering/command.cpp
  flow/steering/command_log.cpp
  flow/steering/steering.cpp
  flow/run/checkpoint_file.cpp
  flow/run/checkpoint.cpp
  flow/run/simulation.cpp
  flow/run/speed.cpp
  flow/run/result_json.cpp
  flow/set_up/vessel_findings.cpp
  flow/set_up/unlikely.cpp
  flow/set_up/pulse_findings.cpp
  flow/set_up/check.cpp
  flow/set_up/check_report.cpp
  flow/set_up/choices.cpp
  flow/set_up/case_text.cpp
  flow/set_up/found_openings.cpp
  flow/set_up/judge.cpp
  flow/set_up/set_up.cpp
  flow/summary/convergence_table.cpp
  flow/summary/grids.cpp
  flow/summary/html.cpp
  flow/summary/history.cpp
  flow/summary/conditions.cpp
  flow/summary/sections.cpp
  flow/summary/summary.cpp
  flow/command/viewer.cpp)
target_include_directories(weft_flow PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(weft_flow
  PUBLIC weft weft_geometry weft_lattice weft_insitu weft_view weft_program
  PRIVATE weft_command_line weft_hemelb weft_openings weft_text weft_build fmt::fmt nlohmann_json::nlohmann_json)
# No contraction to FMA, so that steering a running flow gives bitwise identical results on every machine.
target_compile_options(weft_flow PRIVATE -ffp-contract=off)
weft_compile(-O1 weft_flow)
if(CMAKE_UNITY_BUILD)  # headers take a third of the compile time
  set_target_properties(weft_flow PROPERTIES UNITY_BUILD_BATCH_SIZE 24)
endif()
# One run of a case, for the command and for Python.
add_library(weft_flow_run STATIC flow/command/case_run.cpp)
target_link_libraries(weft_flow_run PUBLIC weft_flow weft_command_line PRIVATE weft_build fmt::fmt)
weft_command(flow SOURCES flow/command/command.cpp flow/command/convergence.cpp flow/command/main.cpp LIBRARIES weft_flow_run)
