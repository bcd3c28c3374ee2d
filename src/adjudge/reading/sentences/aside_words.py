"""The words of clauses that hold a value and do not give it, per language; see `asides`."""

from __future__ import annotations

import re
from typing import NamedTuple

# What a value may look like, with what stands around it.
MARKS = (
    r"[*_\[(“\"'「]{0,4}(?:(?:an?|the|eine?[rn]?|die|une?|una?|uma?|le|la|el|de|da|den) )?"
    r"(?:[^\W\d]{2,12} ?[:：] ?)?[*_\[(]{0,4}"
)
NUMBER = re.compile(r"\d{1,4}(?:[.,]\d{1,2})?")
VALUE = rf"{MARKS}{NUMBER.pattern}"
UNIT = (
    r"[\])*_”\"'」]{0,4}(?:\s?/\s?\d+| (?:out of|von|trên|sur|sobre|de) \d+)?\s?"
    r"(?:점|点|分|điểm|points?|stars?|punkten?|puntos?|pontos?)?[\])*_”\"'」]{0,4}"
)


class _Words(NamedTuple):
    """How a language says these things, as patterns over a sentence in small letters.

    `turns` begins a part of the sentence that stands for itself. `supposes` opens a condition, or
    a thought that was given up; `own` is a condition that the judge makes for itself ("if I have to
    choose"). `would` marks a piece as what did not come about, `aside` one about other values.
    `before` and `behind` a value say that it is deducted, defined or denied.
    `clause_first` says that a condition ends with its word, as in Korean.
    """

    turns: str
    supposes: str
    own: str
    would: str
    aside: str
    before: str
    behind: str
    clause_first: bool = False


