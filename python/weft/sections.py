# SPDX-License-Identifier: BSD-3-Clause
"""One report as a section of a page: warnings, figures of merit, notes, settings, figures, numbers."""
import re
from dataclasses import replace
from typing import Iterator, Sequence

from matplotlib.figure import Figure

from weft import page
from weft.collective_figures import collective_figures
from weft.halo_figure import halo_figures
from weft.range_figure import range_figures
from weft.reports import Report, Result

OF_RANK = re.compile(r"smallest round trips: rank (\d+), (.+)")
CLOCK_COLUMNS = ("drift", "round trip", "error, estimated", "error", "error, later")
FEW = 8
HALO = {"exchange": ("Exchange", "Time, bandwidth and updates over the size of the block. Points: medians. Bands: quartiles."),
        "overlap": ("Overlap", "Times and overlap fraction over the length of the computation.")}


def report_section(report: Report) -> Iterator[str]:
    yield page.heading(2, report.title)
    launches = f", {len(report.launches)} launches" if report.launches else ""
    yield page.paragraph(f"{report.path.name}{launches}", "quiet")
    yield from warnings(report)
    if report.figures:
        yield page.heading(3, "Figures of merit") + page.table(("figure", "value"), report.figures.items())
    if report.notes:
        notes = page.items(report.notes)
        yield page.heading(3, "Notes") + (
            page.folded(f"{len(report.notes)} notes", notes) if len(report.notes) > FEW else notes)
    yield page.heading(3, "Settings") + settings_table([report])
    if report.benchmark == "clock":
        yield clock_table(report)
    for name, caption, figure in figures(report):
        yield page.picture(name, caption, figure)
    yield page.folded(f"All {len(report.results)} results", results_table(report))


def figures(report: Report) -> Iterator[tuple[str, str, Figure]]:
    """The figures of any benchmark. Benchmarks without figures of their own get one row per result."""
    drawn = 0
    if report.benchmark == "collectives":
        source = collective_figures(report)
    elif report.benchmark == "halo":
        source = ((*HALO[name], figure) for name, figure in halo_figures(report))
    elif report.benchmark == "clock":  # only errors: skews and drifts are in the table, and can't be compared with each other
        source = range_figures(replace(report, results={k: r for k, r in report.results.items() if "error" in k}))
    else:
        source = range_figures(report)
    for drawn, one in enumerate(source, 1):
        yield one
    if not drawn:
        yield from range_figures(report)


def warnings(report: Report) -> Iterator[str]:
    """Banners on conditions that change the meaning of the numbers. They come before the numbers."""
    wrong = [what for what, r in report.results.items() if r.key.get("right") is False]
    failed = report.figures.get("failed_checks", 0)
    if wrong or failed > 0:
        listed = "; ".join(wrong[:8]) + ("; ..." if len(wrong) > 8 else "")
        yield page.banner("failed", f"FAILED checks: {int(max(failed, len(wrong)))} measurements with a wrong result"
                                    f"{': ' + listed if listed else ''}. Do not use their times.")
    if report.mpi.get("more_ranks_than_cores"):
        yield page.banner("warning", f"More ranks than cores: {report.mpi['ranks']} ranks on "
                          f"{report.machine.get('cores')} cores. Ranks wait for a core, so the times "
                          "depend on the scheduler as much as on MPI. Use at most one rank per core.")
    if restless := [what for what, r in report.results.items() if r.key.get("converged") is False]:
        listed = "; ".join(restless[:4]) + ("; ..." if len(restless) > 4 else "")
        where = " in some launch" if report.launches else ""
        yield page.banner("warning", f"{len(restless)} of {len(report.results)} measurements ran out of time{where} before "
                          f"the interval of their median was within 5 %: {listed}. Give more --seconds.")
    if empty := [what for what, r in report.results.items() if r.median != r.median]:
        listed = "; ".join(empty[:4]) + ("; ..." if len(empty) > 4 else "")
        yield page.banner("warning", f"{len(empty)} results have no value: {listed}.")


def facts(report: Report) -> dict[str, object]:
    """The conditions of the run: library, ranks, machine, settings."""
    found = {"benchmark": report.benchmark, "MPI library": report.mpi.get("library"), "ranks": report.mpi.get("ranks"),
             "more ranks than cores": report.mpi.get("more_ranks_than_cores")}
    found |= {str(name): value for name, value in report.machine.items()}
    found |= {str(name): value for name, value in report.settings.items()}
    return found


def settings_table(reports: Sequence[Report]) -> str:
    """Side by side; rows that differ are highlighted."""
    columns = [facts(report) for report in reports]
    names = list(dict.fromkeys(name for column in columns for name in column))
    rows = [[name, *(str(page.text_of(column.get(name))) for column in columns)] for name in names]
    marked = [len(set(row[1:])) > 1 for row in rows]
    return page.table(["setting", *(r.name for r in reports)], rows, marked)


def differing(a: Report, b: Report) -> list[str]:
    mine, theirs = facts(a), facts(b)
    return [name for name in dict.fromkeys([*mine, *theirs]) if mine.get(name) != theirs.get(name)]


def results_table(report: Report) -> str:
    rows = [[what, r.median, r.low, r.high, r.unit, page.interval_text(r.interval), len(r.samples) or None,
             len(r.outliers) or None] for what, r in report.results.items()]
    head = ("result", "median", "lower quartile", "upper quartile", "unit", "95 % interval", "samples", "outliers")
    return page.table(head, rows)


def clock_table(report: Report) -> str:
    """The ranks' clocks: skew, its spread over the repeats, and its error. Same form as Niethammer et al., Table 1."""
    ranks: dict[int, dict[str, Result]] = {}
    for what, result in report.results.items():
        if match := OF_RANK.fullmatch(what):
            ranks.setdefault(int(match[1]), {})[match[2]] = result
    if not ranks:
        return ""
    units = {name: next((r[name].unit for r in ranks.values() if name in r), "") for name in ("skew", *CLOCK_COLUMNS)}
    head = ["rank", f"skew ({units['skew']})", "spread of the skew (us)"]
    head += [f"{name} ({units[name]})" for name in CLOCK_COLUMNS]
    rows = []
    for rank, mine in sorted(ranks.items()):
        skew = mine.get("skew")
        scale = {"s": 1e6, "ms": 1e3}.get(skew.unit if skew else "", 1.0)
        rows.append([rank, f"{skew.median:+.9f}" if skew else "", (skew.high - skew.low) * scale if skew else None]
                    + [mine[name].median if name in mine else None for name in CLOCK_COLUMNS])
    return (page.heading(3, "Clock skew") + page.table(head, rows)
            + page.paragraph("Skew: global time minus the rank's own time, the median over the repeats (as Niethammer et al., "
                             "Table 1). Spread: the distance between the quartiles. Error: on one machine the benchmark shifts the "
                             "ranks' clocks by known amounts, and the error is the difference from these.", "quiet"))
