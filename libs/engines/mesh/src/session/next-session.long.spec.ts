// commit: ./next-session.spec.ts
import './next-session.spec.js';
