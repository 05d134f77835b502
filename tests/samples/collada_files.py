"""Collada files of a cube, written in each way that the format has, and with random mistakes."""

from __future__ import annotations

import random
from pathlib import Path

import lissom as ls
from lissom.io.urdf.meshes import read_mesh
from tests.tools.file_fuzz import Fuzz
from tests.tools.urdf_mutations import mutated

CORNERS = "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1"
FACES = [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]


def words(rows) -> str:
    """Rows of corners, each with the number of a normal after it."""
    return " ".join(f"{corner} {k % 6}" for k, row in enumerate(rows) for corner in row)


def halves() -> list[tuple[int, int, int]]:
    return [t for a, b, c, d in FACES for t in ((a, b, c), (a, c, d))]


PRIMITIVES = {
    "triangles": f"<p>{words(halves())}</p>",
    "polylist": f"<vcount>{'4 ' * 6}</vcount><p>{words(FACES)}</p>",
    "polygons": "".join(f"<p>{words([face])}</p>" for face in FACES),
    "tristrips": "".join(f"<p>{words([(a, b, d, c)])}</p>" for a, b, c, d in FACES),
    "trifans": "".join(f"<p>{words([face])}</p>" for face in FACES),
}


def primitive(kind: str = "triangles", material: str = "paint") -> str:
    inputs = '<input semantic="VERTEX" source="#v" offset="0"/>'
    inputs += '<input semantic="NORMAL" source="#n" offset="1"/>'
    return f'<{kind} material="{material}">{inputs}{PRIMITIVES[kind]}</{kind}>'


PLACE = '<instance_geometry url="#cube"/>'


def collada(
    primitives: str = "", nodes: str = f"<node>{PLACE}</node>", asset: str = "", more: str = ""
) -> str:
    """Document with a cube of one unit."""
    return f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset>{asset}</asset>
  <library_effects>
    <effect id="blue"><profile_COMMON><technique sid="common"><lambert>
      <diffuse><color>0 0 1 1</color></diffuse></lambert></technique></profile_COMMON></effect>
  </library_effects>
  <library_materials>
    <material id="paint"><instance_effect url="#blue"/></material>
  </library_materials>
  <library_geometries>
    <geometry id="cube" name="cube"><mesh>
      <source id="p">
        <float_array id="numbers" count="24">{CORNERS}</float_array>
        <technique_common><accessor source="#numbers" count="8" stride="3">
          <param name="X" type="float"/><param name="Y" type="float"/>
          <param name="Z" type="float"/></accessor></technique_common>
      </source>
      <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
      {primitives or primitive()}
    </mesh></geometry>
  </library_geometries>
  {more}
  <library_visual_scenes><visual_scene id="scene">{nodes}</visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>
"""


class ColladaFuzz(Fuzz):
    """Cubes with one to four mistakes."""

    def __init__(self, folder: Path) -> None:
        turned = "<rotate>0 0 1 90</rotate><scale>1 2 3</scale><translate>1 2 3</translate>"
        matrix = "<matrix>1 0 0 1 0 1 0 2 0 0 1 3 0 0 0 1</matrix>"
        bound = '<instance_material symbol="paint" target="#paint"/>'
        bound = f"<bind_material><technique_common>{bound}</technique_common></bind_material>"
        place = f'<instance_geometry url="#cube">{bound}</instance_geometry>'
        nodes = f'<node>{turned}<node>{matrix}{place}</node></node><node><instance_node url="#a"/>'
        library = f'<library_nodes><node id="a">{PLACE}</node></library_nodes>'
        whole = {"nodes": f"{nodes}</node>", "asset": '<unit meter="0.001"/>', "more": library}
        self.texts = [collada(primitive(kind), **whole) for kind in PRIMITIVES]

    def case(self, rng: random.Random) -> tuple[str, bytes]:
        """A damaged mesh."""
        return "part.dae", mutated(rng.choice(self.texts), rng)

    def fault(self, path: Path, rng: random.Random) -> str:
        """Read it."""
        try:
            surfaces = read_mesh(path)
        except ls.LissomError as error:
            said = str(error)
            if len(said) > 2000 or not said.startswith(str(path)):
                return f"an error that does not begin with the file: {said[:200]}"
            return ""
        return "" if surfaces.pieces else "a mesh of nothing"
