import { base } from '../../jest.base.mjs';
export default { ...base, displayName: '@svc/allinone', rootDir: import.meta.dirname };
