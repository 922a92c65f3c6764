"""Writes libs/engines/speckle/src/fingerprint.vectors.json: what numpy and scipy read out of pictures that are sums of waves.

    python3 -m venv "$VENV" && "$VENV"/bin/pip install -r requirements.txt
    "$VENV"/bin/python write_vectors.py > ../../../libs/engines/speckle/src/fingerprint.vectors.json
"""

import json

import numpy as np
import scipy

from fingerprint import MODALITIES, fingerprint, packed

WAVES, WIDTH, HEIGHT = 48, 300, 281


def picture_of(waves, mean, white_corner):
    """Bytes: mean + sum of amplitude * cos(2 pi (u x + v y) + phase), then the corner that is white, then the one that is grey."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    picture = np.full((HEIGHT, WIDTH), mean, float)
    for u, v, phase, amplitude in waves:
        picture += amplitude * np.cos(2 * np.pi * (u * x + v * y) + phase)
    picture = np.floor(np.clip(picture, 0, 255) + 0.5)
    if white_corner:
        picture[:90, :90] = 255
        picture[-80:, -80:] = 100
    return picture


def vectors():
    rng = np.random.default_rng(9)
    for modality, (frequency, _, _) in MODALITIES.items():
        for white_corner in (False, True):
            waves = [
                [round(float(f * np.cos(a)), 5), round(float(f * np.sin(a)), 5), round(float(p), 4), round(float(s), 2)]
                for f, a, p, s in zip(
                    rng.uniform(0.3, 1.9, WAVES) * frequency, rng.uniform(0, np.pi, WAVES),
                    rng.uniform(0, 2 * np.pi, WAVES), rng.uniform(2, 9, WAVES),
                )
            ]
            read = fingerprint(picture_of(waves, 120, white_corner), modality)
            yield dict(
                modality=modality, mean=120, whiteCorner=white_corner, waves=waves,
                bitsHex=packed(read['bits']), maskHex=packed(read['mask']),
                **{name: read[name] for name in ('contrast', 'speckleSizePx', 'saturatedPct')},
            )


print(json.dumps(dict(
    source=f'numpy {np.__version__}, scipy {scipy.__version__}', width=WIDTH, height=HEIGHT, vectors=list(vectors()),
)))
