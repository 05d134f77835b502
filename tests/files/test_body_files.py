"""NetCDF files of flexible bodies: they come back bit for bit, and strangers are named."""

import dataclasses
import json
import warnings

import h5netcdf
import numpy as np
import pytest

import lissom as ls
from lissom import cli
from lissom.bodies.recovery import Recovery, Stations, StressPoints
from tests.samples.reductions import frame_body

TUBE = ls.Tube(0.05, 0.004)


def recovery(m):
    rng = np.random.default_rng(5)
    points = StressPoints(
        rng.standard_normal((3, 3)),
        rng.standard_normal((3, 6, m)),
        np.array([0, -1, 1]),
        ("a", "b", "c"),
    )
    axes = np.tile(np.eye(3), (2, 1, 1))
    loads = rng.standard_normal((2, 6, m))
    stations = Stations(
        rng.standard_normal((2, 3)),
        axes,
        np.array([0, 1]),
        np.array([0.1, 0.2]),
        loads,
        (TUBE, TUBE),
    )
    return Recovery(points, stations)


def bodies():
    beam = ls.beam(3.0, TUBE, ls.ALUMINIUM)
    frame = frame_body(modes=2, damping=("rayleigh", 0.1, 1e-5))
    return {
        "beam": beam,
        "stiffened": ls.beam(3.0, TUBE, ls.ALUMINIUM, level="stiffened"),
        "frame": dataclasses.replace(frame, recovery=recovery(frame.n_mode)),
        "lumps": ls.FlexibleBody(
            [[0, 0, 0], [1, 0, 0]],
            [1.0, 2.0],
            np.arange(12.0).reshape(2, 6, 1) * [[[0]], [[1]]],
            [5.0],
            node_inertias=np.stack([np.zeros((3, 3)), np.diag([1.0, 2, 2.5])]),
            node_offsets=np.zeros((2, 3)),
        ),
        "rigid": ls.FlexibleBody(
            [[0, 0, 0], [1, 0, 0]], [1.0, 2.0], np.zeros((2, 6, 0)), np.zeros((0, 0))
        ),
    }


def same(a, b):
    """Whether all arrays of two bodies, their parts included, have the same bits."""
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if dataclasses.is_dataclass(a):
        names = [f.name for f in dataclasses.fields(a) if f.name not in ("source", "second_order")]
        return all(same(getattr(a, x), getattr(b, x)) for x in names)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


@pytest.mark.parametrize("kind", bodies())
def test_bodies_come_back_bit_for_bit(kind, tmp_path):
    body = bodies()[kind]
    body.save(tmp_path / "body.nc")
    again = ls.load_body(tmp_path / "body.nc")
    assert same(body, again)
    assert again.source is None
    if body.level == "stiffened":
        one, other = (x.constants_of_second_order for x in (body, again))
        assert same(one, other)


def test_other_programs_write_the_plain_layout(tmp_path):
    path = tmp_path / "foreign.nc"
    with h5netcdf.File(path, "w") as file:
        file.attrs["format"] = "lissom body"
        file.attrs["version"] = 1
        file.attrs["names"] = json.dumps({"root": 0, "tip": 1})
        file.dimensions = {"node": 2, "axis": 3, "six": 6, "mode": 1, "other_mode": 1}
        for name, dims, data in (
            ("positions", ("node", "axis"), [[0, 0, 0], [2, 0, 0]]),
            ("masses", ("node",), [0, 3]),
            ("shapes", ("node", "six", "mode"), [[[0]] * 6, [[0]] * 4 + [[1], [0]]]),
            ("stiffness", ("mode", "other_mode"), [[12]]),
        ):
            file.create_variable(name, dims, "<f8", data=np.array(data, float))
    body = ls.load_body(path)
    assert body.frequencies == pytest.approx(np.sqrt(12 / 3) / (2 * np.pi))
    assert body.names == {"root": 0, "tip": 1}


