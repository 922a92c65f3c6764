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
  'any direction': { noise: 0.1, rotationDeg: random => random.uniform(-180, 180) },
  'scale of 0.7 to 1.4': { noise: 0.1, scale: random => random.uniform(0.7, 1.4) },
  'light from one side': { noise: 0.1, gradient: () => 0.5 },
  'JPEG 50': { noise: 0.1, jpeg: 50 },
  'all at once': {
    noise: 0.1,
    correlation: 0.9,
    jpeg: 80,
    gradient: random => random.uniform(-0.4, 0.4),
    rotationDeg: random => random.uniform(-180, 180),
    scale: random => random.uniform(0.7, 1.4),
    ...shifts(40),
  },
};

/**
 * How a tile of a photograph is seen again: bounds that a pose is drawn from, the deviation of the noise in grey values of 255, which
 * the enrolled picture has too, and a quality of JPEG.
 *
 * @type {Record<string, { noise: number, jpeg?: number, [pose: string]: unknown }>}
 */
export const PHOTOGRAPHED = {
  'as it lies': { noise: 2, shiftXPx: [-10, 10], shiftYPx: [-10, 10] },
  'any direction': { noise: 2, rotationDeg: [-180, 180] },
  'scale of 0.7 to 1.4': { noise: 2, scale: [0.7, 1.4] },
  'any pose': { noise: 2, ...anyPose() },
  'any pose, noise of 5': { noise: 5, ...anyPose() },
  'any pose, JPEG 70': { noise: 2, jpeg: 70, ...anyPose() },
};

function anyPose() {
  return { rotationDeg: [-180, 180], scale: [0.7, 1.4], shiftXPx: [-30, 30], shiftYPx: [-30, 30] };
}

function shifts(reachPx) {
  const draw = random => random.uniform(-reachPx, reachPx);
  return { shiftXPx: draw, shiftYPx: draw };
}
