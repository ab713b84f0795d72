/** Document 1 section 9. */
export const PROVENANCE_VERSION = '0.2.3'
