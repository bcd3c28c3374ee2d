"""How sentences of an assessment begin, in languages that share the Latin script.

Between two slashes stands a piece of a regular expression that ends with a whole word. An opening
that another of these languages has too is followed by a word that only this one has
(`La respuesta`, `La réponse`).
Danish and Norwegian, and Indonesian and Malay, remain hard to tell apart by their beginnings.
"""

from __future__ import annotations

from collections.abc import Mapping

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
