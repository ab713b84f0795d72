/** Document 1 section 9. */
export const DID_VERSION = '0.1.0'
