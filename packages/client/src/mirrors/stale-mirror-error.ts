/**
 * The service did not answer, and what a mirror has is older than `mirrors.maxAgeMs`. It is verified: with a larger
 * `maxAgeMs` the call would return it.
 */
export class StaleMirrorError extends Error {
  override readonly name = 'StaleMirrorError'
  /** Origin of the mirror. */
  readonly mirror: string
  /** How long ago the service signed it, ms. */
  readonly ageMs: number
  readonly maxAgeMs: number

  constructor(mirror: string, ageMs: number, maxAgeMs: number) {
    super(`What ${mirror} has was signed ${ageMs} ms ago, and \`mirrors.maxAgeMs\` is ${maxAgeMs}`)
    this.mirror = mirror
    this.ageMs = ageMs
    this.maxAgeMs = maxAgeMs
  }
}
