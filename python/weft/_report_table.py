# SPDX-License-Identifier: BSD-3-Clause
"""An overlap report as a table of HTML, for notebooks."""
from html import escape

COLUMNS = (("compute", "compute_seconds"), ("pack", "pack_seconds"), ("wait", "mpi_seconds"), ("unpack", "unpack_seconds"),
           ("in flight", "in_flight_seconds"))


def duration(seconds: float) -> str:
    for factor, unit, digits in ((1, "s", 2), (1e3, "ms", 2), (1e6, "&micro;s", 1)):
        if seconds * factor >= 1 or factor == 1e6:
            return f"{seconds * factor:.{digits}f} {unit}"
    return ""


def html(report: dict) -> str:
    """The table of the dictionary that OverlapReport.as_dict() returns."""
    def row(values: dict) -> str:
        waited = f"{100 * values['waited_share']:.1f} %" if values["in_flight_seconds"] > 0 else "-"
        cells = "".join(f"<td>{duration(values[key])}</td>" for _, key in COLUMNS)
        return f"<tr><th>{escape(values.get('name', 'all clients'))}</th>{cells}<td>{waited}</td></tr>"

    head = "".join(f"<th>{name}</th>" for name in ("client", *(name for name, _ in COLUMNS), "waited"))
    mean = report["mean"]
    lines = [f"<p>overlap: {mean['steps']} steps on {report['ranks']} ranks, time per step (mean over the ranks)</p>",
             f"<table><thead><tr>{head}</tr></thead><tbody>",
             *(row(client) for client in (*report["regions"], mean)), "</tbody></table>"]
    if mean["needed_seconds"]:
        lines.append(f"<p>slowest rank, per step: computation {duration(mean['computation_seconds'])}, communication alone "
                     f"{duration(mean['needed_seconds'])}, both overlapped {duration(mean['seconds'])}; overlap fraction "
                     f"{mean['overlap_fraction']:.2f}</p>")
    return "\n".join(lines)
