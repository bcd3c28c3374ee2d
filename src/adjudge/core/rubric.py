"""What is asked: criteria with their scales, and the rules over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .scale import Scale, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """A question with a scale.

    `explain` is True when the model explains this score, False when it does not, or the name of the
    feedback section that serves as the explanation.
    """

    name: str
    title: str
    guide: str
    scale: Scale
    steps: tuple[str, ...] = ()
    explain: bool | str = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A promise of the rubric that code keeps.

    The model reports `flag` (true or false, as `when` describes); when it is true, `cap` and
    `floor` bound the scores named there. `criterion` is the one whose call asks for the flag.
    """

    id: str
    criterion: str
    flag: str
    when: str
    cap: Mapping[str, Value] = field(default_factory=dict)
    floor: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """The ordered criteria with the rules over them."""

    criteria: Mapping[str, Criterion]
    rules: tuple[Rule, ...] = ()

    def title(self, name: str) -> str:
        """What people call a criterion; a name that the rubric does not have stays as it is."""
        return self.criteria[name].title if name in self.criteria else name

    def flags_of(self, criteria: tuple[str, ...]) -> tuple[Rule, ...]:
        """The rules whose flag is asked for together with these criteria."""
        return tuple(rule for rule in self.rules if rule.criterion in criteria)
