import { base } from '../../jest.base.mjs';
export default { ...base, displayName: '@svc/department', rootDir: import.meta.dirname };
