import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import { hashHexAsync } from '@svc/protocol/base/hash'
import { jcsBytes } from '@svc/protocol/base/jcs'
import { chainBlockV4Schema } from '@svc/protocol/chain/chain'
import { capsuleSchema, capsuleSignatureSchema, capsuleSignerSchema } from '@svc/protocol/provenance/capsules'
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

/** A body, and the key that it will have. */
export interface PackedBody {
  readonly key: string
  readonly bytes: Uint8Array
}

/** Under the hash of its bytes and a name of its own. */
export async function packBody(body: CapsuleBody): Promise<PackedBody> {
  const bytes = jcsBytes(body)
  return { key: newKey('capsules', await hashHexAsync(bytes)), bytes }
}

/** Capsule bodies in R2. The bucket of the asset knows each key before the body is written. */
export class BodyStore {
  readonly #blobs: R2Bucket

  constructor(blobs: R2Bucket) {
    this.#blobs = blobs
  }

  async put({ key, bytes }: PackedBody): Promise<void> {
    await reaching('capsule bodies', () => this.#blobs.put(key, bytes))
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
