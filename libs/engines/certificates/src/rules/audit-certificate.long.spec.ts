// commit: ./audit-certificate.spec.ts
import './audit-certificate.spec.js';
