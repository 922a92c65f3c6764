/** Where in a picture a plot lies, pixels. */
export interface PlotArea {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** What runs along an axis. */
export interface AxisRange {
  readonly label: string;
  readonly from: number;
  readonly to: number;
}

/** Height of a line of text and what an axis keeps clear, pixels. */
const TICK = 5;

/**
 * Round numbers along an axis: multiples of 1, 2 or 5 times a power of ten.
 *
 * @param count how many there are about, at most
 * @example axisTicks(0, 950, 6) // [0, 200, 400, 600, 800]
 */
export function axisTicks(from: number, to: number, count: number): number[] {
  const least = (to - from) / count;
  const power = 10 ** Math.floor(Math.log10(least));
  const spacing = [1, 2, 5, 10].map(factor => factor * power).find(step => step >= least * (1 - 1e-9))!;
  const first = Math.ceil(from / spacing - 1e-9);
  const last = Math.floor(to / spacing + 1e-9);
  // Digits that the spacing has behind the point, so that no 0.30000000000000004 is drawn.
  const digits = Math.max(0, -Math.floor(Math.log10(spacing) + 1e-9));
  return Array.from({ length: last - first + 1 }, (_, k) => Number(((first + k) * spacing).toFixed(digits)));
}

/** Coordinates are written with a tenth of a pixel. */
export function pixels(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Frame, ticks and labels of a plot, as SVG elements. */
export function axesSvg(area: PlotArea, x: AxisRange, y: AxisRange): string {
  const { left, top, width, height } = area;
  const [right, bottom] = [left + width, top + height];
  const parts = [
    `<path class="axis" d="M${left} ${top}V${bottom}H${right}"/>`,
    `<text class="label" x="${pixels(left + width / 2)}" y="${bottom + 38}">${x.label}</text>`,
    `<text class="label" transform="translate(${left - 52} ${pixels(top + height / 2)}) rotate(-90)">${y.label}</text>`,
  ];
  for (const tick of axisTicks(x.from, x.to, 8)) {
    const at = pixels(left + ((tick - x.from) / (x.to - x.from)) * width);
    parts.push(`<path class="axis" d="M${at} ${bottom}v${TICK}"/>`);
    parts.push(`<text class="tick" x="${at}" y="${bottom + 19}">${tick}</text>`);
  }
  for (const tick of axisTicks(y.from, y.to, 5)) {
    const at = bottom - ((tick - y.from) / (y.to - y.from)) * height;
    parts.push(`<path class="axis" d="M${left} ${pixels(at)}h${-TICK}"/>`);
    parts.push(`<text class="tick side" x="${left - 9}" y="${pixels(at + 4)}">${tick}</text>`);
  }
  return parts.join('');
}

/** A whole picture: it carries its own styles, and neither scripts nor anything from elsewhere. */
export function pictureSvg(width: number, height: number, title: string, body: string): string {
  const style =
    'text{font:12px sans-serif;fill:#333}.label{font-size:13px;text-anchor:middle}' +
    '.tick{text-anchor:middle}.side{text-anchor:end}.title{font-size:15px;font-weight:bold}' +
    '.axis{stroke:#666;fill:none}';
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
    `role="img" aria-label="${title}"><style>${style}</style><rect width="100%" height="100%" fill="#fff"/>` +
    `<text class="title" x="20" y="26">${title}</text>${body}</svg>`
  );
}
