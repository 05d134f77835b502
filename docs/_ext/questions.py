"""Words that people search for, and where their answers stand.

Each becomes an entry of the index, which the search of the site finds first.  A place that does not
exist is a warning, which ends a strict build; `tests/verify_site.py` asks the built site for all.
"""

from __future__ import annotations

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util import logging

ANSWERS = {
    "how_to/drive#gravity-compensation": ("gravity compensation", "feedforward"),
    "how_to/drive#a-spring-to-the-ground-a-point-of-a-rigid-body": (
        "spring to ground",
        "cable",
        "tension spring",
    ),
    "how_to/drive#a-motor-with-a-pd-controller": ("PD controller", "motor", "torque limit"),
    "how_to/drive#a-joint-that-moves-as-i-say": ("prescribed motion", "driven joint"),
    "how_to/drive#spring-damper-friction-stops": ("joint friction", "joint limits", "joint spring"),
    "how_to/drive#a-force-at-the-tip": ("external force", "drag"),
    "how_to/drive#a-panel-that-latches": ("latch", "lock a joint", "deployment"),
    "how_to/drive#catch-a-payload-and-let-it-go": ("capture payload", "docking", "grasp"),
    "how_to/build#a-tool-frame-on-a-flexible-arm": ("tool frame", "TCP", "end effector"),
    "how_to/build#a-robot-from-urdf-with-a-link-that-bends": ("URDF with flexible link",),
    "how_to/build#gears-belts-racks": ("gear ratio", "belt", "rack and pinion", "mimic joint"),
    "how_to/build#an-elastic-gear": ("elastic joint", "joint flexibility", "harmonic drive"),
    "how_to/build#a-closed-loop-and-its-forces": ("four-bar linkage", "pin forces"),
    "how_to/build#how-many-shapes-how-many-parts": ("how many modes",),
    "how_to/analysis#joint-angles-for-a-pose": ("inverse kinematics",),
    "how_to/analysis#torques-for-a-given-motion": ("inverse dynamics", "computed torque"),
    "how_to/analysis#frequencies-of-the-whole-mechanism": (
        "natural frequencies",
        "eigenfrequencies",
        "modal analysis",
    ),
    "how_to/analysis#equilibrium-under-gravity": ("static equilibrium",),
    "how_to/analysis#a-linear-model": ("state space", "linearize"),
    "how_to/analysis#formulas-and-c-code": ("equations of motion", "code generation"),
    "how_to/control#dynamics-from-arrays": ("control loop",),
    "how_to/control#hardware-in-the-loop": ("real time", "hardware in the loop"),
    "how_to/run#which-integrator": ("which integrator", "stiff", "step size"),
    "how_to/run#a-run-that-survives-a-kill": ("resume a run", "checkpoint"),
    "how_to/run#a-run-that-blows-up": ("simulation blows up", "diverges"),
    "how_to/run#higher-or-lower-accuracy": ("tolerance", "accuracy"),
    "how_to/show#matlab-xarray-pandas-csv": ("export CSV", "MATLAB export", "pandas"),
    "how_to/show#a-page-or-a-gif": ("animation", "export GIF"),
    "how_to/show#report-a-bug": ("bug report",),
    "sweeps": ("Monte Carlo", "parameter sweep", "parameter study"),
    "sweeps#slurm": ("cluster",),
    "batches": ("many simulations", "parallel simulations"),
    "batches#on-a-gpu": ("GPU", "CUDA"),
    "results#channels": ("reaction forces", "channels"),
    "results#units": ("units",),
    "results#energy-and-work": ("energy balance",),
    "results#files": ("save results", "NetCDF"),
    "loops": ("closed loop", "parallel robot"),
    "loops#redundant-constraints": ("overconstrained",),
    "loops#rolling-wheels-and-skates": ("rolling wheel", "nonholonomic"),
    "linear#along-a-parameter": ("Campbell diagram",),
    "linear#steady-motions": ("trim",),
    "structures#which-shapes-are-kept": ("Craig-Bampton", "model reduction"),
    "stresses": ("von Mises stress", "bending moment"),
    "rods": ("large deformation", "geometrically exact beam"),
    "levels": ("geometric stiffening", "centrifugal stiffening"),
    "conventions#forces": ("sign convention",),
    "conventions#limits": ("contact", "limitations"),
    "view#in-a-notebook": ("Jupyter notebook",),
    "view#films-and-animated-pictures": ("save film", "MP4", "video"),
    "stability": ("deprecation policy", "semantic versioning"),
    "how_to/press": ("slider-crank in kN and mm",),
    "sensitivities": ("gradient of a run", "optimisation"),
    "api/dynamics#mass-matrix-bias-gravity": ("mass matrix", "bias force"),
    "api/dynamics#kinematics": ("forward kinematics", "Jacobian"),
    "simulation#orbits-gravity-gradients-and-wheels": ("reaction wheel", "orbit"),
    "robots": ("URDF",),
    "robots#pictures": ("Collada", "mesh not found", "package path"),
}

logger = logging.getLogger(__name__)


def _mark(app: Sphinx, tree: nodes.document) -> None:
    """Put the entries of a page into its sections."""
    page = app.env.docname
    sections = {
        name: section for section in tree.findall(nodes.section) for name in _names(section)
    }
    for place, words in ANSWERS.items():
        name, _, anchor = place.partition("#")
        if name != page:
            continue
        section = sections.get(anchor) if anchor else next(tree.findall(nodes.section))
        if section is None:
            logger.warning("no section %r, where questions are answered", place, location=page)
            continue
        target = section["ids"][0] if anchor else ""
        entries = [("single", word, target, "main", None) for word in words]
        section.insert(1, addnodes.index(entries=entries, inline=False))


def _names(section: nodes.section) -> list[str]:
    return [*section["ids"], section.get("slug", "")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Mark pages as they are read."""
    app.connect("doctree-read", _mark)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
