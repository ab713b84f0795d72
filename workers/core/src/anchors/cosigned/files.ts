import { createObject } from '@svc/objects/create-object'
import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import { type SignedCosignature, signedCosignatureSchema } from '@svc/protocol/keys/cosignature'
import { MAX_ANCHOR_WITNESSES } from '@svc/protocol/ledger/cosigned/anchor-cosigned'
import type { LogPosition } from '@svc/protocol/merkle/log-name'
import { cosignedAfter, cosignedKey, cosignedPrefix, witnessOfKey } from '../../object-keys.ts'

/** What is looked through for the first of each witness. One that cosigns less often than the others is far behind. */
const LOOKED_THROUGH = 256

/** What witnesses cosigned of the logs of anchors, in R2: one file for each witness and size, kept for good. */
export class CosignedFiles {
  readonly #bucket: R2Bucket

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket
  }

  /** The first cosignature of a size by a witness stays, whatever that witness signs later. */
  async keep(cosignature: SignedCosignature): Promise<SignedCosignature> {
    const key = cosignedKey(cosignature.statement)
    const isNew = await reaching('anchors', () => createObject(this.#bucket, key, JSON.stringify(cosignature)))
    return isNew ? cosignature : this.#read(key)
  }

  /** The cosignature of the smallest size of a log; null without any. Not cached: a smaller one may be added later. */
  async first(log: string): Promise<SignedCosignature | null> {
    const { objects } = await reaching('anchors', () => this.#bucket.list({ prefix: cosignedPrefix(log), limit: 1 }))
    const [object] = objects
    return object ? this.#read(object.key) : null
  }

  /** Of each witness the first that covers a place, smallest size first. */
  async covering({ log, index }: LogPosition): Promise<SignedCosignature[]> {
    const { objects } = await reaching('anchors', () =>
      this.#bucket.list({
        prefix: cosignedPrefix(log),
        startAfter: cosignedAfter(log, index),
        limit: LOOKED_THROUGH,
      }),
    )
    const first = new Map<string, string>()
    for (const { key } of objects) {
      const witness = witnessOfKey(key)
      if (!first.has(witness)) first.set(witness, key)
    }
    return Promise.all([...first.values()].slice(0, MAX_ANCHOR_WITNESSES).map((key) => this.#read(key)))
  }

  async #read(key: string): Promise<SignedCosignature> {
    const text = await reaching('anchors', async () => (await this.#bucket.get(key))?.text() ?? null)
    if (text === null) throw new DependencyFault('anchors')
    return signedCosignatureSchema.parse(JSON.parse(text))
  }
}
