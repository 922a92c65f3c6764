// commit: ./peer-key.spec.ts
import './peer-key.spec.js';
