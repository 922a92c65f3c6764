// commit: ./sdp.fuzz.spec.ts
import './sdp.fuzz.spec.js';
