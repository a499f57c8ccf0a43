"""A shell script as commands: words, redirections and lines, without running or expanding anything.

Knows quotes, escapes, comments, line continuation, here-documents, `;`, `&&`, `||`, `|`, `&`, groups,
reserved words and `$(...)`, whose content becomes commands of its own. Not a full grammar: what it cannot
follow becomes words, never an exception.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

STARTERS = frozenset("if then else elif do while until ! { time".split())
OPERATORS = ("&&", "||", ";;", ";", "|&", "|", "&", "(", ")", "\n")
REDIRECTION = re.compile(r"(?:\d*|&)(?:>>|>\||>&|<<<|<<-?|<>|<&|>|<)")
HEREDOC = ("<<", "<<-")
DEEPEST = 20


@dataclass
class Command:
    """One simple command. `pipe` counts its place in a pipeline, `inside` the text of nested `$(...)`."""

    line: int
    words: list[str] = field(default_factory=list)
    redirections: list[tuple[str, str]] = field(default_factory=list)
    after: str = ""
    inside: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.words[0].rpartition("/")[2] if self.words else ""


def commands(script: str, first_line: int = 1, depth: int = 0) -> Iterator[Command]:
    """Every command in the order of the text, those inside `$(...)` before the one that uses them."""
    current = Command(first_line)
    for token in _tokens(script, first_line):
        if token.kind == "operator":
            if current.words or current.redirections:
                current.after = token.text
                yield from _with_nested(current, depth)
            current = Command(token.line)
        elif token.kind == "redirection":
            current.redirections.append((token.text, token.target))
        else:
            if not current.words:
                current.line = token.line
                if token.text in STARTERS and not token.quoted:
                    continue
            current.words.append(token.text)
        current.inside += token.inside
    if current.words or current.redirections:
        yield from _with_nested(current, depth)


def _with_nested(command: Command, depth: int) -> Iterator[Command]:
    if depth < DEEPEST:
        for text in command.inside:
            yield from commands(text, command.line, depth + 1)
    yield command


@dataclass
class _Token:
    kind: str
    text: str
    line: int
    target: str = ""
    quoted: bool = False
    inside: list[str] = field(default_factory=list)


def _tokens(script: str, line: int) -> Iterator[_Token]:
    at, waiting = 0, []
    while at < len(script):
        character = script[at]
        if character in " \t\r":
            at += 1
        elif script.startswith("\\\n", at):
            at, line = at + 2, line + 1
        elif character == "#":
            at = _end_of_line(script, at)
        elif found := REDIRECTION.match(script, at):
            operator, start = found[0].lstrip("0123456789"), found.end()
            while start < len(script) and script[start] in " \t":
                start += 1
            word, inside, end, _ = _word(script, start)
            if operator in HEREDOC:
                waiting.append(word)
            yield _Token("redirection", found[0], line, word, inside=inside)
            line, at = line + script.count("\n", at, end), end
        elif operator := next((each for each in OPERATORS if script.startswith(each, at)), ""):
            yield _Token("operator", operator, line)
            at += len(operator)
            if operator == "\n":
                line += 1
                at, skipped = _skip_heredocs(script, at, waiting)
                line, waiting = line + skipped, []
        else:
            word, inside, end, quoted = _word(script, at)
            yield _Token("word", word, line, quoted=quoted, inside=inside)
            line, at = line + script.count("\n", at, end), max(end, at + 1)


def _word(script: str, at: int) -> tuple[str, list[str], int, bool]:
    """A word with its quotes removed, the texts inside `$(...)`, its end, and whether any of it was quoted."""
    parts: list[str] = []
    inside: list[str] = []
    quoted, start = False, at
    while at < len(script):
        character = script[at]
        if character == "\\":
            parts.append(script[at + 1 : at + 2].replace("\n", ""))
            at += 2
        elif character == "'":
            end = script.find("'", at + 1)
            end = len(script) if end < 0 else end
            parts.append(script[at + 1 : end])
            at, quoted = end + 1, True
        elif character == '"':
            end = _closing_quote(script, at + 1)
            body = script[at + 1 : end]
            parts.append(re.sub(r'\\([$`"\\\n])', r"\1", body))
            inside += _substitutions(body)
            at, quoted = end + 1, True
        elif script.startswith("$(", at):
            end = _closing_bracket(script, at + 2)
            inside.append(script[at + 2 : end])
            parts.append(script[at : end + 1])
            at = end + 1
        elif character == "`":
            end = script.find("`", at + 1)
            end = len(script) if end < 0 else end
            inside.append(script[at + 1 : end])
            parts.append(script[at : end + 1])
            at = end + 1
        elif script.startswith("${", at):
            end = script.find("}", at)
            end = len(script) - 1 if end < 0 else end
            parts.append(script[at : end + 1])
            at = end + 1
        elif character in " \t\r\n;|&()<>":
            break
        else:
            parts.append(character)
            at += 1
    return "".join(parts), inside, max(at, start), quoted


def _substitutions(text: str) -> list[str]:
    found, at = [], 0
    while (start := text.find("$(", at)) >= 0:
        end = _closing_bracket(text, start + 2)
        found.append(text[start + 2 : end])
        at = end + 1
    return found


def _closing_bracket(text: str, at: int) -> int:
    depth, quote = 1, ""
    while at < len(text):
        character = text[at]
        if character == "\\":
            at += 1
        elif quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "()":
            depth += 1 if character == "(" else -1
            if not depth:
                return at
        at += 1
    return len(text)


def _closing_quote(text: str, at: int) -> int:
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text.startswith("$(", at):
            at = _closing_bracket(text, at + 2)
        elif text[at] == '"':
            return at
        at += 1
    return len(text)


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _skip_heredocs(script: str, at: int, waiting: list[str]) -> tuple[int, int]:
    lines = 0
    for mark in waiting:
        while at < len(script):
            end = _end_of_line(script, at)
            body, at, lines = script[at:end], end + 1, lines + 1
            if body.strip("\t") == mark:
                break
    return at, lines
