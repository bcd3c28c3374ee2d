"""A regular expression for texts of whole sentences in one language.

Goes into the reply's schema as a `pattern`, so that a model cannot write anything else. Where a
language has a script of its own, the script binds: a sentence begins and ends in it, and no more
than a few words in a row may be foreign. Latin letters are shared by many languages, so there the
first words of a sentence bind; a model that has begun in a language goes on in it.

Quotations and brackets may hold any script. A full stop inside a word (3.5, e.g.) ends no sentence.
The syntax is what Python's `re`, ECMAScript and Rust understand alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

# Letters of a script as the inside of a character class. The classes leave out what only a sister
# language has: ы, э and ъ are not Ukrainian, and і, ї, є and ґ are not Russian.
_SPACED = {
    "ko": "가-힣",
    "ru": "А-Яа-яЁё",
    "uk": "АБВГҐДЕЄЖЗИІЇЙКЛМНОПРСТУФХЦЧШЩЬЮЯабвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
    "bg": "А-ЪЬЮЯа-ъьюя",
    "sr": "ЂЈ-ЋЏА-ИК-Шђј-ћџа-ик-ш",
    "el": "Ͱ-Ͽἀ-῿",
    "he": "א-ת֑-ׇ",
    "ar": "ء-يً-ْ",
    "fa": "ء-ٕپچژکگی‌",
    "ur": "ء-ٕٹپچڈڑژکگںھہیےۓ",
    "hi": "ऀ-ॣ", "mr": "ऀ-ॣ", "ne": "ऀ-ॣ",
    "bn": "ঀ-৥", "ta": "஀-௥", "te": "ఀ-౥", "ka": "ა-ჿ", "hy": "Ա-և",
}  # fmt: skip
_UNSPACED = {
    "ja": "ぁ-ゖァ-ヺー一-龯々",
    "zh": "一-龯〇",
    "th": "ก-ฺเ-๎",
    "lo": "ກ-ຽເ-ໝ",
    "km": "ក-៓",
    "my": "က-၏",
}
_ENDS = {
    "hi": "[।.!?]", "mr": "[।.!?]", "ne": "[।.!?]", "bn": "[।.!?]", "ur": "[۔.!؟]", "hy": "[։.!]",
    "ar": "[.!؟]", "fa": "[.!؟]", "el": "[.!;]", "ja": "[ぁ-ん][。！？]", "zh": "[。！？]",
    "th": "[.]?", "lo": "[.]?", "km": "[។.]", "my": "[။]",
}  # fmt: skip
_END = "[.!?]"

# A text in another script, in quotation marks or brackets.
_QUOTED = "".join(
    (
        r'(?:“[^”\x00-\x1f]{1,60}”|„[^“”\x00-\x1f]{1,60}[“”]|"[^"\x00-\x1f]{1,60}"|‘[^’\x00-\x1f]{1,60}’',
        r"|「[^」\x00-\x1f]{1,60}」|\([^()\x00-\x1f]{1,60}\))",
    )
)
# Nothing of East Asia, no control signs, no space, none of the marks that quotations need, and no
# backslash or brace: a small model that meets them writes JSON into its text.
_NOT = r"\x00-\x20\"“”„‘’「」()\\{}<>\u1100-\u11ff\u2e80-\uffff"
_INSIDE = rf"[^{_NOT}.!?]"
# What may stand inside a word: 3.5, 10.000, example.org, e.g. No capital after the full stop: that
# is the next sentence, without its space.
_AFTER_STOP = rf"[^{_NOT}.!?A-ZÀ-ÖØ-ÞĐ]{_INSIDE}{{0,11}}"
_LATIN_WORD = rf"(?:{_INSIDE}{{1,24}}(?:[.]{_AFTER_STOP}){{0,2}}|{_QUOTED}[,;:]?)"
_SHORT = r"(?:e\.g\.|i\.e\.|z\.B\.|d\.h\.|p\.ej\.|v\.v\.|vs\.|etc\.|Dr\.|Mr\.|Mrs\.|Nr\.|No\.|ca\.)"

LONGEST = 45  # words of a sentence; of scripts without spaces, characters in fives


@cache
def pattern(language: str, most: int) -> str | None:
    """The pattern of one to `most` sentences; None for a language that cannot be bound."""
    base = language.partition("-")[0]
    if base in OPENERS:
        return _whole(_latin(base), most)
    if base in _SPACED:
        return _whole(_spaced(base), most)
    if base in _UNSPACED:
        return _unspaced(base, most)
    return None


def known(language: str) -> bool:
    """Whether texts in the language can be bound; `any` needs no binding."""
    return language == "any" or language.partition("-")[0] in BINDABLE


def _whole(sentence: str, most: int) -> str:
    more = f"(?: {sentence}){{0,{most - 1}}}" if most > 1 else ""
    return f"^{sentence}{more}$"


def _latin(language: str) -> str:
    """An opening of the language, then words with the letters of any Latin script."""
    opening = "|".join(OPENERS[language])
    word = f"(?: {_LATIN_WORD}| {_SHORT})"
    return f"(?:{opening}){word}{{2,{LONGEST}}}{_END}"


def _spaced(language: str) -> str:
    """Words of the script, with at most three foreign ones between two of its own."""
    own = _SPACED[language]
    # One that has the script somewhere: 2월, GPT는, «Москва», 3.5점.
    before = rf"[^{_NOT}.!?{own}]{{0,12}}(?:[.][0-9]{{1,6}}[^{_NOT}.!?{own}]{{0,4}})?"
    word = rf"(?:{before}[{own}]{{1,24}}(?:[-–’'·/][{own}]{{1,12}}){{0,2}}[,;:،؛%]?)"
    foreign = (
        rf"(?:[^{_NOT}.!?{own}]{{1,20}}(?:[.]{_INSIDE}{{1,12}})?|{_QUOTED}[{own}]{{0,4}}[,;:]?)"
    )
    first = rf"[{own}]{{1,24}}[,:]?"
    return rf"{first}(?:(?: {foreign}){{0,3}} {word}){{2,25}}{_ENDS.get(language, _END)}"


def _unspaced(language: str, most: int) -> str:
    own = _UNSPACED[language]
    end = _ENDS[language]
    signs = "、，：；・0-9０-９％%" if language in {"ja", "zh"} else " 0-9%,"
    foreign = rf"(?:[A-Za-z][-A-Za-z0-9.' ]{{0,23}}|{_QUOTED})"
    run = rf"[{own}](?:[{own}{signs}]|[0-9][.][0-9]){{1,30}}"
    sentence = rf"{run}(?:{foreign}{run}){{0,4}}{end}"
    gap = "" if language in {"ja", "zh"} else " "
    more = f"(?:{gap}{sentence}){{0,{most - 1}}}" if most > 1 else ""
    return f"^{sentence}{more}$"


_TEXT = """\
cs: Odpověď / Text (?:je|obsahuje|neobsahuje|uvádí) / Shrnutí / Tato odpověď / Chybí /
  Je (?:to|správně|třeba|zde) / Není / Informace / Ačkoli / Nicméně / Údaje / Všechny
