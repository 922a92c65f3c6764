// commit: ./circle-cheats.spec.ts
import './circle-cheats.spec.js';
