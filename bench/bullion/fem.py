"""Frequencies of struck coins by finite elements in three dimensions, to hold the ring test against.

Independent of the engine: no theory of plates, constants from other handbooks, a rim, a relief that is not round, cores as layers.
Writes fem-pieces.json beside it: for each coin the genuine piece and its fakes, each with the mass and the diameter of the coin.

    python3 -m venv v && v/bin/pip install -r requirements.txt && v/bin/python fem.py [COIN …]
"""

import json
import pathlib
import sys

import numpy as np
import scipy
import skfem
from scipy.sparse.linalg import eigsh
from skfem.helpers import ddot, eye, sym_grad, trace

HERE = pathlib.Path(__file__).parent

# GPa, Poisson's ratio, g/cm³, MS/m, quality factor: Kaye and Laby, Smithells, Metals Handbook; factors of a free ring are assumed.
METALS = {
    "gold": (79.0, 0.42, 19.3, 44.0, 500),
    "gold-copper": (90.0, 0.41, 17.5, 9.8, 800),
    "gold-silver-copper": (84.0, 0.42, 17.78, 11.0, 800),
    "silver": (82.5, 0.37, 10.49, 61.0, 1500),
    "platinum": (170.0, 0.38, 21.45, 9.2, 600),
    "tungsten": (400.0, 0.28, 19.28, 18.2, 600),
    "tungsten-nickel-copper": (320.0, 0.29, 17.5, 8.5, 500),
    "lead": (16.1, 0.44, 11.34, 4.8, 40),
    "lead-tin": (23.0, 0.4, 9.7, 5.3, 60),
    "copper": (123.0, 0.345, 8.94, 57.0, 900),
    "brass": (101.0, 0.35, 8.5, 15.9, 900),
    "steel": (208.0, 0.29, 7.85, 6.2, 1200),
    "stainless steel": (196.0, 0.28, 7.95, 1.4, 1200),
    "nickel silver": (132.0, 0.33, 8.7, 3.6, 900),
    # Of these the engine knows nothing.
    "zinc": (104.0, 0.25, 7.14, 16.8, 400),
    "tantalum": (186.0, 0.34, 16.65, 7.6, 500),
    "molybdenum": (325.0, 0.3, 10.22, 18.7, 900),
    "bismuth": (32.0, 0.33, 9.78, 0.9, 200),
}

# Mass in grams, diameter and rim in mm, metal.
COINS = {
    "krugerrand": (33.93, 32.77, 2.84, "gold-copper"),
    "gold-maple-leaf": (31.11, 30.0, 2.87, "gold"),
    "gold-britannia": (34.05, 32.69, 2.79, "gold-silver-copper"),
    "gold-kangaroo": (31.107, 32.6, 2.8, "gold"),
    "gold-philharmonic": (31.103, 37.0, 2.0, "gold"),
    "gold-panda": (30.0, 32.0, 2.7, "gold"),
    "american-gold-buffalo": (31.108, 32.7, 2.95, "gold"),
    "american-silver-eagle": (31.103, 40.6, 2.98, "silver"),
    "silver-maple-leaf": (31.11, 38.0, 3.29, "silver"),
    "silver-panda-ounce": (31.1035, 40.0, 2.98, "silver"),
    "silver-britannia": (31.21, 38.61, 3.0, "silver"),
    "silver-philharmonic": (31.103, 37.0, 3.2, "silver"),
    "american-platinum-eagle": (31.12, 32.7, 2.39, "platinum"),
}
FOR_GOLD = [
    ("tungsten", 0.98), ("tungsten", 0.9), ("tungsten", 0.75), ("tungsten", 0.6), ("tungsten", 0.5), ("tungsten", 0.4),
    ("tungsten", 0.3), ("tungsten-nickel-copper", 0.98), ("tungsten-nickel-copper", 0.7), ("tungsten-nickel-copper", 0.5),
    ("lead", 0.97), ("lead-tin", 0.97), ("silver", 0.97), ("copper", 0.97), ("brass", 0.97), ("steel", 0.97),
    ("tantalum", 0.97), ("molybdenum", 0.95), ("tantalum", 0.5), ("bismuth", 0.95),
]  # fmt: skip
FOR_SILVER = [
    ("copper", 0.98), ("copper", 0.8), ("copper", 0.6), ("copper", 0.5), ("copper", 0.4), ("brass", 0.98), ("brass", 0.8),
    ("nickel silver", 0.98), ("nickel silver", 0.8), ("lead", 0.97), ("lead", 0.85), ("lead-tin", 0.97), ("lead-tin", 0.85),
    ("steel", 0.97), ("stainless steel", 0.97), ("tungsten", 0.95), ("zinc", 0.97), ("molybdenum", 0.97), ("molybdenum", 0.8),
    ("bismuth", 0.95),
]  # fmt: skip

