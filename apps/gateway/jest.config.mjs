import { base } from '../../jest.base.mjs';
export default { ...base, displayName: '@svc/gateway', rootDir: import.meta.dirname };
