/** As many as there are hashes of 32 bytes. */
const HASHES = 1n << 256n

/**
 * Under which version of the seed an identifier is answered. `names` are its keyed hashes by version, and `next` for each
 * the hash of the record of that version that comes first from there on, around the end; null if there is none.
 *
 * The nearest record decides. An identifier with a record stands on it, so nothing is nearer. One without is answered as
 * the account next to it: as many of them as of the accounts are under each version, and they move to the newest as
 * accounts do. So a version tells nobody whether there is an account, though a new version changes what the service
 * answers. Without any record it is the first, which is the newest.
 */
export function nearestOf(names: readonly string[], next: readonly (string | null)[]): number {
  const distances = names.map((name, index) => {
    const hash = next[index] ?? null
    return hash === null ? HASHES : (numberOf(hash) - numberOf(name) + HASHES) % HASHES
  })
  return distances.reduce((best, distance, index) => (distance < (distances[best] ?? HASHES) ? index : best), 0)
}

function numberOf(hashHex: string): bigint {
  return BigInt(`0x${hashHex}`)
}