RIM_WIDTH_MM = 1.1
RELIEF = 0.1
MODES_UP_TO = 22
# Cells along a diameter. Ratios of a fake to the genuine piece are good to 0.2 % on the coarse mesh; heights to 0.5 % on the fine one.
COARSE, FINE = 8, 14


def unit_cube(layers, cells):
    """Hexahedra over a square, its layers at given heights from -0.5 to 0.5."""
    side = np.linspace(-1, 1, cells + 1)
    return skfem.MeshHex1.init_tensor(side, side, np.array(layers))


def thickness_map(radius, rim, mean, seed):
    """Relative thickness over the coin: a raised rim and a relief of a few mm, which is the same for every piece of a design."""
    random = np.random.default_rng(seed)
    waves = [(random.normal(0, 900, 2), random.uniform(0, 2 * np.pi)) for _ in range(14)]

    def relative(x, y):
        r = np.hypot(x, y)
        on_rim = 1 / (1 + np.exp(-(r - (radius - RIM_WIDTH_MM / 1e3)) / 1.5e-4))
        relief = sum(np.cos(k[0] * x + k[1] * y + phase) for k, phase in waves) / np.sqrt(7)
        field = 1 + RELIEF * relief
        return field * (1 - on_rim) + max(rim / mean, 1.0) * on_rim

    return relative


def frequencies(coin, share, core, cells=COARSE, is_flat=False):
    mass, diameter, rim, metal = COINS[coin]
    radius = diameter / 2e3
    skin = METALS[metal]
    rho = skin[2] * (1 - share) + (METALS[core][2] * share if core else 0)
    mean = 1e3 * mass / (rho * np.pi * (diameter / 2) ** 2)
    genuine_mean = 1e3 * mass / (skin[2] * np.pi * (diameter / 2) ** 2)
    half = share / 2
    layers = [-0.5, -0.17, 0.17, 0.5] if core is None else [-0.5, -half, 0.0, half, 0.5]
    cube = unit_cube(layers, cells)
    x, y, z = cube.p
    px, py = radius * x * np.sqrt(1 - y**2 / 2), radius * y * np.sqrt(1 - x**2 / 2)
    relative = 1.0 if is_flat else thickness_map(radius, rim, genuine_mean, sum(map(ord, coin)))(px, py)
    mesh = skfem.MeshHex(np.array([px, py, z * relative * mean / 1e3]), cube.t)
    basis = skfem.Basis(mesh, skfem.ElementVector(skfem.ElementHex2()), intorder=4)
    middle = np.abs(cube.p[2][cube.t].mean(axis=0))
    is_core = (middle < half) if core else np.zeros(mesh.nelements, bool)
    young, poisson, density = (np.where(is_core, METALS[core or metal][i], skin[i]) for i in range(3))
    young, density = young * 1e9, density * 1e3
    lame = young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    shear = young / (2 * (1 + poisson))
    at = lambda field: np.repeat(field[:, None], basis.X.shape[-1], axis=1)

    @skfem.BilinearForm
    def stiffness(u, v, w):
        strain = sym_grad(u)
        return ddot(w.lame * eye(trace(strain), 3) + 2 * w.shear * strain, sym_grad(v))

    @skfem.BilinearForm
    def inertia(u, v, w):
        return w.density * sum(u[i] * v[i] for i in range(3))

    k = stiffness.assemble(basis, lame=at(lame), shear=at(shear))
    m = inertia.assemble(basis, density=at(density))
    # The volume of the map is not quite that of the coin: thickness scales the mass, and the frequency with it.
    ones = np.zeros(basis.N)
    ones[basis.nodal_dofs[0]] = 1
    for dofs in (basis.edge_dofs, basis.facet_dofs, basis.interior_dofs):
        if dofs is not None and len(dofs):
            ones[dofs[::3]] = 1
    off = (ones @ (m @ ones)) * 1e3 / mass
    values, vectors = eigsh(k, MODES_UP_TO, m, sigma=-((2 * np.pi * 500) ** 2))
    hz = np.sqrt(np.maximum(values, 0)) / (2 * np.pi)
    heights = np.abs(cube.p[2])
    layer = heights < heights.min() + 1e-6
    found = []
    for f, v in sorted(zip(hz, vectors.T), key=lambda pair: pair[0]):
        name = mode_of(basis, v, radius, layer)
        if f > 100 and name:
            found.append((name, f / off))
    modes = {}
    for name, f in found:
        modes.setdefault(name, []).append(round(float(f), 1))
    conductivity = METALS[core][3] if core else skin[3]
    return {
        "densityGcc": round(rho, 3),
        "thicknessRatio": round(mean / genuine_mean, 4),
        "skinMm": round((1 - share) / 2 * mean, 3) if core else None,
        "conductivityMSm": conductivity,
        "q": METALS[core][4] if core and share > 0.7 else skin[4],
        "modesHz": {name: lines_of(name, lines) for name, lines in modes.items() if name in NAMED},
    }


