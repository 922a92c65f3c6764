import { EXCITATORY_SHARE } from './model-constants.js';
import { axesSvg, pictureSvg, pixels, type PlotArea } from './plot-axes.js';
import type { RasterSpike } from './simulation.js';

/** What a raster is drawn from. */
export interface RasterPlot {
  readonly raster: readonly RasterSpike[];
  /** Spikes after the last one of `raster` were not kept: the picture says so. */
  readonly rasterTruncated?: boolean;
  /** Neurons that were recorded. */
  readonly rasterNeurons: number;
  readonly neuronCount: number;
  readonly iterations: number;
  readonly dtMs: number;
}

/** No picture of a raster is longer than this, bytes. */
export const RASTER_SVG_BYTES_MAX = 400_000;

const AREA: PlotArea = { left: 80, top: 44, width: 840, height: 380 };
const [WIDTH, HEIGHT] = [950, 480];
/** So few spikes get marks of two pixels: they can be seen, and hardly ever cover one another. */
const FEW_SPIKES = 4_000;
const EXCITATORY_COLOUR = '#1b5e9b';
const INHIBITORY_COLOUR = '#c4391d';

/**
 * Cells of a grid in which at least one neuron spiked, as a path of horizontal strokes: a spike more in a
 * full cell changes nothing, so that the length is bounded by the grid and not by the spikes.
 */
function cellsPath(cells: ReadonlySet<number>, columns: number, rows: number): string {
  const [cellWidth, cellHeight] = [AREA.width / columns, AREA.height / rows];
  const sorted = Uint32Array.from(cells).sort();
  let path = '';
  let [penRow, penColumn] = [-1, 0];
  for (let k = 0; k < sorted.length;) {
    const row = Math.floor(sorted[k] / columns);
    const column = sorted[k] % columns;
    let end = k + 1;
    while (end < sorted.length && sorted[end] === sorted[k] + end - k && sorted[end] < (row + 1) * columns)
      end++;
    const length = (end - k) * cellWidth;
    if (row !== penRow) {
      path += `M${+(AREA.left + column * cellWidth).toFixed(2)} ${+(AREA.top + (row + 0.5) * cellHeight).toFixed(2)}`;
    } else path += `m${+((column - penColumn) * cellWidth).toFixed(2)} 0`;
    path += `h${+length.toFixed(2)}`;
    [penRow, penColumn] = [row, column + end - k];
    k = end;
  }
  return path;
}

function drawSpikes(plot: RasterPlot, columns: number): string {
  const { raster, rasterNeurons, neuronCount, iterations } = plot;
  const rows = Math.max(1, Math.min(rasterNeurons, AREA.height));
  const excitatory = new Set<number>();
  const inhibitory = new Set<number>();
  for (const { neuron, stepIndex } of raster) {
    // Neuron 0 at the bottom.
    const row = rows - 1 - Math.floor((neuron * rows) / neuronCount);
    const column = Math.floor((stepIndex * columns) / iterations);
    const cells = neuron < Math.floor(EXCITATORY_SHARE * neuronCount) ? excitatory : inhibitory;
    cells.add(row * columns + column);
  }
  const strokeWidth = +Math.min(Math.max(AREA.height / rows, AREA.width / columns), 4).toFixed(2);
  const path = (cells: ReadonlySet<number>, colour: string): string =>
    `<path d="${cellsPath(cells, columns, rows)}" stroke="${colour}" stroke-width="${strokeWidth}" fill="none"/>`;
  return path(excitatory, EXCITATORY_COLOUR) + path(inhibitory, INHIBITORY_COLOUR);
}

/** What is not known is not drawn as silence. */
function truncationSvg({ raster, rasterTruncated, iterations }: RasterPlot): string {
  if (!rasterTruncated) return '';
  const lastStep = raster.length > 0 ? raster[raster.length - 1].stepIndex + 1 : 0;
  const width = AREA.width * (1 - lastStep / iterations);
  const left = AREA.left + AREA.width - width;
  return (
    `<rect x="${pixels(left)}" y="${AREA.top}" width="${pixels(width)}" height="${AREA.height}" fill="#e4e4e4"/>` +
    `<text x="560" y="26">grey: not kept</text>`
  );
}

/**
 * Spikes of the recorded neurons over time: a self-contained picture of at most {@link RASTER_SVG_BYTES_MAX}
 * bytes; excitatory neurons blue, inhibitory red.
 *
 * @example rasterSvg({ raster: result.raster, rasterNeurons: 200, neuronCount: 4_000, iterations: 5_000, dtMs: 0.1 })
 */
export function rasterSvg(plot: RasterPlot): string {
  const timeMs = plot.iterations * plot.dtMs;
  const inSeconds = timeMs >= 5_000;
  const time = inSeconds
    ? { label: 'Time (s)', from: 0, to: timeMs / 1000 }
    : { label: 'Time (ms)', from: 0, to: timeMs };
  const axes = axesSvg(AREA, time, { label: 'Neuron', from: 0, to: plot.neuronCount });
  const legend =
    `<text x="700" y="26" style="fill:${EXCITATORY_COLOUR}">excitatory</text>` +
    `<text x="800" y="26" style="fill:${INHIBITORY_COLOUR}">inhibitory</text>`;
  const title = `Spikes of ${plot.rasterNeurons} of ${plot.neuronCount} neurons`;
  for (
    let columns = plot.raster.length < FEW_SPIKES ? AREA.width / 2 : AREA.width;
    ;
    columns = Math.ceil(columns / 2)
  ) {
    const picture = pictureSvg(
      WIDTH,
      HEIGHT,
      title,
      legend + truncationSvg(plot) + axes + drawSpikes(plot, columns),
    );
    if (picture.length <= RASTER_SVG_BYTES_MAX) return picture;
  }
}
