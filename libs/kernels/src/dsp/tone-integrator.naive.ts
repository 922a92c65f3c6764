/** I = Σ x[n]·cos(2πf·n/fs) and Q = −Σ x[n]·sin(2πf·n/fs) over start ≤ n < end. */
export function naiveToneSums(
  samples: ArrayLike<number>,
  cyclesPerSample: number,
  start: number,
  end: number,
): [inPhase: number, quadrature: number] {
  let inPhase = 0;
  let quadrature = 0;
  for (let n = start; n < end; n++) {
    const angle = 2 * Math.PI * ((cyclesPerSample * n) % 1);
    inPhase += samples[n] * Math.cos(angle);
    quadrature -= samples[n] * Math.sin(angle);
  }
  return [inPhase, quadrature];
}
