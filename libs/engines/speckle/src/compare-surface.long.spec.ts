// commit: ./compare-surface.spec.ts
import './compare-surface.spec.js';
