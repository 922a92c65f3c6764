import { TOOLS } from '@svc/contracts';
import {
  CONDUCTIVITY_MS_PER_M_MAX,
  CONDUCTIVITY_MS_PER_M_MIN,
  CONTOUR_POINTS_MAX,
  CONTOUR_POINTS_MIN,
  ELEVATION_M_MAX,
  evaluateParcel,
} from '@svc/inference';
import { z } from 'zod';

interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Bounds;
}

// What fits the schema is sold: the engine would refuse it only when it has been paid for.
describe('the inputs of a parcel that are published', () => {
  const { properties } = z.toJSONSchema(TOOLS.evaluate_spatial_parcel_fep.input) as unknown as {
    properties: Readonly<Record<'elevationContour' | 'soilConductivity', Bounds>>;
  };
  const { elevationContour, soilConductivity } = properties;

  it('are all evaluated', () => {
    expect(soilConductivity.minimum).toBeGreaterThanOrEqual(CONDUCTIVITY_MS_PER_M_MIN);
    expect(soilConductivity.maximum).toBeLessThanOrEqual(CONDUCTIVITY_MS_PER_M_MAX);
    expect(elevationContour.minItems).toBeGreaterThanOrEqual(CONTOUR_POINTS_MIN);
    expect(elevationContour.maxItems).toBeLessThanOrEqual(CONTOUR_POINTS_MAX);
    expect(elevationContour.items!.minimum).toBeGreaterThanOrEqual(-ELEVATION_M_MAX);
    expect(elevationContour.items!.maximum).toBeLessThanOrEqual(ELEVATION_M_MAX);
  });

  it.each([soilConductivity.minimum!, soilConductivity.maximum!])(
    'at their ends too: %s mS/m',
    conductivity => {
      const { minimum, maximum } = elevationContour.items!;
      const contour = [minimum!, maximum!, minimum!];
      expect(evaluateParcel({ elevationContour: contour, soilConductivity: conductivity })).toMatchObject({
        homeostaticStatus: 'DIVERGENT',
      });
    },
  );
});
