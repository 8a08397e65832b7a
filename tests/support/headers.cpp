// SPDX-License-Identifier: BSD-3-Clause
// Nothing: a target of its own is needed to precompile what tests include (see cmake/WeftTest.cmake).
