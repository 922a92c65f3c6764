import { hash, hash4, mulhi, mulhi4 } from './hash';
import { extras, outDegree, quotient, sectorCount, startKey0, startKey1 } from './run';

/** The sector in which the extra synapses of a source begin. */
// @ts-ignore: decorator
@inline
export function firstExtra(source: u32): u32 {
  return mulhi(hash(source, startKey0, startKey1), sectorCount);
}

/** Synapses of a source in a sector. */
// @ts-ignore: decorator
@inline
export function synapsesIn(source: u32, sector: u32): u32 {
  if (!extras) return quotient;
  let place = sector + sectorCount - firstExtra(source);
  if (place >= sectorCount) place -= sectorCount;
  return quotient + <u32>(place < extras);
}

/** Synapses of a source in the sectors before one. */
// @ts-ignore: decorator
@inline
export function synapsesBefore(source: u32, sector: u32): u32 {
  let before = sector * quotient;
  if (extras) {
    const first = firstExtra(source);
    const end = first + extras;
    // The sectors first … end − 1, in a circle: those before `sector`, without a turn and with one.
    if (sector > first) before += min(sector, end) - first;
    if (end > sectorCount) before += min(sector, end - sectorCount);
  }
  return before;
}

/**
 * Where the stored synapses of a source in a sector begin, of `rows` sources. Where all sectors have as many, each has a
 * plane of its own: a task then reads a sixteenth of the pages, and the translation of addresses stays in its cache. Else a
 * source has a row through all sectors.
 */
// @ts-ignore: decorator
@inline
export function placeOf(source: u32, sector: u32, rows: u32): u32 {
  if (extras) return source * outDegree + synapsesBefore(source, sector);
  return (sector * rows + source) * quotient;
}

/** Which of four sources have an extra synapse in a sector: all bits of a lane. */
// @ts-ignore: decorator
@inline
export function haveExtra4(sources: v128, sector: u32): v128 {
  const draws = hash4(sources, i32x4.splat(startKey0), i32x4.splat(startKey1));
  const count = i32x4.splat(sectorCount);
  const place = i32x4.sub(i32x4.splat(sector), mulhi4(draws, count));
  const turned = i32x4.add(place, v128.and(count, i32x4.lt_s(place, i32x4.splat(0))));
  return i32x4.lt_s(turned, i32x4.splat(extras));
}
