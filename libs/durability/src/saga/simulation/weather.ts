import type { Prng } from './prng.js';

/** How often what goes wrong, each a probability of a call; drawn anew for every seed, so that most seeds are of a kind. */
export interface Weather {
  /** The store says no before it does anything. */
  storeRefused: number;
  /** The connection breaks before the commit. */
  lostBeforeCommit: number;
  /** The connection breaks after it. */
  lostAfterCommit: number;
  /** The connection breaks while the commit is on its way: it comes later. */
  commitInFlight: number;
  /** A call takes seconds. */
  storeSlow: number;
  requestLost: number;
  replyLost: number;
  duplicated: number;
  /** A message takes up to two minutes. */
  delayed: number;
  /** The process is killed at this call. */
  crash: number;
  /** A process stops as it should, at this call. */
  stop: number;
  /** The process is held up for seconds at this call, as by a virtual machine that is moved. */
  pause: number;
  /** The process cannot reach the store for seconds from this call on. */
  cutOff: number;
  /** A step or a compensation throws what says nothing. */
  stepThrows: number;
  /** What clocks of processes are off by, at most; they also run up to a tenth too fast or too slow then. */
  skewMs: number;
}

export const CALM: Readonly<Weather> = {
  storeRefused: 0,
  lostBeforeCommit: 0,
  lostAfterCommit: 0,
  commitInFlight: 0,
  storeSlow: 0,
  requestLost: 0,
  replyLost: 0,
  duplicated: 0,
  delayed: 0,
  crash: 0,
  stop: 0,
  pause: 0,
  cutOff: 0,
  stepThrows: 0,
  skewMs: 0,
};

const RATES = [0, 0, 0, 0.02, 0.1, 0.25];

export function weatherOf(prng: Prng): Weather {
  const weather: Weather = { ...CALM };
  for (const name of Object.keys(weather) as (keyof Weather)[]) weather[name] = prng.pick(RATES);
  weather.crash /= 4;
  weather.stop /= 8;
  weather.pause /= 8;
  weather.cutOff /= 8;
  weather.skewMs = prng.pick([0, 0, 50, 5_000, 3_600_000]);
  return weather;
}
