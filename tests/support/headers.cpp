// SPDX-License-Identifier: BSD-3-Clause
// Empty: precompiling the tests' headers needs a target of its own (see cmake/WeftTest.cmake).
