import { describeCalls } from './calls.cases.js';

describeCalls({ neuronCount: 100_000, edgeCount: 50_000 });