da: Svaret (?:er|giver|indeholder|mangler|nævner|besvarer|forklarer|siger) / Teksten (?:er|har) /
  Opsummeringen / Oplysningerne / Det (?:er|mangler|fremgår) / Der (?:er|mangler) / Dog /
  Desuden / Selvom
de: Die (?:Antwort|Angaben?|Aussagen?|Erklärung|Frage|Information|Informationen|Zahl|Zahlen) /
  Die Zusammenfassung / Der / Das / Diese / Dieser / Ein / Eine / Sie / Allerdings / Obwohl /
  Es (?:fehlt|fehlen|gibt|ist|wird|werden|sollte) / Jedoch / Alle / Auch / Keine / Zwar / Hier
en: The / This / It / Its / There / These / That / While / Although / However,? / Overall,? /
  Since / Because / Both / Some / Several / All / Each / Every / Most / Only / One / Two /
  Nothing / Instead / Add / Adding / Include / Including / Provide / Providing / Give / Mention /
  Explain / Consider / Use / State / Correct / Check / Make / Be / Offer / When / If / By /
  Clear / Clearly / Any / You / They
es: La (?:respuesta|información|explicación|pregunta|cifra) / El / Los / Las / Aunque /
  Sin embargo,? / Falta / Faltan / Esta respuesta / Hay / Debería / Además,? / También /
  No (?:hay|se|es|incluye|menciona|responde) / Se (?:explica|menciona|indica|ofrece)
