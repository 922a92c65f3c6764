// commit: ./solve-graph.spec.ts
import './solve-graph.spec.js';
