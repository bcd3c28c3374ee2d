"""Every error that adjudge raises on purpose.

::

    AdjudgeError                the work cannot continue; the message names the place and the remedy
    ├── UsageError              a flag, a name or an argument is wrong            exit 2
    │   ├── UnknownName         there is no run, judge or model of that name      exit 2
    │   ├── Conflict            a run is under way, a name is taken               exit 2
    │   └── MissingExtra        an optional part of adjudge is not installed      exit 2
    ├── DefinitionError         a judge file is wrong                             exit 2
    ├── DataError               a dataset is wrong                                exit 2
    ├── ModelUnavailable        a model cannot be had: package, weights, key      exit 1
    ├── ProviderError           one request to a model failed                     exit 1
    ├── StoreError              the store cannot be read or written               exit 1
    │   └── StoreInterrupted    a connection was cut; the same may be done again  exit 1
    └── GateFailed              the run finished but is not good enough           exit 3

Errors of declaration (exit 2) are raised before anything is spent. A ProviderError inside a run
does not stop it: it becomes the outcome `provider_error` of that one call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adjudge.strings import Coded

_PLACE = "place."


def place_of(reason: Coded) -> dict[str, Any]:
    """Where it holds: by `file`, `line`, `row`, `key`, as far as that is known. `text_line` is a
    line within the text that stands at the key."""
    place: dict[str, Any] = {}
    while reason.code.startswith(_PLACE):
        place |= {name: value for name, value in reason.fields.items() if name != "why"}
        reason = reason.fields["why"]
    return place


def without_place(reason: Coded) -> Coded:
    while reason.code.startswith(_PLACE):
        reason = reason.fields["why"]
    return reason


class AdjudgeError(Exception):
    """Base of all errors; `exit_code` is what the command line ends with.

    What it says is a reason, a code with fields, or a text. Reasons that begin with `place.` say
    where the one within them holds: in which file, line, row, option or parameter.
    """

    exit_code = 1

    def __init__(self, said: Coded | str = "") -> None:
        super().__init__(said)
        self.said = said

    @property
    def reason(self) -> Coded | None:
        """What it says, without the places around it; None where that is a mere text."""
        return None if isinstance(self.said, str) else without_place(self.said)

    @property
    def code(self) -> str:
        """What went wrong, in a word that no wording changes; "" where it has none."""
        return self.reason.code if self.reason is not None else ""

    @property
    def place(self) -> Mapping[str, Any]:
        """Where: by `file`, `line`, `row`, `key`, or `name` and `value` of an option, if known."""
        return {} if isinstance(self.said, str) else place_of(self.said)

    @property
    def remedy(self) -> str:
        """What to do about it, in English; "" where the message does not say it apart."""
        from adjudge.strings import remedy_words  # noqa: PLC0415 - loads yaml

        return remedy_words("en", self.reason) if self.reason is not None else ""


class UsageError(AdjudgeError):
    exit_code = 2


class UnknownName(UsageError):  # noqa: N818 - says what is the case
    pass


class Conflict(UsageError):  # noqa: N818 - says what is the case
    pass


class MissingExtra(UsageError):  # noqa: N818 - says what is the case
    """The message has the command that installs it."""


class DefinitionError(AdjudgeError):
    exit_code = 2

    @property
    def problems(self) -> tuple[Coded, ...]:
        """Each thing that is wrong, in its place; none where it says a mere text."""
        if self.reason is None or isinstance(self.said, str):
            return ()
        several: tuple[Coded, ...] | None = self.reason.fields.get("problems")
        return (self.said,) if several is None else several


class DataError(AdjudgeError):
    exit_code = 2


class ModelUnavailable(AdjudgeError):  # noqa: N818 - says what is the case, reads better in a traceback
    pass


class ProviderError(AdjudgeError):
    """A request failed. `retryable` says whether the same request may succeed later.

    `retry_after` is in seconds, None when the provider did not say. `status` is the HTTP status,
    None when there was no HTTP answer. `fatal` marks what every further request will meet too
    (a wrong key, an unknown model): the run stops instead of failing row by row. `sent` says that
    the provider may have worked on it, and billed it, all the same. `attempts` counts the requests
    that were made.
    """

    def __init__(
        self,
        message: Coded | str,
        *,
        retryable: bool = False,
        retry_after: float | None = None,
        status: int | None = None,
        fatal: bool = False,
        sent: bool = False,
    ) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.retry_after = retry_after
        self.status = status
        self.fatal = fatal
        self.sent = sent
        self.attempts = 1


class StoreError(AdjudgeError):
    pass


class StoreInterrupted(StoreError):  # noqa: N818 - says what is the case
    """Nothing of what was begun is kept."""


class GateFailed(AdjudgeError):  # noqa: N818 - a gate fails; that is no fault of the program
    exit_code = 3


class OtherEncoding(UserWarning):
    """A file is not UTF-8 and is read as what it plainly is; it may be named to be sure."""
