// commit: ./embedded-postgres.spec.ts, but for damage, exchanged secrets and folders elsewhere: each starts two servers
// watches: libs/platform/src/embedded
import './embedded-postgres.spec.js';
