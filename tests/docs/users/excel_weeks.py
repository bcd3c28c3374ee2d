"""An Excel file with Vietnamese headers: a report to mail, and next week's comparison."""
# extras: trust,web

import json
import subprocess
from pathlib import Path

from openpyxl import Workbook, load_workbook

QUESTIONS = ["Đổi mật khẩu thế nào?", "Khi nào được hoàn tiền?", "Giờ mở cửa?", "Phí giao hàng?"]


def adjudge(*arguments: str) -> str:
    ended = subprocess.run(["adjudge", *arguments], check=True, capture_output=True, text=True)
    return ended.stdout


def week(number: int, grades: list[int]) -> None:
    """The workbook of a week, its replies as a judge would give them, and the run."""
    book = Workbook()
    book.active.append(["Câu hỏi", "Trả lời"])
    for question in QUESTIONS:
        book.active.append([question, f"Câu trả lời tuần {number} cho: {question}"])
    book.save(f"week-{number}.xlsx")
    Path("none.jsonl").write_text('{"item": "none", "replies": ["x"]}\n')
    run = ["run", f"week-{number}.xlsx", "--judge", "helpfulness", "--no-progress"]
    subprocess.run(["adjudge", *run, "-m", "replay:none.jsonl", "-o", "ids.jsonl"], check=False)
    ids = [json.loads(line)["item"] for line in Path("ids.jsonl").read_text().splitlines()]
    replies = [
        {"item": item, "replies": [f"Rating: {grade}\nIt helps."]}
        for item, grade in zip(ids, grades, strict=True)
    ]
    Path("r.jsonl").write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    name, tag = f"tuần {number}", f"week={number}"
    out = ["-o", f"scores-{number}.xlsx", "--columns", "compact"]
    adjudge(*run, "-m", "replay:r.jsonl", "--name", name, "--tag", tag, *out)


week(1, [2, 3, 2, 3])
week(2, [3, 4, 3, 3])
adjudge("report", "latest", "-o", "report.html", "--lang", "vi")
assert "tuần 2" in Path("report.html").read_text("utf-8")
assert load_workbook("scores-2.xlsx").sheetnames == ["rows", "means"]
assert "tuần 1" in adjudge("runs", "--tag", "week=1")
found = json.loads(adjudge("compare", "tuần 1", "tag:week=2", "--match", "question", "--json"))
assert found["shared"] == 4, found
assert found["criteria"]["rating"]["difference"]["value"] == 0.75, found
