// commit: ./calls.spec.ts
import { describeCalls, describeMillion } from './calls.cases.js';

describeCalls({ neuronCount: 1_000_000, edgeCount: 1_000_000 });
describeMillion();
