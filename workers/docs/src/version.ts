/** Document 1 section 9. */
export const DOCS_VERSION = '1.0.1'
