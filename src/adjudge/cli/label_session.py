"""The conversation of `adjudge label`: an item, its questions, and what a person answers."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence

import click

from adjudge.analysis.answer_keys import (
    HELP,
    QUIT,
    SKIP,
    SKIP_ITEM,
    UNDO,
    AnswerKeys,
    keys_of,
)
from adjudge.analysis.labelling import Labelling, Question, Session
from adjudge.core.judge import Judge
from adjudge.core.scale import NotAValue
from adjudge.kept_run import Run
from adjudge.reports.labelling import guide_lines, item_lines, prompt_text
from adjudge.reports.terminal import printable

from . import keyboard

_WIDEST = 100
_ROOM = 4  # lines kept free below a page, for the question

_KEYS = "u undo · s skip · S skip the rest of the item · q quit and go on later · ? help"

_PICKED = {
    "random": "drawn at random",
    "uncertain": "the least certain first",
    "abstained": "left to people by the cascade, in random order",
}


def ask(run: Run, judge_name: str, chosen: Labelling, *, named: bool) -> None:
    """Asks until the queue is through or the rater quits; `named` says that --rater was given."""
    session = run.label_session(chosen, judge=judge_name)
    already, total = session.complete, len(session.queue)
    whose = "" if named else " (your login name; --rater or ADJUDGE_RATER name another)"
    click.echo(
        f"run {run.id}, judge {judge_name}. You label as {printable(chosen.rater)}{whose}.\n"
        f"{total} {'item' if total == 1 else 'items'}, {_PICKED[chosen.pick]} (seed {chosen.seed});"
        f" labelled already: {already}."
        f" What the judge said is not shown.\n{_KEYS}\n"
    )
    with keyboard.opened() as keys:
        _Conversation(run, run.judge(judge_name), session, keys).go()
    done = session.complete
    left = "" if done == total else " The same command goes on."
    click.echo(f"\n{done} of {total} items labelled by {printable(chosen.rater)}.{left}")
    if done:
        click.echo(f"How well the judge agrees: adjudge calibrate {run.id}")


class _Conversation:
    def __init__(self, run: Run, judge: Judge, session: Session, keys: keyboard.Keyboard) -> None:
        self._run, self._judge, self._session, self._keys = run, judge, session, keys
        self._answers = {name: keys_of(scale) for name, scale in session.scales.items()}
        self._shown = ""
        self._explained: set[str] = set()

    def go(self) -> None:
        while question := self._session.current:
            if not (self._show(question) and self._ask(question)):
                return

    def _show(self, question: Question) -> bool:
        """The item once, each criterion's guide the first time; False when the rater quits."""
        criterion = self._judge.rubric.criteria[question.criterion]
        width = min(shutil.get_terminal_size().columns, _WIDEST)
        lines = []
        if question.item != self._shown:
            entry = next(self._run.entries(question.item))
            total = len(self._session.queue)
            lines += item_lines(self._judge, entry.item, question.number, total, width)
            self._shown = question.item
        if criterion.name not in self._explained:
            lines += guide_lines(criterion, width)
            self._explained.add(criterion.name)
        return self._page(lines)

    def _page(self, lines: Sequence[str]) -> bool:
        room = max(shutil.get_terminal_size().lines - _ROOM, 5)
        if not (self._keys.pages and sys.stdout.isatty()):
            room = max(len(lines), 1)
        for start in range(0, len(lines), room):
            click.echo("\n".join(lines[start : start + room]))
            behind = len(lines) - start - room
            if behind > 0:
                click.echo(f"-- {behind} more lines: space goes on, q quits -- ", nl=False)
                if self._keys.key() in (None, QUIT):
                    return False
        return True

    def _ask(self, question: Question) -> bool:
        """Until there is an answer, or another thing to ask; False when the rater quits."""
        answers = self._answers[question.criterion]
        criterion = self._judge.rubric.criteria[question.criterion]
        while True:
            click.echo(prompt_text(criterion, answers.words), nl=False)
            typed = self._keys.key() if answers.single else self._keys.line()
            if typed is None or typed == QUIT:
                return False
            if typed == HELP:
                click.echo("\n".join([*guide_lines(criterion, _WIDEST), _KEYS]))
            elif typed.strip() and self._act(typed, answers):
                return True

    def _act(self, typed: str, answers: AnswerKeys) -> bool:
        """Does what was typed; False when that was nothing."""
        if typed in (SKIP, SKIP_ITEM):
            self._session.skip(item=typed == SKIP_ITEM)
            return True
        if typed == UNDO:
            return self._undo()
        try:
            value = answers.read(typed)
        except NotAValue as why:
            click.echo(printable(str(why)))
            return False
        self._session.answer(value)
        return True

    def _undo(self) -> bool:
        back = self._session.undo()
        if back is None:
            click.echo("this is the first question: there is nothing to take back")
            return False
        click.echo(f"back to {back.criterion} of item {printable(back.item)}")
        return True
