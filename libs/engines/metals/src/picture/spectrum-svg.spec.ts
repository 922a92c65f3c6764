import fc from 'fast-check';
import { spectrumSvg } from './spectrum-svg.js';

const spectrum = {
  binHz: 48_000 / 16_384,
  levelsDb: Float32Array.from({ length: 8_193 }, (_, k) => (Math.abs(k - 3_000) < 2 ? 0 : -70)),
};

/** Tags of a document, opened and closed in order; throws where they do not nest. */
function elements(svg: string): string[] {
  const open: string[] = [];
  const names: string[] = [];
  for (const [, close, name, rest] of svg.matchAll(/<(\/?)([a-zA-Z]+)((?:"[^"]*"|[^">])*)>/g)) {
    if (close) {
      if (open.pop() !== name) throw new Error(`</${name}> closes another element`);
    } else {
      names.push(name);
      if (!rest.endsWith('/')) open.push(name);
    }
  }
  if (open.length > 0) throw new Error(`${open.join()} stays open`);
  return names;
}

describe('spectrumSvg', () => {
  it('draws the curve, a dot for each peak and a line for each expected mode, where they are', () => {
    const peaks = [{ frequencyHz: 8_789, levelDb: 0 }];
    const svg = spectrumSvg(spectrum, peaks, [
      { label: '(2,0)', frequencyHz: 4_376 },
      { label: '(3,0)', frequencyHz: 10_609 },
    ]);
    const names = elements(svg);
    expect(names.filter(name => name === 'circle')).toHaveLength(1);
    expect(svg.match(/stroke-dasharray/g)).toHaveLength(2);
    const dot = Number(/<circle cx="([\d.]+)"/.exec(svg)![1]);
    const marks = [...svg.matchAll(/<path d="M([\d.]+) [^"]*" stroke="#c26a00"/g)].map(([, x]) => Number(x));
    expect((dot - marks[0]) / (marks[1] - marks[0])).toBeCloseTo((8_789 - 4_376) / (10_609 - 4_376), 3);
  });

  it('shows the narrowest peak of the curve', () => {
    const curve = /<path d="([^"]*)" fill="none"/.exec(
      spectrumSvg(spectrum, [{ frequencyHz: 9_000, levelDb: 0 }]),
    )![1];
    const heights = [...curve.matchAll(/ ([\d.]+)/g)].map(([, y]) => Number(y));
    expect(Math.min(...heights)).toBeLessThan(Math.max(...heights) / 2);
  });

  it('stays well-formed, without script, whatever a label says and a number is', () => {
    const anything = fc.oneof(fc.double(), fc.integer(), fc.constant(NaN), fc.constant(Infinity));
    const label = fc.oneof(fc.string(), fc.constant('</text><script>alert(1)</script>"\'&\0'));
    fc.assert(
      fc.property(fc.array(fc.tuple(label, anything, anything)), rows => {
        const svg = spectrumSvg(
          null,
          rows.map(([, frequencyHz, levelDb]) => ({ frequencyHz, levelDb })),
          rows.map(([text, frequencyHz]) => ({ label: text, frequencyHz })),
        );
        expect(new Set(elements(svg))).not.toContain('script');
        expect(svg).not.toMatch(/NaN|Infinity/);
        expect(svg).not.toMatch(/&(?!(amp|lt|gt|quot|#39);)/);
        expect(svg.length).toBeLessThan(100_000);
      }),
      { numRuns: 200 },
    );
  });
});
