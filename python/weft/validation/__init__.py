# SPDX-License-Identifier: BSD-3-Clause
"""Compares what `weft flow` computes with solutions that are known: docs/validation.md."""