def test_truncated_and_foreign_files_are_named(tmp_path):
    path = tmp_path / "body.nc"
    bodies()["frame"].save(path)
    data = path.read_bytes()
    rng = np.random.default_rng(2)
    wrong = {
        "empty": (b"", "is empty"),
        "text": (b"not a body at all", "not a NetCDF-4 file"),
        "cut": (data[: len(data) // 2], "truncated or damaged"),
        "short": (data[:-1], "truncated or damaged"),
    }
    for k in rng.integers(8, len(data), 20):
        flipped = bytearray(data)
        flipped[k] ^= 0x55
        wrong[f"byte {k}"] = (bytes(flipped), "body.nc")
    for name, (content, words) in wrong.items():
        path.write_bytes(content)
        with pytest.raises(ls.ModelFileError, match=words):
            ls.load_body(path)
            pytest.fail(name)
    with pytest.raises(ls.ModelFileError, match="no such file"):
        ls.load_body(tmp_path / "missing.nc")
    with pytest.raises(ls.ModelFileError, match="folder does not exist"):
        bodies()["beam"].save(tmp_path / "missing" / "body.nc")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda file: file.attrs.__setitem__("format", "CF"), "no body"),
        (lambda file: file.attrs.__setitem__("version", 9), "version 9"),
        (lambda file: file.attrs.__setitem__("names", "{"), "not that of a body"),
        (lambda file: file.attrs.__setitem__("level", "fast"), "level is 'fast'"),
        (lambda file: file.variables["masses"].__setitem__(0, np.nan), "masses"),
    ],
)
def test_wrong_contents_are_named(change, words, tmp_path):
    path = tmp_path / "body.nc"
    bodies()["lumps"].save(path)
    with h5netcdf.File(path, "a") as file:  # the seal is lost, as with other programs
        change(file)
    with pytest.raises(ls.ModelFileError, match=words):
        ls.load_body(path)


def test_other_sections_are_left_out_with_a_warning(tmp_path):
    class Own(type(TUBE)):
        """Section of a user."""

    body = bodies()["frame"]
    stations = dataclasses.replace(body.recovery.stations, sections=(Own(0.05, 0.004),) * 2)
    body = dataclasses.replace(body, recovery=Recovery(body.recovery.points, stations))
    with pytest.warns(ls.ModelWarning, match="Own cannot be written"):
        body.save(tmp_path / "body.nc")
    again = ls.load_body(tmp_path / "body.nc").recovery
    assert again.stations is None and again.points is not None


def test_model_files_keep_stresses_in_a_body_file(tmp_path):
    model = ls.Model("frame")
    model.add(bodies()["frame"], ls.Revolute("z"), name="arm")
    model.save(tmp_path / "arm.toml")
    assert 'file = "arm_bodies_0.nc"' in (tmp_path / "arm.toml").read_text()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = ls.load(tmp_path / "arm.toml")
    assert same(again.parts["arm"].body, bodies()["frame"])
    (tmp_path / "arm_bodies_0.nc").unlink()
    with pytest.raises(ls.ModelFileError, match=r"arm_bodies_0\.nc: there is no such file"):
        ls.load(tmp_path / "arm.toml")


def test_stresses_turn_with_the_body():
    body = bodies()["frame"]
    assert frame_body(modes=0).source is not None
    angle = {"axis": [1, 2, 3], "angle": 0.7}
    turned = body.turned(angle)
    from scipy.spatial.transform import Rotation

    R = Rotation.from_rotvec(0.7 * np.array([1, 2, 3]) / np.sqrt(14)).as_matrix()
    xx, yy, zz, yz, zx, xy = np.moveaxis(body.recovery.points.stresses, 1, 0)
    tensor = np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])
    expected = np.einsum("ia,jb,abpm->ijpm", R, R, tensor)
    found = np.moveaxis(turned.recovery.points.stresses, 1, 0)
    for row, (i, j) in enumerate([(0, 0), (1, 1), (2, 2), (1, 2), (2, 0), (0, 1)]):
        assert found[row] == pytest.approx(expected[i, j])
    assert turned.recovery.stations.axes[0] == pytest.approx(R)
    assert turned.recovery.stations.positions == pytest.approx(
        body.recovery.stations.positions @ R.T
    )
    assert turned.source is None


def test_the_command_info_shows_the_report_of_a_body_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    bodies()["beam"].save("boom.nc")
    with pytest.raises(SystemExit) as end:
        cli.main(["info", "boom.nc"])
    shown = capsys.readouterr().out
    assert end.value.code == 0 and "effective mass" in shown and shown.split()[0] == "boom.nc"
    with open("boom.nc", "r+b") as file:
        file.write(b"nothing")
    with pytest.raises(SystemExit) as end:
        cli.main(["info", "boom.nc"])
    assert end.value.code != 0 and "boom.nc" in capsys.readouterr().err
