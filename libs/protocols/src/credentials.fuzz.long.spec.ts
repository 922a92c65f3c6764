// commit: ./credentials.fuzz.spec.ts
import './credentials.fuzz.spec.js';
