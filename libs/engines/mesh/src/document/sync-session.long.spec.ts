// commit: ./sync-session.spec.ts
import './sync-session.spec.js';
