import { base } from '../../../jest.base.mjs';
export default { ...base, displayName: '@svc/comps', rootDir: import.meta.dirname };
