import type { RingPeak } from '../ring-peak.js';
import type { RingSpectrum } from '../ring/analyse-ring.js';

/** A line to draw where a mode is expected. */
export interface ExpectedMode {
  readonly label: string;
  readonly frequencyHz: number;
}

const WIDTH = 960;
const HEIGHT = 360;
const MARGIN = { left: 52, right: 16, top: 40, bottom: 40 };
const FLOOR_DB = -100;
/** The axis ends a little above the highest mode. */
const HEADROOM = 1.12;
const FREQUENCY_HZ_MIN = 4_000;
/** No sample rate that is read has more; a mark beyond it is left out, or the axis would have no end of figures. */
const FREQUENCY_HZ_MAX = 96_000;
const EXPECTED_MAX = 64;
const PEAKS_MAX = 32;

/**
 * Picture of a spectrum as SVG: levels by frequency, what was heard (dots) and where modes are expected (dashed lines).
 * Text and numbers alone, no script and nothing from elsewhere; labels are escaped.
 *
 * @param spectrum null where the peaks were measured by the caller: the peaks stand as bars then
 */
export function spectrumSvg(
  spectrum: RingSpectrum | null,
  peaks: readonly Pick<RingPeak, 'frequencyHz' | 'levelDb'>[],
  expected: readonly ExpectedMode[] = [],
): string {
  const isOnAxis = ({ frequencyHz }: { frequencyHz: number }) =>
    frequencyHz >= 0 && frequencyHz <= FREQUENCY_HZ_MAX;
  const marked = expected.filter(isOnAxis).slice(0, EXPECTED_MAX);
  const dots = peaks.filter(isOnAxis).slice(0, PEAKS_MAX);
  const highest = Math.max(FREQUENCY_HZ_MIN, ...[...marked, ...dots].map(({ frequencyHz }) => frequencyHz));
  const maxHz = highest * HEADROOM;
  const x = (hz: number) => MARGIN.left + (hz / maxHz) * (WIDTH - MARGIN.left - MARGIN.right);
  const y = (db: number) =>
    MARGIN.top + (Math.min(0, Math.max(FLOOR_DB, db)) / FLOOR_DB) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif" font-size="11" role="img">`,
    '<title>Spectrum of the ring</title>',
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    ...axes(maxHz, x, y),
    ...marked.map(({ label, frequencyHz }) => expectedMark(label, x(frequencyHz), y)),
    spectrum ? curve(spectrum, maxHz, x, y) : '',
    ...dots.map(({ frequencyHz, levelDb }) => peakMark(x(frequencyHz), levelDb, y, spectrum === null)),
    '</svg>',
  ].join('');
}

type Scale = (value: number) => number;

function axes(maxHz: number, x: Scale, y: Scale): string[] {
  const stepHz = maxHz > 30_000 ? 10_000 : maxHz > 12_000 ? 2_000 : 1_000;
  const parts: string[] = [];
  for (let hz = 0; hz <= maxHz; hz += stepHz) {
    const at = fixed(x(hz));
    parts.push(`<path d="M${at} ${fixed(y(0))}V${fixed(y(FLOOR_DB))}" stroke="#eee"/>`);
    parts.push(`<text x="${at}" y="${HEIGHT - 22}" text-anchor="middle" fill="#555">${hz / 1_000}</text>`);
  }
  for (let db = 0; db >= FLOOR_DB; db -= 20) {
    const at = fixed(y(db));
    parts.push(`<path d="M${MARGIN.left} ${at}H${WIDTH - MARGIN.right}" stroke="#eee"/>`);
    parts.push(`<text x="${MARGIN.left - 6}" y="${at}" dy="4" text-anchor="end" fill="#555">${db}</text>`);
  }
  parts.push(`<text x="${WIDTH / 2}" y="${HEIGHT - 6}" text-anchor="middle" fill="#555">kHz</text>`);
  parts.push(`<text x="${MARGIN.left - 6}" y="14" text-anchor="end" fill="#555">dB</text>`);
  return parts;
}

/** The highest bin of each half pixel: no peak is lost between two points. */
function curve({ binHz, levelsDb }: RingSpectrum, maxHz: number, x: Scale, y: Scale): string {
  const columns = 2 * (WIDTH - MARGIN.left - MARGIN.right);
  const points: string[] = [];
  for (let column = 0; column < columns; column++) {
    const from = Math.floor((column / columns) * (maxHz / binHz));
    const to = Math.min(
      levelsDb.length,
      Math.max(from + 1, Math.ceil(((column + 1) / columns) * (maxHz / binHz))),
    );
    if (from >= to) break;
    let highest = -Infinity;
    for (let bin = from; bin < to; bin++) highest = Math.max(highest, levelsDb[bin]);
    points.push(`${fixed(x(((column + 0.5) / columns) * maxHz))} ${fixed(y(highest))}`);
  }
  return `<path d="M${points.join('L')}" fill="none" stroke="#1f5fa8"/>`;
}

function expectedMark(label: string, at: number, y: Scale): string {
  const x = fixed(at);
  return (
    `<path d="M${x} ${fixed(y(0))}V${fixed(y(FLOOR_DB))}" stroke="#c26a00" stroke-dasharray="4 3"/>` +
    `<text x="${x}" y="${MARGIN.top - 8}" text-anchor="middle" fill="#c26a00">${escapeXml(label)}</text>`
  );
}

function peakMark(at: number, levelDb: number, y: Scale, isBar: boolean): string {
  const bar = isBar
    ? `<path d="M${fixed(at)} ${fixed(y(levelDb))}V${fixed(y(FLOOR_DB))}" stroke="#1f5fa8"/>`
    : '';
  return `${bar}<circle cx="${fixed(at)}" cy="${fixed(y(levelDb))}" r="3" fill="#b3261e"/>`;
}

function fixed(value: number): string {
  return Number.isFinite(value) ? value.toFixed(1) : '0';
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as XML, without the control characters that XML cannot hold. */
function escapeXml(text: string): string {
  return [...text]
    .filter(character => character >= ' ')
    .map(character => ESCAPES[character] ?? character)
    .join('');
}
