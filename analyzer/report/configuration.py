"""Configurations as TOML and as records: what holds for a file, and a sample to begin with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..config.architecture import architecture_name
from ..config.keys import KEYS

if TYPE_CHECKING:
    from ..config.configuration import Configuration
    from ..config.keys import Key
    from ..config.project import Profile
    from .formats.json_report import Record


def configuration_record(configuration: Configuration, profile: Profile) -> Record:
    """A file's configuration in JSON: the settings, where they are from, the rules that apply."""
    return {
        "file": configuration.path or None,
        "settings": {key.name: value for key, value in _set(configuration)},
        "rules": [rule.code for rule in profile.rules],
    }


def configuration_toml(configuration: Configuration, profile: Profile) -> str:
    """A file's configuration as a TOML file that says the same; the rest as comments."""
    lines = [f"# from {configuration.path}" if configuration.path else "# no configuration file"]
    said = dict(_set(configuration))
    for key in KEYS:
        if key in said:
            lines.append(f"{key.name} = {_toml(said[key])}")
        elif key.name != "extend":
            lines.append(f"# {key.name}: {key.default}")
    lines.append(f"# rules that apply: {', '.join(rule.code for rule in profile.rules) or 'none'}")
    return "".join(f"{line}\n" for line in lines)


def sample_toml() -> str:
    """The text of a sample `warplint.toml`: every key explained, with an example, commented out."""
    blocks = ["# Configuration of warplint; every key is optional.\n"]
    for key in KEYS:
        words = "\n".join(f"# {line}" for line in _wrapped(key.help))
        blocks.append(f"{words}\n# {key.example}\n")
    return "\n".join(blocks)


def _set(configuration: Configuration) -> list[tuple[Key, Any]]:
    pairs = []
    for key in KEYS:
        value = getattr(configuration, key.field, None)
        if value is not None:
            pairs.append((key, _plain(key, value)))
    return pairs


def _plain(key: Key, value: Any) -> Any:
    """The value as a user would write it."""
    if key.name == "arch":
        return architecture_name(value)
    if key.name == "defines":
        return [f"{name}={text}" for name, text in value]
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return {name: _listed(item) for name, item in value}
    return _listed(value)


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _toml(value: Any) -> str:
    """A value in TOML; basic strings of TOML are those of JSON."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _wrapped(text: str) -> list[str]:
    import textwrap

    return textwrap.wrap(text.replace("`", ""), 90)
