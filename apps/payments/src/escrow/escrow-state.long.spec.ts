// commit: ./escrow-state.spec.ts
import './escrow-state.spec.js';
