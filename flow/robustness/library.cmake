# SPDX-License-Identifier: BSD-3-Clause
# How many unknown vessels run to their end: the study behind `weft bench robustness`.
find_package(fmt REQUIRED)
add_library(weft_robustness STATIC
  robustness/vessel_case.cpp
  robustness/trial_mode.cpp
  robustness/trial_balance.cpp
  robustness/vessel_trial.cpp
  robustness/study.cpp)
weft_compile(-O1 weft_robustness)
target_include_directories(weft_robustness PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(weft_robustness PUBLIC weft_flow weft_openings weft_phantom weft_program PRIVATE weft_text weft_build fmt::fmt)
