// commit: ./text-layer.spec.ts
import './text-layer.spec.js';
