import { reaching } from '@svc/protocol/dependency-fault'

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
    await reaching('payloads', () => this.#bucket.put(key, bytes))
  }

  /** A pointer is written after its object, so an object that is missing is a fault and never an empty payload. */
  get(key: string): Promise<Uint8Array> {
    return reaching('payloads', async () => {
      const object = await this.#bucket.get(key)
      if (!object) throw new Error('a payload is missing')
      return new Uint8Array(await object.arrayBuffer())
    })
  }
}
