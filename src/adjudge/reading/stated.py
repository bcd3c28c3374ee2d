"""What a reply states in plain sentences: "so I give it a score of 4", "Output (a) is better".

Only for judges that ask for text and only for a criterion asked alone, after labelled lines were
looked for. Sentences that quote, deny, suppose or repeat the scale state nothing; of several that
state a value the last one counts, since judges weigh aloud first and decide at the end.
"""

from __future__ import annotations

from adjudge.core.scale import Binary, Category, Scale

from .alone import alone, answered
from .choices import chosen
from .grades import graded, labelled
from .place import Place
from .prose import prose_of


def stated_in(scale: Scale, text: str) -> Place | None:
    """What the text states, with the words that state it; None when it states nothing."""
    prose = prose_of(text)
    if isinstance(scale, Category):
        found = chosen(scale, prose.text) or alone(scale, prose.text)
    elif isinstance(scale, Binary):
        found = answered(scale, prose.text) or alone(scale, prose.text)
        found = found or labelled(scale, prose.text)
    else:
        found = graded(scale, prose.text)
    return prose.placed(found)
