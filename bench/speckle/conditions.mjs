/**
 * How a surface is seen again. `noise` is a part of the structure’s contrast; a function draws its value for each picture.
 * `jpeg` is a quality.
 *
 * @type {Record<string, { noise?: number, correlation?: number, shiftXPx?: (random) => number, [option: string]: unknown }>}
 */
export const CONDITIONS = {
  'noise 0.05': { noise: 0.05 },
  'noise 0.1': { noise: 0.1 },
  'noise 0.2': { noise: 0.2 },
  'ρ 0.98': { noise: 0.1, correlation: 0.98 },
  'ρ 0.9': { noise: 0.1, correlation: 0.9 },
  'ρ 0.8': { noise: 0.1, correlation: 0.8 },
  'shift of up to 60 px': { noise: 0.1, ...shifts(60) },
  'shift of 1 px': { noise: 0.1, shiftXPx: () => 1 },
  'rotation of up to 3°': { noise: 0.1, rotationDeg: random => random.uniform(-3, 3) },
  'light from one side': { noise: 0.1, gradient: () => 0.5 },
  'JPEG 50': { noise: 0.1, jpeg: 50 },
  'all at once': {
    noise: 0.1,
    correlation: 0.9,
    jpeg: 80,
    gradient: random => random.uniform(-0.4, 0.4),
    rotationDeg: random => random.uniform(-3, 3),
    ...shifts(60),
  },
};

function shifts(reachPx) {
  const draw = random => random.uniform(-reachPx, reachPx);
  return { shiftXPx: draw, shiftYPx: draw };
}
