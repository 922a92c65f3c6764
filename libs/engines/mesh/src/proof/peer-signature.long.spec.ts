// commit: ./peer-signature.spec.ts
import './peer-signature.spec.js';
