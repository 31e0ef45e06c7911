"""Fields of YAML files by path: found, read and replaced without touching the rest of the text's values.

A path has components with dots between them, such as `graphs.fwd_0.attn.q.math_fidelity`: names with dots are found
because the longest key that fits is taken. `*` stands for every key, a number for an element of a list. Files are node
trees of PyYAML, so that numbers and words keep the spelling of the file; nothing in a file is executed."""
from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import yaml

from .errors import SweepError, nearest

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def composed(text: str, name: str) -> yaml.Node:
    """The node tree of a text. SweepError with the place for a text that is not YAML."""
    try:
        root = yaml.compose(text, Loader=_LOADER)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        raise SweepError(f"{place}: {getattr(error, 'problem', None) or error}") from None
    if not isinstance(root, yaml.MappingNode):
        raise SweepError(f"{name}: it is not a map of keys")
    return root


def text_of(root: yaml.Node) -> str:
    """The text of a node tree."""
    return str(yaml.serialize(root, Dumper=_DUMPER, width=1 << 20))


def node_of(value: Any) -> yaml.Node:
    """A node for a value of JSON."""
    node = yaml.compose(json.dumps(value), Loader=_LOADER)
    assert node is not None
    return node


def value_of(node: yaml.Node) -> Any:
    """The value of a node, as YAML 1.1 defines it."""
    return yaml.load(yaml.serialize(node, Dumper=_DUMPER), Loader=_LOADER)  # noqa: S506 (a safe loader)


def _entries(node: yaml.MappingNode) -> dict[str, tuple[yaml.Node, bool]]:
    """Values by key, with those of merge keys (`<<`); True: the value is the node's own."""
    found: dict[str, tuple[yaml.Node, bool]] = {}
    for key, value in node.value:
        if key.tag == "tag:yaml.org,2002:merge":
            for part in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                for name, (inner, _) in _entries(part).items():
                    found.setdefault(name, (inner, False))
    for key, value in node.value:
        if key.tag != "tag:yaml.org,2002:merge":
            found[key.value] = (value, True)
    return found


def _steps(node: yaml.Node, rest: str) -> Iterator[tuple[str | int, str]]:
    """Keys of `node` that the path can begin with, and what is left of the path then."""
    head, _, tail = rest.partition(".")
    if isinstance(node, yaml.SequenceNode):
        if head == "*":
            yield from ((at, tail) for at in range(len(node.value)))
        elif head.isdigit() and int(head) < len(node.value):
            yield int(head), tail
    elif isinstance(node, yaml.MappingNode):
        names = _entries(node)
        if head == "*":
            yield from ((name, tail) for name in names)
            return
        fitting = [name for name in names if rest == name or rest.startswith(name + ".")]
        if fitting:
            longest = max(fitting, key=len)
            yield longest, rest[len(longest) + 1:]


def places(root: yaml.Node, path: str) -> list[list[str | int]]:
    """Every place that a path names. Empty if it names none."""
    found: list[list[str | int]] = []

    def descend(node: yaml.Node, rest: str, before: list[str | int]) -> None:
        for key, left in _steps(node, rest):
            child = _child(node, key)
            if left:
                descend(child, left, [*before, key])
            else:
                found.append([*before, key])

    descend(root, path, [])
    return found


def _child(node: yaml.Node, key: str | int) -> yaml.Node:
    if isinstance(node, yaml.SequenceNode):
        found: yaml.Node = node.value[int(key)]
        return found
    assert isinstance(node, yaml.MappingNode)
    return _entries(node)[str(key)][0]


def read(root: yaml.Node, place: list[str | int]) -> Any:
    """The value at a place."""
    for key in place:
        root = _child(root, key)
    return value_of(root)


def _copy(node: yaml.Node) -> yaml.Node:
    """A node of its own with the same children: aliases of the original do not see its changes."""
    if isinstance(node, yaml.ScalarNode):
        return yaml.ScalarNode(node.tag, node.value, style=node.style)
    assert isinstance(node, yaml.CollectionNode)
    return type(node)(node.tag, list(node.value), flow_style=node.flow_style)


def replaced(root: yaml.Node, place: list[str | int], value: yaml.Node) -> yaml.Node:
    """A tree with another node at a place. The original does not change."""
    if not place:
        return value
    copy, key = _copy(root), place[0]
    if isinstance(copy, yaml.SequenceNode):
        copy.value[int(key)] = replaced(copy.value[int(key)], place[1:], value)
        return copy
    assert isinstance(root, yaml.MappingNode)
    child, own = _entries(root).get(str(key), (None, False))
    changed = value if child is None else replaced(child, place[1:], value)
    if own:
        copy.value = [(k, changed if k.value == key and k.tag != "tag:yaml.org,2002:merge" else v) for k, v in copy.value]
    else:
        copy.value = [*copy.value, (yaml.ScalarNode("tag:yaml.org,2002:str", str(key)), changed)]
    return copy


def leaves(node: yaml.Node, before: str = "") -> Iterator[str]:
    """Paths of all fields, maps and lists of maps excluded."""
    if isinstance(node, yaml.MappingNode) and node.value:
        for name, (child, _) in _entries(node).items():
            yield from leaves(child, f"{before}.{name}" if before else name)
    elif before:
        yield before


def require(root: yaml.Node, path: str, file: str) -> list[list[str | int]]:
    """places(), or SweepError with the nearest path that exists."""
    found = places(root, path)
    if not found:
        raise SweepError(f"{file} has no field '{path}'{nearest(path, leaves(root))}")
    return found
