import { base } from '../../jest.base.mjs';
export default { ...base, displayName: '@svc/edge', rootDir: import.meta.dirname };
