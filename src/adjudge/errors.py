"""Every error that adjudge raises on purpose.

::

    AdjudgeError                the work cannot go on; the message names the place and the remedy
    ├── UsageError              a flag, a name or an argument is wrong            exit 2
    │   ├── UnknownName         there is no run, judge or model of that name      exit 2
    │   └── Conflict            a run is under way, a name is taken               exit 2
    ├── DefinitionError         a judge file is wrong                             exit 2
    ├── DataError               a dataset is wrong                                exit 2
    ├── ModelUnavailable        a model cannot be had: package, weights, key      exit 1
    ├── ProviderError           one request to a model failed                     exit 1
    ├── StoreError              the store cannot be read or written               exit 1
    └── GateFailed              the run finished but is not good enough           exit 3

Errors of declaration (exit 2) are raised before anything is spent. A ProviderError inside a run
does not stop it: it becomes the outcome `provider_error` of that one call.
"""

from __future__ import annotations


class AdjudgeError(Exception):
    """Base of all errors; `exit_code` is what the command line ends with."""

    exit_code = 1


class UsageError(AdjudgeError):
    exit_code = 2


class UnknownName(UsageError):  # noqa: N818 - says what is the case
    pass


class Conflict(UsageError):  # noqa: N818 - says what is the case
    pass


class DefinitionError(AdjudgeError):
    exit_code = 2


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
        message: str,
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


class GateFailed(AdjudgeError):  # noqa: N818 - a gate fails; that is no fault of the program
    exit_code = 3
