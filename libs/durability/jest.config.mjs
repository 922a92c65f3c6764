import { base } from '../../jest.base.mjs';
export default { ...base, displayName: '@svc/durability', rootDir: import.meta.dirname };
