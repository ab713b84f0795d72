/** Returns random bytes. The runtime throws for more than 65,536. */
export function randomSeed(byteLength: number): Uint8Array {
  if (!Number.isSafeInteger(byteLength) || byteLength < 1) {
    throw new TypeError(`randomSeed byteLength: expected a positive integer, got ${byteLength}`)
  }
  return crypto.getRandomValues(new Uint8Array(byteLength))
}
