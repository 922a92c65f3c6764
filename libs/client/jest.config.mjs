import { base } from '../../jest.base.mjs';
export default { ...base, displayName: '@svc/client', rootDir: import.meta.dirname };
