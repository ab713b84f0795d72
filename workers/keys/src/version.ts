/** Document 1 section 9. */
export const KEYS_VERSION = '0.1.5'
