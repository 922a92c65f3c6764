import { base } from '../../jest.base.mjs';
export default { ...base, displayName: '@svc/sandbox', rootDir: import.meta.dirname };
