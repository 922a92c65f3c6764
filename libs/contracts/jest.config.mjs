import { base } from '../../jest.base.mjs';
export default { ...base, displayName: '@svc/contracts', rootDir: import.meta.dirname };
