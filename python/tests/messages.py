# SPDX-License-Identifier: BSD-3-Clause
"""The error messages in the C++ sources, as templates: what is filled in at run time is {}."""
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Exceptions, and the functions of one file or library that make them. Each takes the message as one of its arguments.
EXCEPTIONS = ("Error", "InputError", "PeerError", "UnusableError", "DamagedError", "UnstableRun", "Unstable")
FUNCTIONS = ("fail", "refuse", "complain", "reject", "wrong")
# Where the caller's text is completed: (before, after) make a message of it. By file and call, or by call.
COMPLETED = {
    "DamagedError": ("The file is damaged (", "). Remove it."),
    "UnusableError": ("The file can't be used (", "). Remove it."),
    "agreement.cpp refuse": ("Client 'x', key 1 ", ""), "requests.cpp refuse": ("Client 'x', key 1 ", ""),
    "halo.cpp refuse": ("Field 0 ", ""), "mailbox.cpp fail": ("A message of type 1 ", ""),
    "quantity.cpp wrong": ("'x' is not a length (", "). Give a number."),
    "given_sites.cpp refuse": ("Site 1 ", " (as its file says). Correct it."),
    "svzerod.cpp refuse": ("", ". Correct the file."),
    "checkpoint_file.cpp fail": ("x.weft is a checkpoint of another case (it has ", ", this case has y). Give the right one."),
    "reading.cpp wrong": ("x.json: ", ". Give a file of weft."),
    "waveform_reader.cpp refuse": ("x.csv: A row is wrong (", "). Correct it."),
    "convergence.cpp refuse": ("--x can't be used (", "). Leave it out."),
    "reading.cpp refuse": ("'x' is not ", ". Give a file of weft."),
    "settings.cpp refuse": ("WEFT_X is '1'. Give ", "."),
}
CALL = re.compile(r"(?<![\w~:.>])(?:\w+::)*(" + "|".join(EXCEPTIONS + FUNCTIONS) + r")\s*\(")
TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|R"(?P<d>[^()\s]*)\((?P<raw>.*?)\)(?P=d)"|"(?P<text>(?:\\.|[^"\\\n])*)"|"""
                   r"""'(?:\\.|[^'\\\n])+'|[(){}\[\]]|::|[,+?:]|[^\s"'(){}\[\],+?:/]+|/|\s+""", re.DOTALL)
ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "'": "'"}
OPENING, CLOSING = "([{", ")]}"


@dataclass
class Message:
    file: Path
    line: int
    call: str
    template: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.template!r}"


def literal(token: re.Match) -> str | None:
    if token["raw"] is not None:
        return token["raw"]
    return None if token["text"] is None else re.sub(r"\\(.)", lambda m: ESCAPES.get(m[1], m[0]), token["text"])


def arguments(source: str, begin: int) -> list[list[re.Match]]:
    """The tokens of each argument of a call whose parenthesis opens before `begin`."""
    depth, all_of_them, now = 0, [], []
    for token in TOKEN.finditer(source, begin):
        text = token[0]
        if text.isspace() or text.startswith(("//", "/*")):
            continue
        if depth == 0 and text == ")":
            return [*all_of_them, now]
        depth += (text in OPENING) - (text in CLOSING)
        if depth == 0 and text == ",":
            all_of_them.append(now)
            now = []
        else:
            now.append(token)
    return []


def template_of(tokens: list[re.Match]) -> str:
    """`"a " + b + fmt::format("c {}", d)` becomes `a {}c {}`."""
    pieces, now, depth = [], [], 0
    for token in tokens:
        depth += (token[0] in OPENING) - (token[0] in CLOSING)
        if depth == 0 and token[0] == "+":
            pieces.append(now)
            now = []
        else:
            now.append(token)
    return "".join(map(_piece, [*pieces, now]))


def _piece(tokens: list[re.Match]) -> str:
    if tokens and all(literal(token) is not None for token in tokens):
        return "".join(map(literal, tokens))
    call = re.match(r"(?:fmt::|std::)?(?:format|string)\(|text\(", "".join(token[0] for token in tokens[:4]))
    opening = next((i for i, token in enumerate(tokens) if token[0] == "("), None)
    if not call or opening is None:
        return "{}"
    first = []
    for token in tokens[opening + 1:]:
        if literal(token) is None:
            break
        first.append(literal(token))
    return re.sub(r"\{[^{}]*\}|%[-+ 0#]*[\d.*]*(?:ll|z|l)?[dsgfeuxc]", "{}", "".join(first)) if first else "{}"


def messages(file: Path, source: str) -> Iterator[Message]:
    for call in CALL.finditer(source):
        line_start = source.rfind("\n", 0, call.start()) + 1
        if "//" in source[line_start:call.start()]:
            continue
        templates = [template_of(tokens) for tokens in arguments(source, call.end()) if tokens]
        texts = [t for t in templates if re.search(r"[a-z]\W* \W*[a-z]", t.replace("{}", ""))]
        if texts:
            before, after = COMPLETED.get(f"{file.name} {call[1]}") or COMPLETED.get(call[1], ("", ""))
            if after and texts[0].endswith("."):
                before, after = "", ""  # a function of the same name that completes nothing
            yield Message(file, 1 + source.count("\n", 0, call.start()), call[1], before + texts[0] + after)


# What a sentence may begin with: a capital, a number, something that is filled in, a quotation, an option, or a name as
# one writes it: a key (fluid.viscosity, until in [run], [[inlet]]), a call (start()), a file (case.toml), a variable
# (WEFT_X, weft_x), a command.
BEGINNING = re.compile(r"""[A-Z0-9'"{<([]|--?\w|[\w/]+[._:/(\[=]\w*|\w+ in \[|\w+ in scene|\w+ / \w+ in \[|weft \w+|"""
                       r"""mpirun\b|mpicc\b""")


def trouble(message: Message) -> str | None:
    """How a message departs from *What is wrong (why). What to do.*, or nothing."""
    text = re.sub(r"^(?:(?:\{\}(?::\{\})*|byte \{\}|part at byte \{\}): ?)+", "", message.template)
    if not text:
        return None
    if not re.search(r"(?:[.?!]\)?|\{\}|\n)$", text):
        return "does not end with a full stop"
    text = text.replace("N,... ", "N ")
    sentences = [s for s in re.split(r"(?<=[.?!])\s+|(?<=[.?!]\))\s+", text.strip()) if s]
    for sentence in sentences:
        if not BEGINNING.match(sentence):
            return f"a sentence begins in lower case: {sentence[:40]!r}"
    if message.call == "InputError" and len(sentences) < 2 and not text.endswith("{}") and not text.startswith("{} "):
        return "does not say what to do"
    return None
