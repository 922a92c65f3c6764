import { base } from '../../jest.base.mjs';
export default { ...base, displayName: '@svc/payments', rootDir: import.meta.dirname };
