"""Writes libs/engines/inference/src/inference.vectors.json: what numpy, scipy and mpmath answer.

    python3 -m venv "$VENV" && "$VENV"/bin/pip install -r requirements.txt
    "$VENV"/bin/python write_vectors.py > ../../../libs/engines/inference/src/inference.vectors.json

Parcels are computed with dense matrices and their inverses; gamma functions with 40 digits.
"""

import json

import mpmath
import numpy as np
import scipy
from scipy import stats

mpmath.mp.dps = 40
Q, SIGMA, STEP, MEDIAN, DEVIATION = 0.1, 0.25, 0.5, 20.0, 1.0


def parcel(contour, conductivity=None):
    z = np.array(contour, float)
    n = len(z)
    L = np.diff(np.eye(n), n=2, axis=0)
    P = np.eye(n) / SIGMA**2 + L.T @ L / Q**2
    covariance = np.linalg.inv(P)
    mu = covariance @ z / SIGMA**2
    energy = 0.5 * ((z - mu) @ (z - mu)) / SIGMA**2 + 0.5 * ((L @ mu) @ (L @ mu)) / Q**2
    # The evidence from the other side: the distribution of the second differences themselves.
    evidence = -stats.multivariate_normal(np.zeros(n - 2), Q**2 * np.eye(n - 2) + SIGMA**2 * L @ L.T).logpdf(L @ z)
    samples = n - 2
    if conductivity is not None:
        soil = stats.norm(np.log(MEDIAN), DEVIATION)
        energy += 0.5 * ((np.log(conductivity) - np.log(MEDIAN)) / DEVIATION) ** 2
        evidence -= soil.logpdf(np.log(conductivity))
        samples += 1
    variance = np.diag(covariance)
    Pi = np.diag(1 / (variance + SIGMA**2))
    D = np.diff(np.eye(n), axis=0)
    u = np.linalg.solve(Pi + D.T @ D / STEP**2, Pi @ mu)
    answer = dict(
        variationalFreeEnergy=energy / samples, negLogEvidence=evidence, samples=samples,
        adaptingUpTo=stats.chi2(samples).isf(0.01) / (2 * samples), posteriorMeanM=mu.tolist(),
        posteriorDeviationM=np.sqrt(variance).tolist(), optimalTrajectoryM=u.tolist(),
    )
    given = dict(elevationContour=list(map(float, contour)))
    if conductivity is not None:
        given['soilConductivity'] = conductivity
    return dict(input=given, answer=answer)


def parcels():
    rng = np.random.default_rng(4_711)
    yield parcel([0, 0, 1])
    yield parcel([3.5, 3.5, 3.5, 3.5])
    yield parcel([101.2, 101.4, 101.5, 101.9], 35.0)
    yield parcel([10, 12, 9, 14, 8, 15], 0.4)
    for n, slope in ((7, 0.3), (30, -2.0), (80, 0.05)):
        ground = np.cumsum(np.cumsum(rng.normal(0, Q, n)) + slope) + 250
        yield parcel(np.round(ground + rng.normal(0, SIGMA, n), 4), float(np.round(rng.lognormal(3, 1), 3)))


def student():
    for degrees in (1, 2, 3.5, 10, 100, 12_345, 1e8):
        for z in (0.0, 0.7, -3.0, 40.0, 1e6):
            location, scale = 7.25, 0.03
            x = location + scale * z
            exact = mpmath.log(
                mpmath.gamma((mpmath.mpf(degrees) + 1) / 2) / mpmath.gamma(mpmath.mpf(degrees) / 2)
                / mpmath.sqrt(mpmath.pi * degrees) / scale
            ) if degrees < 1e7 else (
                mpmath.loggamma((mpmath.mpf(degrees) + 1) / 2) - mpmath.loggamma(mpmath.mpf(degrees) / 2)
                - mpmath.log(mpmath.pi * degrees) / 2 - mpmath.log(scale)
            )
            r = (mpmath.mpf(x) - mpmath.mpf(location)) / mpmath.mpf(scale)
            exact -= (mpmath.mpf(degrees) + 1) / 2 * mpmath.log1p(r * r / mpmath.mpf(degrees))
            assert np.isclose(float(exact), stats.t(degrees, location, scale).logpdf(x), rtol=1e-6)
            yield dict(x=x, location=location, scale=scale, degrees=degrees, logDensity=float(exact))


def surprisals():
    rng = np.random.default_rng(1_667)
    values = np.round(np.log(1_700) + rng.normal(0, 0.05, 30), 6)
    degrees, deviation = 1, 0.1
    out = []
    for n in range(1, len(values)):
        history = values[:n]
        nu = degrees + n - 1
        squares = degrees * deviation**2 + ((history - history.mean()) ** 2).sum()
        t = stats.t(nu, history.mean(), np.sqrt(squares / nu * (1 + 1 / n)))
        out.append(-t.logpdf(values[n]))
    return dict(values=values.tolist(), surprisals=out)


print(json.dumps(dict(
    source=f'numpy {np.__version__}, scipy {scipy.__version__}, mpmath {mpmath.__version__}',
    parcels=list(parcels()),
    chiSquare=[
        dict(degrees=d, upper=p, point=float(stats.chi2.isf(p, d)))
        for d in (1, 2, 3, 5, 10, 29, 30, 31, 100, 1_000, 99_998, 1_000_000) for p in (1e-6, 0.01, 0.05, 0.5, 0.99)
    ],
    chiSquareTails=[
        dict(degrees=d, x=d * f, lower=float(stats.chi2.cdf(d * f, d)), upper=float(stats.chi2.sf(d * f, d)))
        for d in (1, 2, 7, 40, 500, 20_000) for f in (0.1, 0.9, 1.0, 1.05, 3.0)
    ],
    logGamma=[
        dict(x=x, value=float(mpmath.loggamma(mpmath.mpf(x)))) for x in
        (1e-9, 0.1, 0.5, 1, 1.5, 2, 3.7, 14.999, 15, 15.5, 100.25, 1e5, 1e12)
    ],
    logGammaHalfStep=[
        dict(x=x, value=float(mpmath.loggamma(mpmath.mpf(x) + mpmath.mpf('0.5')) - mpmath.loggamma(mpmath.mpf(x))))
        for x in (0.25, 0.5, 1, 3.7, 14.99, 15, 200, 1e5, 1e9)
    ],
    student=list(student()),
    studentPoints=[dict(degrees=d, point=float(stats.t.isf(0.025, d))) for d in (9, 19)],
    surprisal=surprisals(),
)))
