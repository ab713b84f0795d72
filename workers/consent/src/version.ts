/** Document 1 section 9. */
export const CONSENT_VERSION = '1.0.3'
