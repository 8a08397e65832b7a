# SPDX-License-Identifier: BSD-3-Clause
"""The error messages in the C++ sources, as templates: what is filled in at run time is {}."""
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Exceptions, and the functions of one file or library that make them. Each takes the message as one of its arguments.
EXCEPTIONS = ("Error", "InputError", "PeerError", "UnusableError", "DamagedError", "UnstableRun", "Unstable")
FUNCTIONS = ("fail", "refuse", "complain", "reject", "wrong")
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
            yield Message(file, 1 + source.count("\n", 0, call.start()), call[1], texts[0])


# What a sentence may begin with: a capital, a number, something that is filled in, a quotation, an option, or a name as
# one writes it: a key (fluid.viscosity), a call (start()), a file (case.toml), a variable (WEFT_X, weft_x), a command.
BEGINNING = re.compile(r"""[A-Z0-9'"{<(]|--?\w|[\w/]+[._:/(\[=]\w*|\w+\(|weft \w+|mpirun\b|mpicc\b|x \(""")


def trouble(message: Message) -> str | None:
    """How a message departs from *What is wrong (why). What to do.*, or nothing."""
    text = re.sub(r"^(?:\{\}(?::\{\})*: ?)+", "", message.template)
    if not text:
        return None
    if not re.search(r"(?:[.?!]\)?|\{\}|\n)$", text):
        return "does not end with a full stop"
    sentences = [s for s in re.split(r"(?<=[.?!])\s+|(?<=[.?!]\))\s+", text.strip()) if s]
    for sentence in sentences:
        if not BEGINNING.match(sentence):
            return f"a sentence begins in lower case: {sentence[:40]!r}"
    if message.call == "InputError" and len(sentences) < 2 and not text.endswith("{}"):
        return "does not say what to do"
    return None