NAMED = ("(2,0)", "(0,1)", "(3,0)", "(1,1)", "(4,0)")


def lines_of(name, lines):
    """One line of a mode that is round, else the two that the relief parts."""
    first, *more = sorted(lines)
    return [first, *[f for f in more[:1] if name[1] != "0" and f < 1.08 * first]]


def mode_of(basis, vector, radius, layer):
    """Nodal diameters and circles of a mode by how its middle moves; None for one that moves in its plane."""
    nodes = basis.nodal_dofs
    x, y, _ = basis.mesh.p
    u, v, w = (vector[nodes[i]] for i in range(3))
    if np.abs(w).max() < 2 * max(np.abs(u).max(), np.abs(v).max()) * 0.6:
        return None
    r, angle = np.hypot(x, y), np.arctan2(y, x)
    edge = layer & (r > 0.97 * radius)
    power = [abs(np.mean(w[edge] * np.exp(-1j * n * angle[edge]))) for n in range(8)]
    n = int(np.argmax(power))
    # Sign of the harmonic from the middle to the edge.
    rings = [layer & (r > a * radius) & (r <= (a + 0.17) * radius) for a in (0.12, 0.3, 0.47, 0.64, 0.83)]
    phase = np.mean(w[edge] * np.exp(-1j * n * angle[edge]))
    amplitudes = []
    for ring in rings:
        if ring.sum() >= 6:
            projected = np.mean(w[ring] * np.exp(-1j * n * angle[ring])) / phase
            amplitudes.append(projected.real)
    strong = [a for a in amplitudes if abs(a) > 0.05]
    circles = sum(1 for a, b in zip(strong, strong[1:]) if a * b < 0)
    return f"({n},{circles})"


def flat_disc(coin):
    """A disc of the coin's mass, diameter and metal without rim and relief: what the theory of plates is about."""
    mass, diameter, _, metal = COINS[coin]
    young, poisson, density = METALS[metal][:3]
    solid = {"youngGPa": young, "poisson": poisson, "densityGcc": density}
    modes = frequencies(coin, 0, None, 12, is_flat=True)["modesHz"]
    return {"massG": mass, "diameterMm": diameter, **solid, "modesHz": {n: float(np.mean(f)) for n, f in modes.items()}}


FLAT = ("gold-philharmonic", "silver-maple-leaf", "krugerrand")


def main():
    wanted = sys.argv[1:] or list(COINS)
    path = HERE / "fem-pieces.json"
    made = json.loads(path.read_text()) if path.exists() else {"coins": {}}
    made["versions"] = {"scikit-fem": skfem.__version__, "scipy": scipy.__version__, "numpy": np.__version__}
    made["flat"] = [flat_disc(coin) for coin in FLAT]
    for coin in wanted:
        metal = COINS[coin][3]
        fakes = FOR_SILVER if metal == "silver" else FOR_GOLD
        fine = frequencies(coin, 0, None, FINE)
        coarse = frequencies(coin, 0, None)["modesHz"]
        finer = {name: np.mean(lines) / np.mean(coarse[name]) for name, lines in fine["modesHz"].items()}
        pieces = [{"core": None, "share": None, **fine}]
        print(coin, fine["modesHz"], finer, flush=True)
        for core, share in fakes:
            piece = frequencies(coin, share, core)
            modes = {n: [round(f * finer[n], 1) for f in lines] for n, lines in piece["modesHz"].items()}
            pieces.append({"core": core, "share": share, **piece, "modesHz": modes})
            print(" ", core, share, piece["densityGcc"], modes.get("(2,0)"), flush=True)
        made["coins"][coin] = pieces
        path.write_text(json.dumps(made) + "\n")


if __name__ == "__main__":
    main()