_ANSWER_EN = r"(?:answer|response|reply|summary|output|version|text|essay|translation|assistant)s?"
_LATIN = {
    "en": _Words(
        turns=r"but|however|finally|in the end|ultimately|eventually|so|therefore|thus|hence"
        r"|because|since|yet|instead|now|as (?:it|things) (?:is|stands?|are)|currently",
        supposes=r"^\W{0,4}had(?= \w)|otherwise(?=,)"
        r"|(?<!even )(?<!as )(?<!what )if(?! (?:only slightly|not|any|so|anything)\b)"
        r"|had (?:it|the|this|they|there)|were (?:it|the|there|i|we)"
        r"|(?:one|a few) more \w+ and|unless|provided(?: that)?(?= (?:it|the|that)\b)"
        r"|suppos(?:e|ing)|assuming|at first(?= i\b|,? (?:glance )?i\b| this| it)"
        r"|at first glance|initially,? (?:i|this|it|my)\b|originally,? i\b"
        r"|i (?:first|initially|originally|had|almost|nearly) (?:thought|considered|planned|gave"
        r"|leaned|wanted|intended|scored|rated)"
        r"|(?:my|the) (?:first|initial|earlier|original) (?:draft|thought|score|rating|impression"
        r"|instinct|version|reaction|guess)",
        own=r"if (?:i|we|one|forced|pressed|asked|required|needed|a (?:number|score)|you (?:want"
        r"|ask|need))\b",
        would=r"(?:would|could|might|may|should|ought to) (?:\w+ ){0,2}?have\b"
        r"|(?:it|this|that|they|the \w+) would (?:get|earn|receive|reach|score|merit|deserve)\b"
        r"|(?:another|someone|somebody|others?|nobody)(?: \w+)? (?:might|would|could|may)\b"
        r"|(?:author|user|student|customer|writer|text|prompt) (?:\w+ )?(?:claims?|says|asks?|asked"
        r"|wants|demands?|insists?|requests?|suggests?)\b"
        r"|(?:expert|specialist|reader)s? (?:would|might|could|may)"
        r"|(?:(?:did not|didn['’]t) (?:choose|give|award|meet|reach|get|earn)|no way|threshold"
        r"|before deduct\w*|gut feeling|within reach|out of reach|goes to|rubric (?:reserves|gives"
        r"|says|awards|assigns))"
        r"|give me|anything above|hesitat\w+|reluctant"
        r"|(?:hard|difficult|impossible) to (?:give|award|justify|call|say)|colleague"
        r"|i(?:['’]d| would) (?:like|love|happily|gladly)|i wish|on a good day|last time"
        r"|previously|(?:in|on|at) (?:an?|the|my) (?:earlier|previous|last|first) \w+"
        r"|earlier (?:draft|version)"
        r"|(?:while|though|although) (?:i (?:considered|thought|contemplated)|(?:it was )?tempting)"
        r"|(?:for example|e\.g|example|sample)(?: \w+)?(?= ?:| ?\[|,)"
        r"|(?:one|some|you) (?:might|could|may|would) (?:\w+ )?(?:think|say|argue|object|prefer"
        r"|choose)|(?:it|this|that|they|one) (?:would|could|might)\b[^.!?\n]{0,60}\bwith(?:out)?"
        r"|with(?:out)?\b(?! (?:this|that|these|all|regard|respect) )[^.!?\n]{0,80}\b(?:it|this"
        r"|that|they|the \w+|one) (?:would|could|might)\b"
        r"|without (?:the|this|that|its|these) [^.!?\n]{0,60}\b(?:would|could|might|['’]d)\b"
        r"|otherwise\b[^.!?\n]{0,60}\b(?:would|could|might)\b"
        r"|(?:could|might|would) (?:\w+ ){0,2}be (?:\w+ ){0,2}(?:improved|enhanced|strengthened"
        r"|raised|increased|better)"
        r"|(?:was|am|were|be) (?:going|tempted|inclined|about) to\b"
        r"|only (?:an?|the) [^.!?\n]{0,60}\b(?:would|could|can|gets?|deserves?|earns?|receives?)\b",
        aside=rf"(?<!is )(?<!was )(?<!as )an? (?:typical|average|perfect|ideal|better|good"
        rf"|human) (?:[\w-]+ ){{0,2}}{_ANSWER_EN} (?:gets?|earns?|scores?|receives?|deserves?)"
        r"|(?:most|many|other|some|human|expert) (?:\w+ )?(?:tool|model|system|evaluator|judge"
        r"|reviewer|rater|annotator|grader)s?"
        r"|(?:human|expert) score"
        rf"|(?:the |an? )(?:other|previous|earlier|competing|next|last"
        rf"|reference) {_ANSWER_EN} (?:\w+ ){{0,2}}?(?:got|gets?|received?s?|scored?s?|earned|earns"
        rf"|was|is|had|has|deserves?)"
        r"|(?:highest|maximum|max|best|lowest|minimum|top|full|perfect)(?: possible| attainable"
        r"| achievable)? (?:score|rating|grade|mark|points?|value)s?(?: here| possible)? (?:is|was"
        r"|are|would be|being)\b"
        rf"|to (?:get|earn|reach|receive|deserve|merit|achieve) (?:a |the )?(?:score of "
        rf"|rating of )?{VALUE}"
        rf"|(?:short|worthy) of {VALUE}|not worth {VALUE}",
        before=rf"(?:deduct\w*|subtract\w*|tak(?:e|ing) off|took off|lost|loses|losing|minus|docked"
        rf"|penali[sz]\w+)(?: \w+){{0,2}}?(?: {VALUE}{UNIT} from)?"
        r"|(?:not|n['’]t|never|hardly|scarcely|barely)(?: (?:be|been|quite|really|deserves?|merits?"
        r"|warrants?|earns?|gets?|reach|give|it|this|worth|even|exactly|as|high|at|of)){0,3}"
        r"|(?:falls?|fell|stops) short of",
        behind=r"at (?:best|most|least)\b|off\b"
        r"|(?:is|are|was|were) (?:deducted|lost|subtracted|taken)|would\b|requires?\b|needs\b"
        r"|means\b|is (?:for|reserved)\b",
    ),
    "vi": _Words(
        turns=r"nhưng|cuối cùng|tuy nhiên|nên|vì vậy|do đó|vì|bởi|song|hiện tại|còn",
        supposes=r"nếu(?! như không)|trước khi|giá (?:như|mà)|giả (?:sử|dụ)|trừ khi"
        r"|với điều kiện|ban đầu|lúc đầu|thoạt (?:đầu|tiên)|trước đó|ban nãy|bản nháp",
        own=r"nếu (?:phải|cần|được|chỉ|xét|tôi phải)",
        would=r"ngưỡng|đồng nghiệp|muốn cho|xong thì|chuyên gia|có lẽ|thường|từng nghĩ"
        r"|chỉ cần|muốn (?:được|đạt)|khó (?:có thể|mà)|lần trước|trước đây|người dùng"
        r"|có thể (?:được|đạt|lên)|lẽ ra|đáng (?:lẽ|ra)|suýt|hẳn đã|thì (?:\w+ )?đã|có thể đã"
        r"|định (?:cho|chấm)",
        aside=r"(?:câu trả lời|bài|bản|mô hình|phản hồi|người chấm) (?:trước(?: đó)?|khác|kia|mẫu"
        r"|còn lại|tham chiếu)"
        r"|(?:điểm|mức)(?: số)? (?:tối đa|cao nhất|tối thiểu|thấp nhất)|tối đa(?: có thể)? là"
        rf"|để (?:được|đạt|có|lên)(?: \w+){{0,2}}? {VALUE}",
        before=r"(?:trừ|mất)(?: đi)?|(?:không|chưa|chẳng)(?: \w+){0,3}?",
        behind=r"thì quá|(?:chỉ |là mức )?(?:dành|có nghĩa|nghĩa là|là khi|tương ứng)",
    ),
    "de": _Words(
        turns=r"aber|schließlich|letztlich|jedoch|doch|daher|deshalb|also|weil|da|denn|somit"
        r"|stattdessen|so(?= vergebe)",
        supposes=r"wenn|falls (?:die|der|das|es|sie|er|eine?|man|quellen|noch)|sofern"
        r"|^\W*(?:wäre|hätte|würde)n?(?! ich)|zunächst|zuerst|anfangs|ursprünglich|sonst"
        r"|andernfalls|im ersten (?:entwurf|moment)",
        own=r"wenn ich (?:eine|mich|bewerten|wählen|entscheiden|alles)",
        would=r"vielleicht|kolleg(?:e|in)|gerne?|jemand|schwer|beim letzten mal"
        r"|nutzer (?:verlangt|will)|(?<!ich )(?:hätte|wäre)(?:n|st)?"
        r"|(?:mit|ohne|bei)\b[^.!?\n]{0,60}\b(?:würde|könnte|bekäme|erhielte|gäbe|käme|ergäbe"
        r"|ich hätte)n?"
        r"|(?:bekäme|erhielte|ergäbe|gäbe|käme auf)n?",
        aside=r"(?:andere|vorherige|vorige|frühere|bessere|zweite)[rsnm]? (?:antwort|fassung"
        r"|version|zusammenfassung|modell|übersetzung)\w*"
        r"|(?:höchst|best)(?:punktzahl|note|wert)\w* (?:ist|beträgt|liegt|wäre)"
        r"|(?:das )?maximum (?:ist|liegt|beträgt|sind)|maximal (?:möglich|sind)",
        before=r"abzug(?: von|:)|minus|ziehe|verliert"
        r"|(?:nicht|kein\w*|weder|keinesfalls|niemals|kaum)(?: (?:für|mit|auf|als))?",
        behind=r"(?:\w+ ){0,3}?ab(?:zug|gezogen)?\b|steht für|gibt es nur|bedeutet|heißt"
        r"|setzt|(?:ist|sind) für"
        r"|(?:\w+ )?(?:fehl|müsst|bräucht|reicht|zu (?:bekommen|erreichen))",
    ),
    "fr": _Words(
        turns=r"mais|finalement|cependant|toutefois|donc|car|puisque|pourtant|ainsi|parce que",
        supposes=r"si(?= \w)(?! bien)|s['’]ils?|à moins|à condition|au départ|au début"
        r"|d['’]abord|initialement|dans un premier temps|auparavant|j['’]hésitais|sinon"
        r"|autrement",
        own=r"si (?:je (?:dois|devais)|l['’]on|on)|s['’]il (?:faut|fallait)",
        would=r"difficile de|collègue|(?:j['’])?aimerais|peut-être|quelqu['’]un|failli"
        r"|la dernière fois|utilisateur (?:demande|veut)|(?:j['’])?(?:aurai(?:t|ent|s)|eût)"
        r"|serait|seraient|mériterait|obtiendrait|vaudrait|atteindrait|pourrait|monterait"
        r"|passerait|recevrait",
        aside=r"l['’]autre (?:réponse|résumé|version|modèle)"
        r"|(?:réponse|version|évaluation|note) (?:précédente|de référence)"
        r"|(?:note|score|notation) maximale?(?: possible)? (?:est|reste)"
        r"|le maximum(?: possible)? (?:est|reste)"
        rf"|pour (?:obtenir|avoir|atteindre|mériter) {VALUE}",
        before=r"(?:retire|enlève|déduis|retranche|perd|moins)(?: \w+){0,2}?|pas|jamais|guère",
        behind=r"signifie|correspond|est réservé|veut dire|exige|suppose|[de]{2} moins",
    ),
    "es": _Words(
        turns=r"pero|finalmente|al final|sin embargo|por (?:eso|tanto|lo tanto)|porque"
        r"|así que|aunque|ya que",
        supposes=r"si(?= \w)(?! bien)|de haber|a menos|siempre que|al principio|inicialmente"
        r"|en un principio|primero pensé|antes (?:había|le)|de lo contrario|de otro modo",
        own=r"si (?:tengo|tuviera|tuviese|debo|hay) ",
        would=r"quizás?|colega|gustaría|tal vez|alguien|otro evaluador|a punto de"
        r"|la última vez|difícil dar|usuario (?:pide|quiere)|habría[ns]?|hubi(?:era|ese)[ns]?"
        r"|sería[ns]?|tendría|merecería|obtendría|alcanzaría|podría|recibiría|valdría"
        r"|llegaría|subiría",
        aside=r"(?:otra|segunda|primera) respuesta"
        r"|(?:respuesta|versión|evaluación|nota) (?:anterior|previa|de referencia)"
        r"|(?:nota|puntuación|puntaje|calificación) máxim[ao](?: posible)? es"
        rf"|el máximo(?: posible)? es|para (?:obtener|alcanzar|llegar a|merecer|tener) {VALUE}",
        before=r"(?:resto|quito|descuento|deduzco|pierde|menos|restado|restando)(?: \w+){0,2}?"
        r"|no (?:es|son|merece|llega a|alcanza|le doy|obtiene|vale)",
        behind=r"significan?|corresponden? a|se reserva|está reservado|exige|implica|menos",
    ),
    "pt": _Words(
        turns=r"mas|no fim|porém|no entanto|portanto|por isso|porque|então|embora|já que|assim",
        supposes=r"se (?:tivess|foss|houvess|eu|a|o|as|os|não|el[ea]|ess[ea]|est[ea]|incluíss"
        r"|\w+sse)\w*|caso|a menos|inicialmente|a princípio|no (?:início|começo)|primeiro pensei"
        r"|do contrário|senão",
        own=r"se (?:eu )?(?:tivesse|tiver|tenho|devo|for para|preciso)(?: que| de|sse que)",
        would=r"talvez|colega|gostaria|alguém|outro avaliador|quase|da última vez|difícil dar"
        r"|usuário (?:pede|quer)|teria[ms]?|tivesse[ms]?|seria[ms]?|fosse|mereceria|receberia"
        r"|obteria|chegaria|poderia|alcançaria|subiria|ia dar",
        aside=r"(?:outra|segunda|primeira) resposta"
        r"|(?:resposta|versão|avaliação|nota) (?:anterior|prévia|de referência)"
        r"|(?:nota|pontuação) máxima(?: possível)? é|o máximo(?: possível)? é"
        rf"|para (?:obter|alcançar|chegar a|merecer|ter) {VALUE}",
        before=r"(?:desconto|descontei|retiro|subtraio|tiro|perde|menos)(?: \w+){0,2}?"
        r"|não (?:é|são|merece|chega a|alcança|dou|obtém|vale)",
        behind=r"significam?|correspondem? a|é reservad|exige|implica|a menos",
    ),
}
_KO_OWN = (
    r"(?:종합|요약|정리|고려|감안|비교|말|평가|채점|굳이|선택|판단|결론)(?:을|를)?\s?(?:해\s?보|하|"
    r"하자|해야 한다|한다)?면|점수[가-힣]*\s(?:매긴다|매기|매기자|준다|주자|표현하자|표현한다)면"
    r"|(?:보|따지|따져보|나으|낫다|좋으|우수하)면|골라야 한다면"
)
_HAN = {
    "ko": _Words(
        turns=r"지만|으나|하지만|그러나|그래서|따라서|므로|때문에|는데|결국|최종|반면|비교하면",
        supposes=r"만약|만일|(?<![측반전장화국방표내외단])면(?=[\s,])|더라면|처음에?는|당초"
        r"|애초에?는?|원래는?|본래|앞서는?",
        own=_KO_OWN,
        would=r"동료|고 싶|(?:감점|수정) 전|합격|기준은|기대했|준다는|무리|지난번|저번"
        r"|사용자[는가]|이 아니라|(?<!이 )(?<!번 )경우(?!의)|(?:될|있을) 때"
        r"|[었았였했됐]을\s?(?:것|텐데|겁|수)|(?:줄|될|받을) 수도? 있었|주려고? ?(?:했|하였)|려던",
        aside=r"(?:상위권|우수한|좋은|보통) 답변"
        r"|(?:다른|이전|앞선|기준|모범|상대|참고)\s?(?:답변|응답|답안|모델|요약|평가|점수)"
        r"|만점(?:은|이)\s|최고\s?(?:점수?)(?:는|은|가)|최대\s?점수?는?"
        rf"|{VALUE}{UNIT}(?:을|를|이|에)?\s?(?:받으려면|되려면|얻으려면|주려면|위해)",
        before=r"감점(?:은|:)?\s?",
        behind=r"(?:을|를|이|은|는)?\s?(?:감점|차감|깎|뺐|뺀|아니|아닌|아닙|줄 수 없|주기(?:는"
        r"|에는)? (?:어렵|힘들)|받기(?:는|에는)? (?:어렵|힘들)|못|미치지)"
        r"|(?:까지|짜리|이상|이하|미만|초과|에는|에도)"
        r"|(?:은|는|이란)\s[^.\n]{0,30}(?:뜻|의미|경우|때)",
        clause_first=True,
    ),
    "zh": _Words(
        turns=r"但|最后|最终|不过|然而|所以|因此|因为|由于|可是|目前",
        supposes=r"如果|换[作成]|假如|假使|要是|倘若|若(?!干)|只要|除非|否则|一开始|起初|最初"
        r"|原本|本想|原来想|初稿|的话",
        own=r"(?:如果|要是|若)(?:非要|一定要|必须|要|让|由)?我?(?:来)?(?:必须|要)?(?:给分|打分|评分"
        r"|给|选|综合)",
        would=r"(?:[扣减]分|修改|改正)前|同事|想给|希望给|后可以?[给得评]|及格|合格|门槛"
        r"|曾考虑|专家|也许|可能会|通常|一般|[升至]至|距离|差一?点|用户|上一?[版次轮]|此前"
        r"|曾经?给|很?难以?给|加上|补上|本(?:来)?(?:可以?|应该?|该|能)|原(?:可|应|该)|差点"
        r"|才(?:能|会|可以)|有望",
        aside=r"(?:其他|其它|另一?|别的|上一|前一|之前|先前|参考|标准)(?:个|份|位|的)?(?:回答|答案"
        r"|回复|模型|评分|总结)"
        r"|(?:满分|最高分?|最低分?)(?:是|为|：|:|可以?得)|(?:要|想)(?:得到?|拿到?|达到|获得)",
        before=r"(?:扣除?掉?了?|减去?了?)|不是|并非|达不到|未达到?|没有?达到|不到|不足|不能给"
        r"|无法给|不会给|不应给|不值|不配|不低于|不高于|不超过|至少|至多|最多|超过|高于|低于",
        behind=r"未免|[太过]高|并不|不合|表示|代表|意味|是指|的标准|只给|留给",
    ),
    "ja": _Words(
        turns=r"が、|最終|結局|けれど|しかし|ただし|ので|ため、|したがって|よって|だから|現状",
        supposes=r"もし|(?<!によ)(?<!例)[えけげせてねべめれ]ば|(?<!も)たら(?![さしすせそ])"
        r"|なら(?!な|ず|ぬ|び)|(?<!この)(?<!今回の)場合|最初は|当初は?|初めは|はじめは|以前は"
        r"|初稿|本来|元々",
        own=r"(?:評価|採点|選択)(?:する|した|すれば|するなら|するとすれ)[^、\d\n]{0,6}"
        r"|(?:つけ|付け|選ぶ|言う)[^、\d\n]{0,2}(?:なら|れば)"
        r"|(?:点数|数字)に[^、\d\n]{0,3}(?:なら|れば)|考慮すれば|踏まえれば|総合すれば|まとめれば",
        would=r"(?:減点|修正)前|同僚|合格|専門家|通常|普通は|前回|先日|ユーザー|さえ"
        r"|(?:になっていた|だった|でした)でしょう|(?:だった|いた|していた)だろう"
        r"|はずで(?:す|した)|はずだ|なり得た|得たはず|つもりで(?:した|す)"
        r"|(?:付けて|つけて|与えて)いました",
        aside=r"(?:他|別|前|以前|先ほど|もう一方|参考|模範)の?(?:回答|解答|応答|答え|モデル|評価)"
        r"|(?:満点|最高点|最高|最大|上限)は|(?:満点|最高点)が",
        before=r"(?:減点|マイナス)は?",
        behind=r"を付けたい|は高すぎ|にするのは|は無理|は難し|と迷|も(?:考え|検討|可能)"
        r"|でもよかった|にでき|を?(?:減点|引|差し引|マイナス)"
        r"|(?:に|と)?は(?:届|及|足り|至|言え|なら|あり|値し|でき|与え)|では(?:な|あり)"
        r"|を?(?:得る|取る|もらう|にする|に達する)(?:に|ため)"
        r"|と?は[^。\n]{0,40}(?:意味|場合|与えられ|示し|表)",
        clause_first=True,
    ),
}

