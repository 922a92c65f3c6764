// commit: ./circle-backend.spec.ts
import './circle-backend.spec.js';
