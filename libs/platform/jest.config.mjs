import { base } from '../../jest.base.mjs';
export default { ...base, displayName: '@svc/platform', rootDir: import.meta.dirname };
