import { base } from '../../jest.base.mjs';
export default { ...base, displayName: '@svc/acoustic', rootDir: import.meta.dirname };
