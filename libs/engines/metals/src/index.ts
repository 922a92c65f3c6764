export type { RingPeak } from './ring-peak.js';
