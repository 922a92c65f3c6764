/** Pixels a side of the square that a fingerprint is read from. */
export const PATCH_PX = 256;
/** Between the points at which the filters are read. */
export const GRID_STEP_PX = 8;
/** Points a side: the first and the last lie one step inside the patch. */
export const GRID_POINTS = PATCH_PX / GRID_STEP_PX - 1;
/** Of the filters, turned from the x axis towards the y axis. */
export const ORIENTATIONS_RAD = [0, Math.PI / 2] as const;
/** Orientation by orientation, row by row. */
export const FINGERPRINT_BITS = ORIENTATIONS_RAD.length * GRID_POINTS * GRID_POINTS;

/** What a surface was pictured by: coherent light, light through paper or from it, light along a rough surface. */
export const MODALITIES = ['laser_speckle', 'paper_texture', 'surface_texture'] as const;
export type SpeckleModality = (typeof MODALITIES)[number];

/** How the pictures of one kind of surface are read, and how far two surfaces of the kind are apart. */
export interface ModalityParameters {
  /** Centre of the Gabor filters, cycles a pixel: where the structure of the surface has its strength. */
  readonly centreFrequency: number;
  /** Standard deviation of the filters in the frequency plane, cycles a pixel. */
  readonly bandwidth: number;
  /** Half the side of the box, applied twice, whose mean is taken off and whose deviation is divided by. */
  readonly neighbourhoodPx: number;
  /** Standard deviation by mean below which a neighbourhood is flat: nothing but noise is left there. */
  readonly flatContrast: number;
  /** Standard deviation by mean of the whole patch below which nothing is said. */
  readonly lowContrast: number;
  /**
   * p(1 − p)/σ² of the distances of different surfaces (Daugman, “The importance of being random”, Pattern Recognition 36,
   * 2003): how many independent throws of a coin the bits are worth. By simulation; `bench/speckle` measures it again.
   */
  readonly degreesOfFreedom: number;
}

const PARAMETERS: Readonly<Record<SpeckleModality, ModalityParameters>> = {
  laser_speckle: {
    centreFrequency: 1 / 10,
    bandwidth: 0.4 / 10,
    neighbourhoodPx: 10,
    flatContrast: 0.1,
    lowContrast: 0.2,
    degreesOfFreedom: 1_600,
  },
  paper_texture: {
    centreFrequency: 1 / 12,
    bandwidth: 0.4 / 12,
    neighbourhoodPx: 12,
    flatContrast: 0.01,
    lowContrast: 0.02,
    degreesOfFreedom: 1_100,
  },
  surface_texture: {
    centreFrequency: 1 / 12,
    bandwidth: 0.4 / 12,
    neighbourhoodPx: 12,
    flatContrast: 0.01,
    lowContrast: 0.02,
    degreesOfFreedom: 1_200,
  },
};

/** @throws RangeError for a modality that there is none of */
export function parametersOf(modality: SpeckleModality): ModalityParameters {
  const parameters = PARAMETERS[modality];
  if (!parameters) throw new RangeError(`modality must be one of ${MODALITIES.join(', ')}, got ${modality}`);
  return parameters;
}
