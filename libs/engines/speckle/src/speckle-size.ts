import type { ComplexFft2d } from '@svc/kernels';

/**
 * Width of the autocorrelation at half its height, the mean of both axes; the side of the picture where it never falls so far.
 * By Wiener and Khinchin: the plane's data is the spectrum of the picture, and its autocorrelation afterwards.
 */
export function speckleSizeOf(plane: ComplexFft2d): number {
  const { data, width, height } = plane;
  for (let i = 0; i < data.length; i += 2) {
    data[i] = data[i] * data[i] + data[i + 1] * data[i + 1];
    data[i + 1] = 0;
  }
  // The mean is no structure.
  data[0] = 0;
  plane.inverse();
  const alongX = halfWidth(lag => data[2 * lag], width / 2);
  const alongY = halfWidth(lag => data[2 * lag * width], height / 2);
  return alongX + alongY;
}

/** Lag at which the correlation has fallen to half, between two lags by the line through them. */
function halfWidth(correlationAt: (lag: number) => number, lagMax: number): number {
  const half = correlationAt(0) / 2;
  let before = correlationAt(0);
  for (let lag = 1; lag < lagMax; lag++) {
    const here = correlationAt(lag);
    if (here <= half) return before > here ? lag - 1 + (before - half) / (before - here) : lag;
    before = here;
  }
  return lagMax;
}
