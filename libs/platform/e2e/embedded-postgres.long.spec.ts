// commit: ./embedded-postgres.spec.ts
// watches: libs/platform/src/embedded
import './embedded-postgres.spec.js';
