// commit: ./smoke.spec.mjs
import { describe } from 'node:test';
import { benchmarkNames } from './benchmarks.mjs';
import { describeSmokes } from './smoke.cases.mjs';

describe('every benchmark', () => describeSmokes(benchmarkNames()));
