// commit: ./read-and-audit.spec.ts
import { describeTextLayer } from './text-layer.cases.js';

describeTextLayer();
