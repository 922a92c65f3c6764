export default {
  projects: [
    '<rootDir>/apps/*',
    '<rootDir>/tools/sandbox',
    '<rootDir>/libs/!(engines)',
    '<rootDir>/libs/engines/*',
  ],
  // Ends what hangs; a service that starts on two busy cores may take more than jest's five seconds.
  testTimeout: 60_000,
};
