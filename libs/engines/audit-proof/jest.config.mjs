import { base } from '../../../jest.base.mjs';
export default { ...base, displayName: '@svc/audit-proof', rootDir: import.meta.dirname };
