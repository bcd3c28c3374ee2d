"""The nouns of adjudge: frozen, without any input or output.

`item.Item` · `judge.Judge`, `judge.Input`, `judge.Pair`, `judge.Wording` · `rubric.Rubric`,
`rubric.Criterion`, `rubric.Rule` · `checklist.Checklist` · `scale.Scale`, `scale.Value` ·
`prompt.Prompt`, `prompt.Sampling`, `prompt.Profile` · `reply.Reply`, `reply.Usage` · `score.Score`,
`score.Outcome` · `verdict.Verdict`, `verdict.Call`, `verdict.Exchange`, `verdict.Cut` ·
`reason.Reason` · `label.Label` · `run.Manifest` · `conversation.Turn` · `step.Step`,
`trace.steps_of`, `trace_messages.message_steps`, `trace_spans.span_steps` ·
`turn_marks.break_turn_marks` · `language.detect_language`. Each is imported from its module: most
commands need few of them.
"""
