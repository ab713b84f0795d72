/** Document 1 section 9. */
export const AUTH_VERSION = '0.1.4'
