import { capsuleSchema, capsuleSignatureSchema, capsuleSignerSchema } from '@svc/protocol/capsules'
import { chainBlockV4Schema } from '@svc/protocol/chain'
import { DependencyFault, reaching } from '@svc/protocol/dependency-fault'
import { hashHex } from '@svc/protocol/hash'
import { jcsBytes } from '@svc/protocol/jcs'
import * as z from 'zod'

const bodySchema = z.strictObject({
  capsule: capsuleSchema,
  signature: capsuleSignatureSchema,
  signer: capsuleSignerSchema,
  block: chainBlockV4Schema.nullable(),
})
/** A capsule with what was verified when it came. */
export type CapsuleBody = z.infer<typeof bodySchema>

/**
 * Bodies of capsules in R2, each under the hash of its bytes: writing one again changes nothing. The row that points to
 * a body is written after it, so a crash between the two leaves an object that nobody reads.
 */
export class BodyStore {
  readonly #blobs: R2Bucket

  constructor(blobs: R2Bucket) {
    this.#blobs = blobs
  }

  async put(body: CapsuleBody): Promise<string> {
    const bytes = jcsBytes(body)
    const key = `capsules/${hashHex(bytes)}`
    await reaching('capsule bodies', () => this.#blobs.put(key, bytes))
    return key
  }

  /** One that is missing or is not what its key says is a fault of the store, and no capsule. */
  async get(key: string): Promise<CapsuleBody> {
    const bytes = await reaching('capsule bodies', async () => {
      const object = await this.#blobs.get(key)
      return object && new Uint8Array(await object.arrayBuffer())
    })
    if (!bytes || `capsules/${hashHex(bytes)}` !== key) throw new DependencyFault('capsule bodies')
    return bodySchema.parse(JSON.parse(new TextDecoder().decode(bytes)))
  }
}
