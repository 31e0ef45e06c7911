"""Fields of YAML by path."""
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ttsim.sweeps import yaml_fields

TEXT = """\
base: &base {type: matmul, grid_size: [1, 2], "on": yes, addr: 0x10}
graphs:
  fwd:
    attn.q: {<<: *base, math_fidelity: LoFi}
    attn: {q: 3}
    list: [{a: 1}, {a: 2}]
"""


def changed(path, value):
    root = yaml_fields.composed(TEXT, "t")
    for place in yaml_fields.places(root, path):
        root = yaml_fields.replaced(root, place, yaml_fields.node_of(value))
    return yaml.safe_load(yaml_fields.text_of(root))


def test_the_longest_key_wins_and_the_rest_stays():
    before, after = yaml.safe_load(TEXT), changed("graphs.fwd.attn.q.math_fidelity", "HiFi3")
    before["graphs"]["fwd"]["attn.q"]["math_fidelity"] = "HiFi3"
    assert after == before


def test_merged_keys_change_in_one_place_only():
    after = changed("graphs.fwd.attn.q.grid_size", [4, 4])
    assert after["graphs"]["fwd"]["attn.q"]["grid_size"] == [4, 4]
    assert after["base"]["grid_size"] == [1, 2]


def test_stars_and_list_elements():
    assert changed("graphs.*.list.*.a", 9)["graphs"]["fwd"]["list"] == [{"a": 9}, {"a": 9}]
    assert changed("graphs.fwd.list.1.a", 9)["graphs"]["fwd"]["list"] == [{"a": 1}, {"a": 9}]


@given(st.dictionaries(st.from_regex(r"[a-z][a-z.]{0,5}", fullmatch=True), st.integers(), min_size=1, max_size=6))
def test_every_field_is_found_by_its_path(values):
    root = yaml_fields.composed(yaml.safe_dump(values), "t")
    for name, value in values.items():
        assert [yaml_fields.read(root, place) for place in yaml_fields.places(root, name)] == [value]
