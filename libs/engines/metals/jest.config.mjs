import { base } from '../../../jest.base.mjs';
export default { ...base, displayName: '@svc/metals', rootDir: import.meta.dirname };
