const CODES = 1_000_000
/** The largest multiple of a million below 2^32: values above it would favour small codes. */
const UNBIASED = Math.floor(2 ** 32 / CODES) * CODES

/** Six digits, uniformly distributed. */
export function drawCode(): string {
  for (;;) {
    const [drawn = UNBIASED] = crypto.getRandomValues(new Uint32Array(1))
    if (drawn < UNBIASED) return String(drawn % CODES).padStart(6, '0')
  }
}
