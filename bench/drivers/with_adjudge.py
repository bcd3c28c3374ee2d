"""adjudge as its users run it: the command, on a file, with its durable store.

Measured is the whole command, from start to exit. The verdicts are exported and checked against
the rows afterwards, outside of the measured time.
"""

import json
import os
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

from common import Driver, rows

sys.path.append(str(Path(__file__).resolve().parents[1]))
from harness import judging, scratch, verdicts

_IMPORT = (
    "import time; t = time.perf_counter(); from adjudge import *; print(time.perf_counter() - t)"
)

driver = Driver.called()
told = subprocess.run([sys.executable, "-c", _IMPORT], check=True, stdout=subprocess.PIPE)
driver.import_s = float(told.stdout)

with scratch("adjudge") as folder:
    with (folder / "data.jsonl").open("w") as data:
        for row in rows(driver.rows):
            data.write(json.dumps(asdict(row)) + "\n")
    with driver.judging(), (folder / "told.json").open("w") as out:
        began = time.monotonic()
        process = subprocess.Popen(judging(driver.base, driver.concurrency), cwd=folder, stdout=out)
        _, status, used = os.wait4(process.pid, 0)
        ended = time.monotonic()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 3):
        sys.exit(process.returncode)
    found = {int(one["item"]): one["scores"]["rating"]["value"] for one in verdicts(folder)}
driver.report(
    found,
    began=began,
    ended=ended,
    cpu_s=used.ru_utime + used.ru_stime,
    peak_mb=used.ru_maxrss / 1024,
)
