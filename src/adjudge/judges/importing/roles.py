"""What a text is to a judge, by the words of its name or of the label before it.

In nine languages: an answer, what was asked, a source, what an answer should be, a rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, cast

from .naming import slug
from .vocabulary import both_scripts

# judged: it is said to be. answer: somebody made it, so it is judged. spoken: judged where nothing
# is an answer. The others never are, unless the prompt says so.
Role = Literal["judged", "answer", "spoken", "asked", "source", "expected", "rule"]

# As slugs (see naming.py); those of several words are sought as a whole.
_WORDS: dict[Role, str] = {
    "answer": """
        answer answers response responses output outputs summary completion completions generated
        generation prediction predictions predicted reply replies candidate translation hypothesis
        essay submission submitted actual solution assistant agent chatbot bot continuation
        explanation result results copie artifact story steps_taken trajectory interview rewrite
        paraphrase
        caption draft prose written critique llm_message pred gen student pupil learner applicant
        examinee extracted extraction proposed suggested recommended detected produced returned
        assistant_message assistant_messages ai_message model_message bot_message llm_output
        implementation homework deliverable transcription rewritten improved revised
        chapter cv curriculum_vitae
        contestacion agente atendente conseiller
        antwort antworten ausgabe losung loesung aufsatz ergebnis zusammenfassung ubersetzung
        uebersetzung schuler schueler prufling pruefling kandidat bewerbung
        reponse reponses sortie resultat redaction resume traduction eleve etudiant candidat
        respuesta respuestas salida resultado ensayo redaccion resumen traduccion alumno estudiante
        candidato resposta respostas saida redacao resumo traducao aluno
        cau_tra_loi tra_loi phan_hoi bai_lam bai_viet ban_dich tom_tat loi_giai ket_qua hoc_sinh
        hoc_vien thi_sinh sinh_vien ung_vien tro_ly
    """,
    "spoken": """
        code code_snippet code_block patch diff tool_calls tools_called tool_call calls actions
        conversation dialogue dialog chat messages message transcript text texts content trace log
        logs post comment review report plan statement statements claim claims tweet paragraph
        sentence information observation observations finding findings usertext article_text
        email letter poem query_str memo proposal abstract pitch headline slogan song
        lyrics joke recipe profile idea speech tutorial lesson blog news
        mensaje comentario informe propuesta codigo historia cuento poema mensagem relatorio
        proposta commentaire rapport lettre histoire poeme dissertation nachricht
        kommentar bericht gedicht
        geschichte
        text_block gesprach behauptung aussage texte texto affirmation afirmacion afirmacao
        van_ban hoi_thoai doan_van noi_dung nhan_dinh
    """,
    "asked": """
        question questions query prompt instruction instructions input inputs request problem task
        goal ask topic topics title scenario subject description issue ticket brief objective
        user_message user_messages user_prompt user_query user_input human_message key_events
        frage fragen aufgabe thema eingabe anfrage pregunta preguntas tarea consigna solicitud
        entrada pergunta perguntas tarefa tema pedido enunciado consigne tache sujet demande
        cau_hoi de_bai yeu_cau chu_de dau_vao de_thi
        consulta requete suchanfrage suchbegriff pesquisa busca
    """,
    "source": """
        context contexts source sources document documents doc docs passage passages article
        evidence knowledge fact facts history background retrieved retrieval chunk chunks snippet
        snippets tool_result tool_results tool_output tool_outputs tool_response tool_responses
        search_result search_results test_result test_results smoke_results retrieval_results
        premise original available_tools tools tool_definitions log_history
        kontext quelle quellen dokument dokumente contexte documento documentos fuente fuentes
        fonte fontes contexto preuve evidencia ngu_canh boi_canh tai_lieu nguon van_ban_goc
    """,
    "expected": """
        expected expectation expectations reference references ref gold golden truth gt ground_truth
        groundtruth ideal
        correct target canonical oracle exemplar expectedanswer correctanswer referenceanswer
        modelanswer expectedoutput real_answer true_answer right_answer true answer_key
        musterlosung muster erwartet erwartete erwarteter referenz richtige attendu attendue
        attendus corrige modele_de_reponse esperada esperado esperados referencia referencias
        gabarito correcta correta modelo_de_respuesta mong_doi ky_vong dap_an chuan mau tham_khao
        tham_chieu
    """,
    "rule": """
        criteria criterion rubric rubrics guideline guidelines scale format schema language lang
        max min threshold weight time length count url number timestamp duration
        definition definitions metric metrics aspect aspects dimension
        dimensions examples policy policies rule rules persona label name date id
        type category level requirement requirements constraints metadata standard standards
        kriterien kriterium regel regeln bareme criteres critere regle regles criterios criterio
        regla reglas regra regras tieu_chi thang_diem vi_du quy_tac
    """,
}
_ROLE_OF = {word: role for role, words in _WORDS.items() for word in words.split()}
# Korean, Chinese and Japanese write the modifier first: the last of these in a label is its head.
_SIGNS: dict[Role, str] = {
    "answer": "답변|응답|답안|제출|출력|요약|번역|회답|결과|학생|지원자|수험생|回答|回复|答案|答复"
    "|输出|译文|翻译|摘要|作文|提交|结果|学生|考生|候选人|応答|解答|出力|要約|翻訳|提出|返答"
    "|結果|受験者|生徒",
    "spoken": "주장|陈述|声明|主张|断言|主張"
    "|대화|텍스트|내용|코드|관찰|발언|对话|文本|内容|代码|记录|会話|対話|文章|テキスト"
    "|記録|コード|発言",
    "asked": "질문|문제|지시|요청|과제|주제|입력|问题|题目|指令|任务|提问|主题|输入|用户说|質問"
    "|問題|指示|課題|設問|依頼|入力",
    "source": "(?:검색|조회) ?결과|(?:搜索|检索|查询|検索)(?:到的)?(?:结果|結果)"
    "|문맥|맥락|배경|원문|문서|자료|본문|이력|근거|上下文|背景|原文|文档|资料|材料|原始"
    "|证据|历史|文脈|文書|資料|履歴|根拠|本文",
    "expected": "정답|모범|기대|예상 ?답|참고|참조|参考|标准答案|正确答案|期望|预期|正解|模範|期待"
    "|参照|想定",
    "rule": "기준|항목|척도|규칙|예시|标准|评分|规则|设定|示例|维度|要求|基準|観点|ルール|設定"
    "|採点",
}
_SIGN = re.compile("|".join(f"(?P<{role}>{both_scripts(words)})" for role, words in _SIGNS.items()))
# Said of the one text that is judged.
_TO_JUDGE = re.compile(
    r"\bto (?:be )?(?:evaluated?|graded?|judged?|rated?|scored?|assess(?:ed)?)\b"
    r"|\bunder (?:evaluation|review|test)\b|평가 ?(?:대상|할)|[待被][评評审審]|評価対象|採点対象"
    r"|(?:cần|được) (?:đánh giá|chấm)|zu bewerten|à (?:évaluer|noter)"
    r"|a (?:evaluar|calificar|avaliar)",
    re.IGNORECASE,
)
# These languages put the head first: "réponse de l'élève", "câu trả lời của học sinh".
_HEAD_FIRST = re.compile(
    r"reponses?|sortie|resultat|redaction|resume|traduction|respuestas?|salida|resultado|ensayo"
    r"|redaccion|resumen|traduccion|respostas?|saida|redacao|resumo|traducao|pregunta|pergunta"
    r"|contexte|contexto|cau_tra_loi|tra_loi|phan_hoi|bai_(?:lam|viet)|ban_dich|tom_tat|loi_giai"
    r"|ket_qua|cau_hoi|de_bai|yeu_cau|ngu_canh|boi_canh|noi_dung|van_ban"
)
# What follows belongs to the head before it: "answer to the question", "Antwort des Schülers".
_OF = re.compile(
    r"of|to|for|from|about|given|by|in|with|on|against|de|du|des|del|da|do|dos|das|au|aux|pour"
    r"|para|por|von|zu|zur|zum|fur|der|cua|cho|ve|tu|boi|theo"
)
# pred_question is what was predicted, whatever it is.
_MADE = re.compile(r"(?:pred|predicted|prediction|generated|gen|hypothesis)(?:_|[A-Z ])")
_COUNT = re.compile(r"(?:num|n|max|min|top|total)_\w")
_GENERIC = frozenset(["text", "texts", "content", "information", "texte", "texto", "noi_dung"])
_LONGEST = 3  # words of an entry of _WORDS


def role_of(words: str) -> Role | None:
    """The role that a name or label speaks of; None where it tells nothing."""
    if _TO_JUDGE.search(words.replace("_", " ")):
        return "judged"
    if _COUNT.match(words):
        return "rule"
    roles = list(roles_in(words))
    if any(role == "expected" for _, role, _ in roles):
        return "expected"
    if not roles:
        return None
    if _HEAD_FIRST.fullmatch(roles[0][2]) or _MADE.match(words):
        return roles[0][1]
    before_of = [entry for entry in roles if entry[0] < _place_of_of(words)] or roles
    # context_text is a context, generated_text an answer: "text" alone tells nothing.
    telling = [entry for entry in before_of if entry[2] not in _GENERIC] or before_of
    return telling[-1][1]


def roles_in(words: str) -> Iterator[tuple[int, Role, str]]:
    """Where which words speak of which role, in their order: offset, role, word."""
    hits: list[tuple[int, Role, str]] = [
        (match.start(), cast("Role", match.lastgroup), match[0]) for match in _SIGN.finditer(words)
    ]
    tokens = [(match.start(), _plain(match[0])) for match in _TOKEN.finditer(words)]
    at = 0
    while at < len(tokens):
        for length in range(_LONGEST, 0, -1):
            phrase = "_".join(token for _, token in tokens[at : at + length])
            if phrase in _ROLE_OF:
                hits.append((tokens[at][0], _ROLE_OF[phrase], phrase))
                at += length - 1
                break
        else:
            compound = _COMPOUND.fullmatch(tokens[at][1])
            if compound:
                role = "expected" if compound["first"] else _ROLE_OF[compound["head"]]
                hits.append((tokens[at][0], role, compound[0]))
        at += 1
    return iter(sorted(hits))


# German writes them as one word: Schülerantwort, Referenzlösung.
_COMPOUND = re.compile(
    r"(?P<first>muster|referenz|soll|erwartungs|beispiel)?\w*?(?P<head>antwort(?:en)?|losung"
    r"|loesung|text|aufsatz|zusammenfassung|ausgabe|eingabe|frage|aufgabe|kontext|quelle"
    r"|kriterien|ergebnis)"
)
# expectedAnswer, expected_answer and "Expected answer" are two words each.
_TOKEN = re.compile(r"[A-Z]+(?![a-zà-ỹ])|[A-ZÀ-Ỹ]?[a-zà-ỹđ]+|\d+")


def _plain(token: str) -> str:
    return slug(token) if not token.isascii() else token.casefold()


def _place_of_of(words: str) -> int:
    """Where "of …" or the like begins; the end where nothing does."""
    tokens = list(_TOKEN.finditer(words))
    places = (match.start() for match in tokens[1:-1] if _OF.fullmatch(_plain(match[0])))
    return next(places, len(words))


def sounds_like_input(title: str) -> bool:
    """Whether a name is one of those that inputs have, judged or given."""
    return role_of(title) not in {None, "rule"} and len(title.split()) <= 3
