"""What is wrong with how the service was started is told then, and not at the first request."""

from __future__ import annotations

from pathlib import Path

from adjudge.errors import ModelUnavailable
from adjudge.stores.modes import open_to_others

from .observing.log import LOGGER
from .state import Service


def check_at_start(service: Service) -> None:
    """UsageError for a model that no provider has, and the store is closed then.

    What may still be put right, such as a missing key, is a warning in the log. Weights of the
    embedded model are opened with the first question.
    """
    try:
        for name in service.desk.models:
            try:
                service.desk.open(name)
            except ModelUnavailable as error:
                LOGGER.warning("%s", error)
    except BaseException:
        service.store.close()
        raise
    readable = open_to_others(Path(service.store.where))
    if readable:
        LOGGER.warning("%s", readable)
