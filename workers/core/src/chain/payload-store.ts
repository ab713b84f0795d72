/** Beyond this a payload goes to R2 instead of the identity's SQLite, so that scans of a chain stay small. */
export const MAX_INLINE_PAYLOAD_BYTES = 64 * 1024

/** Large chain payloads in R2. A key names owner and content, is written once and never changes. */
export class PayloadStore {
  readonly #bucket: R2Bucket

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket
  }

  keyOf(did: string, dataHash: string): string {
    return `chain/${did}/${dataHash}`
  }

  /** Writing the same content twice is the same write. */
  async put(key: string, bytes: Uint8Array): Promise<void> {
    await this.#bucket.put(key, bytes)
  }

  async get(key: string): Promise<Uint8Array | null> {
    const object = await this.#bucket.get(key)
    return object && new Uint8Array(await object.arrayBuffer())
  }
}