# Beside a condition, in the languages whose words it does not change.
MAY_BE = re.compile(
    r"(?<!\w)(?:would|could|might|can|may|possible|würde|könnte|kann|pourrait|peut|podría|puede"
    r"|poderia|pode|sẽ|có thể|mériterait|merecería|mereceria)(?!\w)"
)


class Patterns(NamedTuple):
    any: re.Pattern[str]
    turns: re.Pattern[str]
    supposes: re.Pattern[str]
    own: re.Pattern[str]
    would: re.Pattern[str]
    aside: re.Pattern[str]
    before: re.Pattern[str]
    behind: re.Pattern[str]
    clause_first: bool


# "Confidence score: 4"
_SURENESS = (
    r"(?:confiden[cz]\w*|certainty|certainties|konfidenz\w*|confian\w+|certitude|certeza|확신"
    r"|신뢰도?"
    r"|tin cậy|chắc chắn|置信|信心|信頼度?|確信度?)[^\d\n,.;，。]{0,16}(?:[:：=|은는为是はがà]|is"
    r"|of|at|est|es)"
    r"[ *_\[(]{0,5}\d+"
)


def _joined(words: list[_Words], *, spaced: bool) -> Patterns:
    def one(kind: str) -> re.Pattern[str]:
        begins, ends = (r"(?<!\w)", r"(?!\w)") if spaced else ("", "")
        any_of = "|".join(getattr(entry, kind) for entry in words)
        any_of += f"|{_SURENESS}" if kind == "aside" else ""
        if kind == "behind":
            return re.compile(rf"{UNIT}\s?(?:{any_of})")
        if kind == "before":
            return re.compile(rf"{begins}(?:{any_of}){ends}\s?{MARKS}\Z")
        always = "[;；]|" if kind == "turns" else ""
        return re.compile(rf"{always}{begins}(?:{any_of}){ends}")

    kinds = {kind: one(kind) for kind in _Words._fields[:-1]}
    any_of = "|".join(kinds[kind].pattern for kind in ("supposes", "would", "aside"))
    return Patterns(any=re.compile(any_of), **kinds, clause_first=words[0].clause_first)


_BY_SCRIPT = {
    "latin": _joined(list(_LATIN.values()), spaced=True),
    **{language: _joined([words], spaced=False) for language, words in _HAN.items()},
}
_HANGUL, _KANA, _IDEOGRAPHS = (re.compile(f"[{signs}]") for signs in ("가-힣", "ぁ-ヿ", "一-鿿"))


def patterns_of(sentence: str) -> Patterns:
    """By the script that the sentence is written in."""
    return _BY_SCRIPT[_script(sentence)]


def _script(sentence: str) -> str:
    if sentence.isascii():
        return "latin"
    if _HANGUL.search(sentence):
        return "ko"
    if _KANA.search(sentence):
        return "ja"
    return "zh" if _IDEOGRAPHS.search(sentence) else "latin"
