/** Document 1 section 9. */
export const PAY_VERSION = '0.1.3'
