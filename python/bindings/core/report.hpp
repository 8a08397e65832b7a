// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "weft/step/overlap_report.hpp"
