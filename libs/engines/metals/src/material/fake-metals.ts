/** A metal that pieces are faked in, or a family of alloys that are made in several densities. */
export interface FakeMetal {
  /** As a verdict names it. */
  readonly name: string;
  /** Lightest and heaviest, g/cm³. */
  readonly densityGcc: readonly [min: number, max: number];
  /** Young's modulus of the lightest and of the heaviest, GPa. */
  readonly youngGPa: readonly [lightest: number, heaviest: number];
  readonly poisson: number;
  /** Least and most, megasiemens per metre at 20 °C. */
  readonly conductivityMSm: readonly [min: number, max: number];
  /** A magnet sticks to it. */
  readonly isMagnetic?: true;
  /** It is found as a core under a thick skin, and not plated alone. */
  readonly isCore?: true;
  /** It is taken for its density, where that comes near the piece's. */
  readonly isMadeToWeigh?: true;
  /** It dies away at once: no ring that is clear enough for a verdict comes from it. */
  readonly isDull?: true;
  readonly source: string;
}

const ELEMENTS = 'Wikipedia, Elastic properties of the elements';
const METER = 'gold-analytix.de, reference values of conductivity meters, and the manual of one';

/** What gold, silver, platinum and palladium are faked in, as dealers and makers of testers name it. */
export const FAKE_METALS: readonly FakeMetal[] = [
  {
    ...{ name: 'tungsten', densityGcc: [19.25, 19.25], youngGPa: [411, 411], poisson: 0.28 },
    ...{ conductivityMSm: [17.5, 19], isCore: true },
    source: `E 411, ν 0.28, ρ 19.25: ${ELEMENTS}; 18.8 MS/m: ${METER}`,
  },
  {
    ...{ name: 'tungsten alloy', densityGcc: [16.8, 18.7], youngGPa: [290, 380], poisson: 0.29 },
    ...{ conductivityMSm: [6, 11], isCore: true, isMadeToWeigh: true },
    source: 'tungsten with nickel, copper and iron, ASTM B777 classes 1 to 4; 17 % IACS: makeitfrom.com',
  },
  {
    ...{ name: 'tungsten–copper', densityGcc: [11.8, 16.8], youngGPa: [160, 280], poisson: 0.3 },
    ...{ conductivityMSm: [18, 32], isMadeToWeigh: true },
    source: `E by volumes of the constituents; 20 to 28 MS/m: ${METER}`,
  },
  {
    ...{ name: 'lead', densityGcc: [11.34, 11.34], youngGPa: [16, 16], poisson: 0.44 },
    ...{ conductivityMSm: [4.5, 5], isDull: true },
    source: `E 16, ν 0.44, ρ 11.34: ${ELEMENTS}; 4.8 MS/m: ${METER}`,
  },
  {
    ...{ name: 'lead–tin', densityGcc: [8.4, 11.2], youngGPa: [30, 19], poisson: 0.4 },
    ...{ conductivityMSm: [4.5, 7], isDull: true },
    source: 'solders from Sn63Pb37 to Pb95Sn5: makers’ tables of density, modulus and % IACS',
  },
  {
    ...{ name: 'silver', densityGcc: [10.49, 10.49], youngGPa: [83, 83], poisson: 0.37 },
    conductivityMSm: [45, 64],
    source: `E 83, ν 0.37: ${ELEMENTS}; 47 to 64 MS/m by fineness: ${METER}`,
  },
  {
    ...{ name: 'copper', densityGcc: [8.96, 8.96], youngGPa: [130, 130], poisson: 0.34 },
    ...{ conductivityMSm: [41, 59], isCore: true },
    source: `E 130, ν 0.34: ${ELEMENTS}; 58 MS/m, alloys from 41: ${METER}`,
  },
  {
    ...{ name: 'brass', densityGcc: [8.4, 8.8], youngGPa: [97, 117], poisson: 0.35 },
    conductivityMSm: [9, 33],
    source: `E 97 to 117 from yellow to red brass: Copper Development Association; 13 to 33 MS/m: ${METER}`,
  },
  {
    ...{ name: 'nickel silver', densityGcc: [8.6, 8.95], youngGPa: [125, 150], poisson: 0.33 },
    conductivityMSm: [2.5, 5.5],
    source: 'alloys of copper and nickel with zinc or without: Copper Development Association',
  },
  {
    ...{ name: 'steel', densityGcc: [7.75, 7.87], youngGPa: [200, 210], poisson: 0.29 },
    ...{ conductivityMSm: [4, 10.5], isMagnetic: true },
    source: `iron: ${ELEMENTS}; carbon steels 12 to 18 % IACS: tables of electromagnetic testing`,
  },
  {
    ...{ name: 'stainless steel', densityGcc: [7.9, 8.03], youngGPa: [193, 200], poisson: 0.29 },
    conductivityMSm: [1, 2],
    source: `austenitic steels; below 2 MS/m: ${METER}`,
  },
];
