/** Fresh random bytes. More than 65,536 at once is refused by the runtime. */
export function randomSeed(byteLength: number): Uint8Array {
  if (!Number.isSafeInteger(byteLength) || byteLength < 1) {
    throw new TypeError(`randomSeed byteLength: expected a positive integer, got ${byteLength}`)
  }
  return crypto.getRandomValues(new Uint8Array(byteLength))
}
