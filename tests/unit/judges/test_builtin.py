"""What the built-in judges promise, held in their files and in the prompts that they make."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.rubric import Rule
from adjudge.core.scale import Category, Integer, Number, Ordinal
from adjudge.judges import registry
from adjudge.judges.render import Renderer

ASPECTS = [
    "factuality",
    "consistency",
    "relevance",
    "fluency",
    "coherence",
    "accuracy",
    "multidimensional_quality",
    "semantic_appropriateness",
    "understandability",
]


def prompt_of(judge: Judge, criterion: str | None = None) -> str:
    made = Renderer(judge, b"s").prompts(Item("1", dict.fromkeys(judge.inputs, "TEXT")))
    chosen = next(p for p in made if criterion is None or p.criterion == criterion)
    return "\n".join(message.content for message in chosen.messages)


def rule(judge: Judge, name: str) -> Rule:
    return next(each for each in judge.rubric.rules if each.id == name)


class TestHelpfulness:
    judge = registry.get("helpfulness")
    text = prompt_of(judge)

    def test_languages_and_inputs(self) -> None:
        assert (self.judge.language, self.judge.explain_in) == ("en", "en")
        assert list(self.judge.inputs) == ["question", "answer", "focus"]
        assert [n for n, each in self.judge.inputs.items() if each.required] == [
            "question",
            "answer",
        ]
        assert self.judge.judged == ("answer",)

    def test_the_columns_of_the_prompt_that_people_have(self) -> None:
        assert "user_question" in self.judge.inputs["question"].columns
        assert "system_answer" in self.judge.inputs["answer"].columns

    def test_four_levels_with_their_meaning(self) -> None:
        scale = self.judge.rubric.criteria["rating"].scale
        assert isinstance(scale, Ordinal)
        labels = {value: level.label for value, level in scale.levels.items()}
        assert labels == {1: "terrible", 2: "unhelpful", 3: "helpful", 4: "excellent"}
        for value, level in scale.levels.items():
            assert level.meaning
            assert f"{value} ({level.label}): the answer {level.meaning}." in self.text

    def test_the_ends_of_the_scale_are_explained(self) -> None:
        assert "from terrible, an answer that helps nobody, to excellent, one that" in self.text

    def test_an_assessor_fair_and_constructive(self) -> None:
        assert "fair, detailed and constructive" in self.text
        assert "Be even-handed." in self.text
        assert "one need not be perfect to be good" in self.text
        assert "could learn from it" in self.text
        assert "richly rewarded" in self.text

    @pytest.mark.parametrize(
        ("group", "questions"),
        [
            (
                "Accuracy and factuality",
                ("true in the real world", "evidence or reasons", "made up"),
            ),
            ("Relevance and completeness", ("question or task", "every part", "lack something")),
            ("Clarity and communication", ("well organised", "language suit", "technical ideas")),
            ("Reasoning and logic", ("each step follow", "conclusions rest", "fallacy")),
            ("Helpfulness and utility", ("act on it", "what to do next", "below the surface")),
            (
                "Tone and appropriateness",
                ("tone fit", "delicate points", "polite and professional"),
            ),
        ],
    )
    def test_six_groups_of_three_questions(self, group: str, questions: tuple[str, ...]) -> None:
        rows = self.text.partition(f"\n{group}\n")[2].splitlines()[:3]
        assert len(rows) == 3
        for row, words in zip(rows, questions, strict=True):
            assert row.startswith("- ")
            assert words in row

    def test_there_are_six_groups(self) -> None:
        rows = self.judge.rubric.criteria["rating"].guide.splitlines()
        assert len([row for row in rows if not row.startswith("- ")]) == 6
        assert "from six sides" in self.text

    @pytest.mark.parametrize(
        ("number", "section", "least", "most"),
        [
            (1, "evaluation", None, None),
            (2, "strengths", 2, 3),
            (3, "weaknesses", 2, 3),
            (4, "analysis", None, None),
            (5, "recommendations", 1, 2),
        ],
    )
    def test_five_sections_in_order(
        self, number: int, section: str, least: int | None, most: int | None
    ) -> None:
        spec = self.judge.feedback[section]
        assert list(self.judge.feedback)[number - 1] == section
        assert (spec.list, spec.least, spec.most) == (least is not None, least, most)
        assert f"{number}. {spec.title}: {spec.guide}." in self.text
        if least:
            assert f"{least} or {most}" in spec.guide
            assert f"{least} to {most} short points" in self.text

    def test_the_parts_of_the_item_are_named(self) -> None:
        assert self.text.index("\nQuestion:\n") < self.text.index("\nAnswer:\n<<<")
        assert "\nWrite five sections:\n1. " in self.text

    def test_there_are_five_sections_and_one_explains_the_rating(self) -> None:
        assert len(self.judge.feedback) == 5
        assert self.judge.rubric.criteria["rating"].explain == "evaluation"


class TestChatbot:
    judge = registry.get("chatbot")
    text = prompt_of(judge)

    def test_languages_and_inputs(self) -> None:
        assert (self.judge.language, self.judge.explain_in) == ("vi", "vi")
        assert list(self.judge.inputs) == ["context", "question", "reference", "answer"]
        assert [n for n, each in self.judge.inputs.items() if not each.required] == ["context"]
        assert self.judge.judged == ("answer",)

    def test_the_columns_of_the_prompt_that_people_have(self) -> None:
        assert "true_answer" in self.judge.inputs["reference"].columns
        assert "agent_answer" in self.judge.inputs["answer"].columns

    def test_five_criteria_from_0_to_10(self) -> None:
        criteria = self.judge.rubric.criteria
        assert list(criteria) == ["relevance", "accuracy", "completeness", "clarity", "tone"]
        assert {each.scale for each in criteria.values()} == {Number(0.0, 10.0)}
        assert "thang điểm 0.0–10.0" in self.text
        assert all(each.explain is True for each in criteria.values())

    def test_criteria_are_judged_independently(self) -> None:
        assert "không được ảnh hưởng đến tiêu chí khác" in self.text

    @pytest.mark.parametrize(
        ("criterion", "words"),
        [
            ("relevance", ("đúng điều được hỏi", "chệch khỏi chủ đề")),
            ("accuracy", ("khớp với đáp án chuẩn", "nắm đúng vấn đề")),
            # by meaning, not by wording; only what the reference holds
            ("accuracy", ("không bắt bẻ câu chữ", "cùng ý vẫn tính là đúng")),
            ("accuracy", ("Chỉ đối chiếu những điều mà đáp án chuẩn có nêu", "không được tính")),
            ("completeness", ("đủ thông tin để giải quyết", "từng bước", "tra cứu")),
            # useful extras are credited
            ("completeness", ("hữu ích mà đáp án chuẩn không có cũng được ghi nhận",)),
            ("clarity", ("dễ đọc, mạch lạc", "đánh số", "hiểu lầm hoặc khó hiểu")),
            ("tone", ("hợp với mục đích", "chuyên nghiệp", "lo lắng vô cớ", "trách nhiệm")),
        ],
    )
    def test_what_each_criterion_looks_at(self, criterion: str, words: tuple[str, ...]) -> None:
        guide = self.judge.rubric.criteria[criterion].guide
        assert guide in self.text
        for each in words:
            assert each in guide

    @pytest.mark.parametrize(
        ("name", "flag", "criterion", "cap"),
        [
            ("serious-error", "serious_error", "accuracy", 5.0),
            ("missing-important", "missing_important", "completeness", 6.0),
            ("generic", "generic", "completeness", 5.0),
        ],
    )
    def test_caps_stand_in_code_and_in_the_prompt(
        self, name: str, flag: str, criterion: str, cap: float
    ) -> None:
        found = rule(self.judge, name)
        assert (found.flag, found.criterion, found.cap) == (flag, criterion, {criterion: cap})
        guide = self.judge.rubric.criteria[criterion].guide
        assert f"({flag}) thì điểm tối đa là {cap}" in guide
        assert f"- {flag}: {found.when}" in self.text
        assert f'"{flag}": <true hoặc false>' in self.text

    def test_asked_one_by_one_each_call_reports_its_own_flags(self) -> None:
        each = replace(self.judge, ask="each")
        assert "serious_error" in prompt_of(each, "accuracy")
        assert "generic" not in prompt_of(each, "accuracy")
        assert "true hoặc false" not in prompt_of(each, "tone")

    def test_the_trace_is_cut_in_code_and_named_in_the_prompt(self) -> None:
        assert [(each.input, each.do) for each in self.judge.prepare] == [("answer", "agent_trace")]
        assert "**Observation**" in self.text
        assert "Final Answer:" in self.text

    def test_a_closing_offer_moves_no_score(self) -> None:
        assert "hỗ trợ thêm hoặc gợi ý bước tiếp theo không làm tăng hay giảm điểm" in self.text

    def test_every_part_of_the_case_has_its_name(self) -> None:
        heads = ["Bối cảnh:", "Câu hỏi:", "Đáp án chuẩn:", "Câu trả lời của chatbot:"]
        places = [self.text.index(f"\n{head}\n") for head in heads[1:]]
        assert places == sorted(places)
        for head in heads[1:]:
            assert f"- {head} " in self.text
        assert "- Bối cảnh (có thể không có): " in self.text

    @pytest.mark.parametrize(
        ("number", "title"),
        [(1, "Relevance"), (2, "Accuracy"), (3, "Completeness"), (4, "Clarity"), (5, "Tone")],
    )
    def test_criteria_are_numbered_and_named_in_both_languages(
        self, number: int, title: str
    ) -> None:
        assert f"\n{number}. {title} (" in self.text

    def test_the_context_and_the_reference_are_explained(self) -> None:
        for words in ("lĩnh vực hay chủ đề", "kiến thức nền", "quy định và chính sách"):
            assert words in self.text
        for words in ("chuyên ngành", "ràng buộc và yêu cầu riêng", "không cần trả lời y hệt"):
            assert words in self.text
        assert "Hãy chấm theo đúng bối cảnh và chuẩn mực" in self.text


class TestGptscore:
    judge = registry.get("gptscore")

    def test_languages_and_inputs(self) -> None:
        assert (self.judge.language, self.judge.explain_in) == ("en", "ko")
        assert list(self.judge.inputs) == ["source", "response"]
        assert all(each.required for each in self.judge.inputs.values())
        assert self.judge.judged == ("response",)
        assert "source_text" in self.judge.inputs["source"].columns
        assert "generated_response" in self.judge.inputs["response"].columns

    def test_nine_aspects_from_1_to_5_one_call_each(self) -> None:
        criteria = self.judge.rubric.criteria
        assert list(criteria) == ASPECTS
        assert {each.scale for each in criteria.values()} == {Integer(1, 5)}
        assert self.judge.ask == "each"
        assert self.judge.calls() == tuple((name,) for name in ASPECTS)
        assert all(each.explain is True for each in criteria.values())

    @pytest.mark.parametrize("aspect", ASPECTS)
    def test_each_aspect_has_its_own_steps_and_both_ends_of_its_scale(self, aspect: str) -> None:
        criterion = self.judge.rubric.criteria[aspect]
        text = prompt_of(self.judge, aspect)
        assert len(criterion.steps) == (3 if aspect == "factuality" else 4)
        for number, step in enumerate(criterion.steps, 1):
            assert f"{number}. {step}" in text
        others = {
            step
            for name, each in self.judge.rubric.criteria.items()
            if name != aspect
            for step in each.steps
        }
        assert not others & set(criterion.steps)
        assert not any(step in text for step in others)
        assert criterion.guide in text
        assert " 1: " in criterion.guide
        assert " 5: " in criterion.guide
        assert "source" in criterion.steps[0]
        assert criterion.steps[-1].endswith("score from 1 to 5 that the criterion calls for.")
        if aspect != "factuality":
            assert criterion.steps[2].startswith("Explain your judgement in detail: ")

    @pytest.mark.parametrize(
        ("aspect", "low", "high"),
        [
            ("factuality", "wrong or invented", "every fact of the source is preserved"),
            ("consistency", "contradicts the source", "without any discrepancy"),
            ("relevance", "off topic", "takes up the main points of the source directly"),
            ("fluency", "grammatical errors or clumsy", "excellent and smooth to read"),
            ("coherence", "disjointed", "a clear structure and a logical flow of ideas"),
            ("accuracy", "serious inaccuracies", "a correct picture of the source"),
            ("multidimensional_quality", "poor in most or all", "excellent in all"),
            ("semantic_appropriateness", "out of context", "with the meaning of the source"),
            ("understandability", "hard to follow", "grasped without effort"),
        ],
    )
    def test_what_the_ends_of_each_scale_mean(self, aspect: str, low: str, high: str) -> None:
        guide = self.judge.rubric.criteria[aspect].guide
        worst, best = guide.partition(" 5: ")[::2]
        assert low in worst.partition(" 1: ")[2]
        assert high in best

    @pytest.mark.parametrize("aspect", ASPECTS)
    def test_the_aspect_and_the_parts_of_the_item_are_named(self, aspect: str) -> None:
        text = prompt_of(self.judge, aspect)
        title = aspect.replace("_", " ").title()
        assert f"\nEvaluate the {title} of the generated response.\n{title} (1-5): " in text
        assert text.index("\nSource text:\n") < text.index("\nGenerated response:\n<<<")

    def test_the_dimensions_of_the_overall_quality(self) -> None:
        guide = self.judge.rubric.criteria["multidimensional_quality"].guide
        assert "factuality, coherence, relevance, accuracy" in guide

    @pytest.mark.parametrize("aspect", ASPECTS)
    def test_everything_is_to_be_written_in_korean(self, aspect: str) -> None:
        text = prompt_of(self.judge, aspect)
        assert "Write everything that you say, explanations included, in Korean." in text
        assert "written in Korean" in text

    def test_all_aspects_can_be_asked_together(self) -> None:
        text = prompt_of(replace(self.judge, ask="together"))
        for criterion in self.judge.rubric.criteria.values():
            assert criterion.guide in text
            assert all(step in text for step in criterion.steps)


class TestPreference:
    judge = registry.get("preference")

    def test_languages_inputs_and_options(self) -> None:
        assert (self.judge.language, self.judge.explain_in) == ("en", "en")
        assert list(self.judge.inputs) == ["question", "answer_a", "answer_b", "reference"]
        assert not self.judge.inputs["reference"].required
        assert self.judge.judged == ("answer_a", "answer_b")
        assert self.judge.rubric.criteria["winner"].scale == Category(("a", "b", "tie"))

    def test_always_asked_in_both_orders(self) -> None:
        pair = self.judge.pair
        assert pair is not None
        assert (pair.inputs, pair.values, pair.tie) == (("answer_a", "answer_b"), ("a", "b"), "tie")

    def test_reasons_explain_the_winner(self) -> None:
        assert self.judge.rubric.criteria["winner"].explain == "reasons"
        assert list(self.judge.feedback) == ["reasons"]

    def test_what_the_comparison_looks_at(self) -> None:
        text = prompt_of(self.judge)
        assert "a, b, or tie when neither is clearly better" in text
        for words in ("do what was asked", "Is it correct", "Is it clear", "make use of it"):
            assert words in text
        assert text.index("\nQuestion:\n") < text.index("\nAnswer A:\n<<<answer_a ")
        assert text.index("\nAnswer A:\n") < text.index("\nAnswer B:\n<<<answer_b ")

    def test_position_and_length_do_not_count(self) -> None:
        assert "The order in which the answers stand means nothing" in prompt_of(self.judge)

    def test_a_reference_is_shown_only_where_there_is_one(self) -> None:
        given = {"question": "q", "answer_a": "a", "answer_b": "b"}
        prompt = Renderer(self.judge, b"s").prompts(Item("1", given))[0]
        assert "Reference answer:" not in prompt.messages[1].content
        prompt = Renderer(self.judge, b"s").prompts(Item("1", {**given, "reference": "r"}))[0]
        assert "Reference answer:\nr\n" in prompt.messages[1].content


@pytest.mark.parametrize("name", registry.names())
def test_every_prompt_warns_of_what_stands_between_the_fences(name: str) -> None:
    judge = registry.get(name)
    renderer = Renderer(judge, b"s")
    for prompt in renderer.prompts(Item("1", dict.fromkeys(judge.inputs, "x"))):
        notice = judge.wording.phrases["fence_notice"].format(mark=renderer.mark)
        assert notice in prompt.messages[0].content
