import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import { hashHexAsync } from '@svc/protocol/base/hash'
import { jcsBytes } from '@svc/protocol/base/jcs'
import { chainBlockV4Schema } from '@svc/protocol/chain/chain'
import { capsuleSchema, capsuleSignatureSchema, capsuleSignerSchema } from '@svc/protocol/provenance/capsules'
import * as z from 'zod'

const bodySchema = z.strictObject({
  capsule: capsuleSchema,
  signature: capsuleSignatureSchema,
  signer: capsuleSignerSchema,
  block: chainBlockV4Schema.nullable(),
})
/** A capsule with the time and the signer that were verified at registration. */
export type CapsuleBody = z.infer<typeof bodySchema>

/**
 * Capsule bodies in R2, each keyed by the hash of its bytes, so a repeated write changes nothing. The row that points to
 * a body is written after it: a crash between the two leaves an object that nothing refers to.
 */
export class BodyStore {
  readonly #blobs: R2Bucket

  constructor(blobs: R2Bucket) {
    this.#blobs = blobs
  }

  async put(body: CapsuleBody): Promise<string> {
    const bytes = jcsBytes(body)
    const key = `capsules/${await hashHexAsync(bytes)}`
    await reaching('capsule bodies', () => this.#blobs.put(key, bytes))
    return key
  }

  /** Throws a store fault if the body is missing or does not match its key. */
  async get(key: string): Promise<CapsuleBody> {
    const bytes = await reaching('capsule bodies', async () => {
      const object = await this.#blobs.get(key)
      return object && new Uint8Array(await object.arrayBuffer())
    })
    if (!bytes || `capsules/${await hashHexAsync(bytes)}` !== key) throw new DependencyFault('capsule bodies')
    return bodySchema.parse(JSON.parse(new TextDecoder().decode(bytes)))
  }
}
