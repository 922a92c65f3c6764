// commit: ./hostile-update.fuzz.spec.ts
import './hostile-update.fuzz.spec.js';
