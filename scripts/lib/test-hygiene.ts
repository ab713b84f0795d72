/** Files of one vitest project share their globals: what a test replaces is put back after it. */
export const CLEAN_AFTER_EACH_TEST = { restoreMocks: true, unstubGlobals: true, unstubEnvs: true }
