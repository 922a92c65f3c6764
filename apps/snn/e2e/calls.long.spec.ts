// commit: ./calls.spec.ts, but for a million neurons: nothing smaller enters the figures of health
import { describeCalls, describeMillion } from './calls.cases.js';

describeCalls({ neuronCount: 1_000_000, edgeCount: 1_000_000 });
describeMillion();
