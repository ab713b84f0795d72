import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import { hashHexAsync } from '@svc/protocol/base/hash'
import { jcsBytes } from '@svc/protocol/base/jcs'
import { chainBlockV4Schema } from '@svc/protocol/chain/chain'
import { capsuleSchema, capsuleSignatureSchema, capsuleSignerSchema } from '@svc/protocol/provenance/capsules'
import type { LooseObjects } from '@svc/service'
import * as z from 'zod'
import { hashedPrefix, newKey } from '../object-keys.ts'

const bodySchema = z.strictObject({
  capsule: capsuleSchema,
  signature: capsuleSignatureSchema,
  signer: capsuleSignerSchema,
  block: chainBlockV4Schema.nullable(),
})
/** A capsule with the time and the signer that were verified at registration. */
export type CapsuleBody = z.infer<typeof bodySchema>

/**
 * Capsule bodies in R2, under the hash of their bytes and a name of their own. Each is noted as loose before it is written;
 * the row that points to it is written after it.
 */
export class BodyStore {
  readonly #blobs: R2Bucket
  readonly #loose: LooseObjects

  constructor(blobs: R2Bucket, loose: LooseObjects) {
    this.#blobs = blobs
    this.#loose = loose
  }

  async put(body: CapsuleBody, now: number): Promise<string> {
    const bytes = jcsBytes(body)
    const key = newKey('capsules', await hashHexAsync(bytes))
    await this.#loose.note([key], now)
    await reaching('capsule bodies', () => this.#blobs.put(key, bytes))
    return key
  }

  /** Throws a store fault if the body is missing or does not match its key. */
  async get(key: string): Promise<CapsuleBody> {
    const bytes = await reaching('capsule bodies', async () => {
      const object = await this.#blobs.get(key)
      return object && new Uint8Array(await object.arrayBuffer())
    })
    if (!bytes || !key.startsWith(hashedPrefix('capsules', await hashHexAsync(bytes))))
      throw new DependencyFault('capsule bodies')
    return bodySchema.parse(JSON.parse(new TextDecoder().decode(bytes)))
  }
}
