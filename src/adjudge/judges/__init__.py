"""Item → Prompt. A judge is a YAML file: `registry` finds it, `load` checks it, `render` asks."""