fi: Vastaus / Vastauksessa / Teksti / Tiivistelmä / Tämä / Se (?:on|ei) / Kuitenkin / Vaikka /
  Siinä / Tiedot / Kaikki
fr: La (?:réponse|question|phrase) / Le (?:texte|résumé|contenu|ton|chiffre|montant) / Les /
  Cette / Ce texte / Cependant,? / Bien que / Il (?:manque|est|y|faut|ne|n'y) / Elle / Aucun /
  Aucune / Cela / C'est / Ajouter / Toutes / Tous / Toutefois,?
hu: A (?:válasz|szöveg|tartalom|kérdés|hangnem) / Az / Ez / Hiányzik / Bár / Azonban / Nem /
  Minden
id: Jawaban / Teks / Ringkasan / Namun,? / Meskipun / Tidak / Informasi / Isi / Semua / Pengguna /
  Angka
it: La (?:risposta|domanda|spiegazione) / Il (?:testo|riassunto|contenuto|tono|prezzo|costo) /
  Questa / Questo / Tuttavia,? / Sebbene / Manca / Mancano / Gli / È /
  Non (?:è|sono|ci|vengono|risponde|indica) / Alcune / Alcuni / Le informazioni
ms: Jawapan / Teks / Ringkasan / Walau bagaimanapun,? / Walaupun / Tiada / Maklumat / Kandungan /
  Semua / Pengguna
nl: Het / Een / Deze / Dit (?:antwoord|is) /
  De (?:tekst|samenvatting|inhoud|informatie|toon|vraag|uitleg) / Hoewel / Echter,? / Niet /
  Er (?:is|zijn|wordt|worden|ontbreekt) / Alle
no: Svaret (?:er|gir|inneholder|mangler|nevner|besvarer|forklarer|sier) / Teksten (?:er|har) /
  Sammendraget / Opplysningene / Det (?:er|mangler|framgår) / Likevel / Dessuten / Selv om
pl: Odpowiedź / Tekst / Streszczenie / Brakuje / Jednak / Chociaż / Nie / Jest / Informacje /
  Wszystkie / Podano
pt: A (?:resposta|informação|explicação|pergunta) / O (?:texto|resumo|conteúdo|tom|valor) / Os /
  As (?:informações|frases) / No entanto,? / Embora / Não / É / Há / Esta resposta /
  Falta (?:a|o|uma|um) / Também / Além
ro: Răspunsul / Textul / Rezumatul / Acest / Această / Lipsește / Totuși,? / Deși / Nu / Este /
  Informațiile / Toate
sv: Svaret (?:är|ger|innehåller|saknar|tar|nämner|anger|stämmer|besvarar|förklarar) / Texten /
  Sammanfattningen / Det (?:är|finns|saknas) / Informationen / Dessutom / Uppgifterna / Även
tr: Yanıt / Yanıtta / Cevap / Cevapta / Metin / Özet / Bu / Ancak / Eksik / Bilgi / Bilgiler /
  Soru / Tüm
vi: Câu(?: trả lời| hỏi| văn| chữ)? / Phản hồi / Bản tóm tắt / Văn bản / Nội dung /
  Chatbot (?:đã|không|chưa|có|trả|nêu|cung|đưa|nói|chỉ|hướng|giải|bỏ|sai) / Người dùng /
  Thông tin / Tuy nhiên,? / Không / Nên / Đáp án / Giọng điệu / Trả lời / Mặc dù / Các / Những /
  Cần / Phí / Thời gian / Vì / Do đó,? / Cách / Thiếu / Bổ sung / Nêu / Đúng / Sai / Đã / Có /
  Số
"""


def _read(text: str) -> dict[str, tuple[str, ...]]:
    """A line that begins with a blank goes on with the language above it."""
    whole = text.replace("\n  ", " ").splitlines()
    parts = (line.partition(": ") for line in whole)
    return {language: tuple(openers.split(" / ")) for language, _, openers in parts}


OPENERS: Mapping[str, tuple[str, ...]] = _read(_TEXT)
BINDABLE = tuple(sorted({*OPENERS, *_SPACED, *_UNSPACED}))  # the languages that have a pattern
