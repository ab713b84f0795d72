/** `Cache-Control` of an answer that never changes under its address: a year. */
export const IMMUTABLE = 'public, max-age=31536000, immutable'
