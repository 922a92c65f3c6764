// commit: ./acoustic-routes.e2e.spec.ts
import './acoustic-routes.e2e.spec.js';
