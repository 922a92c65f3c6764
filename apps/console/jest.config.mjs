import { base } from '../../jest.base.mjs';
export default { ...base, displayName: '@svc/console', rootDir: import.meta.dirname };
