"""Judge prompts in the styles that are common in public, in words of our own."""

MT_SINGLE = """[Instruction]
Act as a fair referee and look at how well an AI assistant dealt with the request below. Mind
accuracy, depth and tone. Begin with a short explanation. Afterwards rate the reply on a scale
of 1 to 10, strictly in this form: "[[rating]]", for example: "Rating: [[5]]".

[Question]
{question}

[The Start of Assistant's Answer]
{answer}
[The End of Assistant's Answer]"""
MT_PAIR = """Act as a fair referee of the two replies below. Explain your comparison, and do
not let their order sway you. Close with your verdict in this form: "[[A]]" if assistant A is
better, "[[B]]" if assistant B is better, and "[[C]]" for a tie.

[User Question]
{question}

[The Start of Assistant A's Answer]
{answer_a}
[The End of Assistant A's Answer]

[The Start of Assistant B's Answer]
{answer_b}
[The End of Assistant B's Answer]"""
PROMETHEUS = """###Task Description:
An instruction, a response to evaluate, a reference that would get a 5, and a rubric are given.
1. Write detailed feedback on the response, strictly by the rubric.
2. After the feedback, write a score that is an integer between 1 and 5.
3. The output should look like this: "Feedback: (your words) [RESULT] (an integer number
between 1 and 5)"
4. Do not write anything before or after it.

###The instruction to evaluate:
{orig_instruction}

###Response to evaluate:
{orig_response}

###Reference Answer (Score 5):
{orig_reference_answer}

###Score Rubrics:
[{orig_criteria}]
Score 1: {orig_score1_description}
Score 2: {orig_score2_description}
Score 3: {orig_score3_description}
Score 4: {orig_score4_description}
Score 5: {orig_score5_description}

###Feedback: """
RAGAS = """Judge for the statement whether it can be inferred directly from the context. Return
a verdict of 1 if it can and 0 if it cannot, with a reason.

The output is JSON like this:
{"reason": "the reason of the verdict", "verdict": 1}

context: {context}
statement: {statement}
"""
LANGCHAIN = """You are a teacher grading a quiz.
You are given a question, the student's answer and the true answer, and grade the student
answer as either CORRECT or INCORRECT.

Example Format:
QUESTION: question here
STUDENT ANSWER: student's answer here
TRUE ANSWER: true answer here
GRADE: CORRECT or INCORRECT here

Look only at facts, not at punctuation. Begin!

QUESTION: {query}
STUDENT ANSWER: {result}
TRUE ANSWER: {answer}
GRADE:"""
CLOSEDQA = """You assess a submitted answer on a task by one criterion. Here is the data:
[BEGIN DATA]
***
[Task]: {input}
***
[Submission]: {completion}
***
[Criterion]: {criteria}
***
[END DATA]
Does the submission meet the criterion? First write out, step by step, your reasoning. Then
print only the single character "Y" or "N" on a line of its own. At the end repeat just the
letter on a new line."""
DEEPEVAL = """Given the evaluation steps, return a JSON with two keys: 1) a `score` key ranging
from 0 to 10, 10 being that it follows the criteria, and 2) a `reason` key, a reason for the
score. Do not quote the score in your reason.

Evaluation Steps:
{evaluation_steps}

Test Case:
Input: {input}
Actual Output: {actual_output}

**
IMPORTANT: Return only JSON, with the "score" and "reason" keys. No further words.

Example JSON:
{{
    "reason": "The text does not follow the steps.",
    "score": 0
}}
**

JSON:
"""
ARENA_HARD = """Judge the two replies to the prompt below. First write your own answer to it.
Then compare both with yours and point out mistakes. Explain yourself, then output one of these
as your final verdict, with its label:

1. Assistant A is significantly better: [[A>>B]]
2. Assistant A is slightly better: [[A>B]]
3. Tie, about the same: [[A=B]]
4. Assistant B is slightly better: [[B>A]]
5. Assistant B is significantly better: [[B>>A]]

Example output: "My final verdict is tie: [[A=B]]".

<|User Prompt|>
{question_1}

<|The Start of Assistant A's Answer|>
{answer_1}
<|The End of Assistant A's Answer|>

<|The Start of Assistant B's Answer|>
{answer_2}
<|The End of Assistant B's Answer|>"""
ALPACA = """Which of two outputs follows the instruction better? Both models are anonymous.

# Instruction:
{instruction}

# Output (a):
{output_1}

# Output (b):
{output_2}

Your reply is either "Output (a)" or "Output (b)", nothing else."""
TRULENS = """You are a RELEVANCE grader; you grade the relevance of the given RESPONSE to the
given PROMPT.
Respond only with a number from 0 to 3, where 0 is irrelevant and 3 is wholly relevant.

- RESPONSE must fit the whole PROMPT to get a 3.
- An answer that says "I do not know" gets a 0.

PROMPT: {prompt}

RESPONSE: {response}

Answer using the template below.

Criteria: <the criteria for this evaluation>
Supporting Evidence: <your reasons, step by step>
Score: <the score 0-3>"""
PHOENIX = """In this task you get a query, a reference text and an answer. Decide whether the
answer is made up. Your response must be a single word: either "factual" or "hallucinated",
with no other text or characters.

    # Query: {{query}}
    # Reference text: {{reference}}
    # Answer: {{output}}

Is the answer above factual or hallucinated, given the query and the reference text?"""
LOGICKOR = """당신은 공정한 심사위원입니다. 주어진 질문에 대한 모델의 답변을 평가하세요.

평가는 1점에서 10점 사이의 점수로 하고, 평가의 이유를 먼저 한국어로 쓰세요.
다음 형식을 지키세요:

- 평가: (이유를 두세 문장으로)
- 점수: <점수>

<질문>
{{question}}
</질문>
<답변>
{{answer}}
</답변>"""
VIETNAMESE = """Bạn là giám khảo chấm bản dịch. Hãy chấm theo thang điểm từ 1 đến 5 và giải
thích lý do.

Kết quả viết theo mẫu sau:
Nhận xét: <lý do>
Điểm: <số nguyên từ 1 đến 5>

Câu gốc: ${nguon}
Bản dịch: ${ban_dich}"""
ALIGNBENCH = """你是一名公正的评审。请根据以下维度评价AI助手对用户问题的回答，并与参考答案比较。
每个维度打1到10分，最后给出综合得分，请先说明理由。请按照下面的字典格式返回：
{'事实正确性': 打分, '满足用户需求': 打分, '清晰度': 打分, '综合得分': 打分}，
例如：{'事实正确性': 9, '满足用户需求': 6, '清晰度': 8,
'综合得分': 7}。

用户的提问：{question}
[参考答案开始]
{reference}
[参考答案结束]
[助手的答案开始]
{answer}
[助手的答案结束]"""
JAPANESE = """あなたは公平な採点者です。次の質問への回答を1から5の整数で評価し、
理由を日本語で説明してください。

出力の形式：
理由：（二、三文で）
評価点：（1〜5）

【質問】
{{ question }}
{% if reference %}
【模範解答】
{{ reference }}
{% endif %}
【回答】
{{ answer }}"""
