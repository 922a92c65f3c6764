export default {
  projects: [
    '<rootDir>/apps/*',
    '<rootDir>/tools/sandbox',
    '<rootDir>/libs/!(engines)',
    '<rootDir>/libs/engines/*',
  ],
  // Ends what hangs. A service that starts on two busy cores may take minutes, and no test is about how long it takes.
  testTimeout: 240_000,
};
