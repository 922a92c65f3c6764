"""Writes libs/engines/inference/src/branching-ratio.vectors.json: what the MR toolbox answers on four recordings.

    python3 -m venv "$VENV" && "$VENV"/bin/pip install -r requirements.txt
    "$VENV"/bin/python write_vectors.py > ../../../libs/engines/inference/src/branching-ratio.vectors.json

The toolbox corrects nothing for the length of a recording: its slopes and its fit are those before correction.
"""

import json
import sys
from contextlib import redirect_stdout
from importlib.metadata import version

import numpy as np

with redirect_stdout(sys.stderr):
    import mrestimator as mre

BINS, LAGS = 2_500, 40


def driven_branching(rng, ratio, mean, seen):
    activity, counts = rng.poisson(mean), []
    for t in range(-1_000, BINS):
        activity = rng.poisson(ratio * activity + mean * (1 - ratio))
        if t >= 0:
            counts.append(int(rng.binomial(activity, seen)))
    return counts


def main():
    rng = np.random.default_rng(2_018)
    for ratio, mean, seen in ((0.98, 40, 1.0), (0.98, 300, 0.1), (0.9, 40, 1.0), (0.5, 40, 1.0)):
        counts = driven_branching(rng, ratio, mean, seen)
        slopes = mre.coefficients(
            np.array(counts)[None, :], steps=(1, LAGS), dt=4, dtunit='ms', method='trialseparated', numboot=0
        )
        fit = mre.fit(slopes, fitfunc='exponential', numboot=0)
        yield dict(
            ratio=ratio, seen=seen, counts=counts, slopes=slopes.coefficients.tolist(), fitted=float(fit.mre),
            amplitude=float(fit.popt[1]),
        )


with redirect_stdout(sys.stderr):
    recordings = list(main())
source = f"mrestimator {version('mrestimator')} (BSD 3-clause licence), numpy {np.__version__}"
print(json.dumps(dict(source=source, recordings=recordings)))
