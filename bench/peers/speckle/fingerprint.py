"""The fingerprint of a surface by definition, in 64 bits: filters as convolutions in space, box means by scipy.

Written from the description of the format alone, as a second opinion on libs/engines/speckle.
"""

import numpy as np
from scipy import ndimage, signal

PATCH, STEP, POINTS, LIMIT, DARKNESS, WHITE = 256, 8, 31, 4.0, 0.5, 254.5
SIGHT, SPOILT_SHARE_MAX, WEAK, TAPER = 6, 0.25, 0.1, 8
# Frequency of the filters, half a side of the box, contrast of a flat neighbourhood.
MODALITIES = dict(
    laser_speckle=(1 / 10, 10, 0.1), paper_texture=(1 / 12, 12, 0.01), surface_texture=(1 / 12, 12, 0.01)
)


def box_mean(picture, half):
    """Of the pixels that there are: the box narrows at the edges."""
    side = 2 * half + 1
    total = ndimage.uniform_filter(picture, side, mode='constant')
    return total / ndimage.uniform_filter(np.ones_like(picture), side, mode='constant')


def tent_mean(picture, half):
    return box_mean(box_mean(picture, half), half)


def normalise(picture, half, flat_contrast):
    mean = tent_mean(picture, half)
    difference = picture - mean
    deviation = np.sqrt(np.maximum(tent_mean(difference**2, half), 0))
    floor = flat_contrast * (mean + DARKNESS)
    values = np.clip(difference / np.maximum(deviation, floor), -LIMIT, LIMIT)
    near = box_mean(difference**2, half // 2) - box_mean(difference, half // 2) ** 2
    contrast = np.sqrt(np.mean(difference**2 / (mean**2 + DARKNESS**2)))
    return values, near < floor**2, contrast


def taper():
    inside = np.minimum(np.arange(PATCH), PATCH - 1 - np.arange(PATCH)) + 0.5
    return np.where(inside >= TAPER, 1, 0.5 - 0.5 * np.cos(np.pi * inside / TAPER))


def half_width(line):
    """Lag at which the autocorrelation has fallen to half."""
    below = np.flatnonzero(line <= line[0] / 2)[0]
    return below - 1 + (line[below - 1] - line[0] / 2) / (line[below - 1] - line[below])


def fingerprint(picture, modality):
    """Of the 256 x 256 pixels in the middle of the picture, 0 to 255."""
    frequency, half, flat_contrast = MODALITIES[modality]
    top, left = (np.array(picture.shape) - PATCH) // 2
    patch = picture[top:top + PATCH, left:left + PATCH].astype(float)
    values, flat, contrast = normalise(patch, half, flat_contrast)
    tapered = values * np.outer(taper(), taper())

    deviation = 1 / (2 * np.pi * 0.4 * frequency)
    reach = np.arange(-int(8 * deviation), int(8 * deviation) + 1)
    gauss = np.exp(-(reach**2) / (2 * deviation**2)) / (np.sqrt(2 * np.pi) * deviation)
    sine = gauss * np.sin(2 * np.pi * frequency * reach)
    points = slice(STEP, PATCH - STEP + 1, STEP)
    around = np.pad(tapered, reach[-1], mode='wrap')
    along_x = signal.convolve(around, np.outer(gauss, sine), mode='valid')[points, points]
    along_y = signal.convolve(around, np.outer(sine, gauss), mode='valid')[points, points]
    responses = np.concatenate([along_x.ravel(), along_y.ravel()])

    white = patch >= WHITE
    spoilt = ndimage.uniform_filter((white | flat).astype(float), 2 * SIGHT + 1, mode='constant')[points, points]
    clear = np.tile(spoilt.ravel() <= SPOILT_SHARE_MAX + 1e-9, 2)
    magnitudes = np.sort(np.abs(responses))
    median = magnitudes[len(magnitudes) // 2]

    correlation = np.fft.ifft2(np.abs(np.fft.fft2(tapered - tapered.mean())) ** 2).real
    return dict(
        bits=responses > 0,
        mask=clear & (np.abs(responses) > WEAK * median),
        reliability=np.abs(responses) / median,
        contrast=float(contrast),
        speckleSizePx=float(half_width(correlation[0, : PATCH // 2]) + half_width(correlation[: PATCH // 2, 0])),
        saturatedPct=float(100 * white.mean()),
    )


def packed(flags):
    return np.packbits(flags).tobytes().hex()
