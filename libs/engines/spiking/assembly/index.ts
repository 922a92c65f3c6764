export { stageRows, touched as touchedByRows, unstageRows } from './arrivals';
export { buildSector } from './build';
export { touched as touchedByPlastic } from './deliver-plastic';
export { touched as touchedByStatic } from './deliver-static';
export { digestSector } from './digest';
export { touched as touchedByHistory } from './history';
export { configure } from './run';
export { advanceSector } from './sector-steps';
export { openRaster, touched as touchedBySpikes } from './spikes';

/** First byte of memory that no data of the module occupies. */
export function heapBase(): usize {
  return __heap_base;
}
