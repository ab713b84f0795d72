/** Document 1 section 9. */
export const CORE_VERSION = '1.5.2'
