import { reaching } from '@svc/protocol/base/dependency-fault'
import { doneOrDelayed, LOOSE_MS, type LooseObjects } from '@svc/service'
import { payloadKey } from '../object-keys.ts'

/** Larger payloads go to R2 instead of the identity's SQLite, so that scans of a chain stay small. */
export const MAX_INLINE_PAYLOAD_BYTES = 64 * 1024

export interface Upload {
  readonly r2Key: string
  readonly notedAt: number
}

/** An upload that was noted longer ago is not referred to any more: the sweep may be about to delete it. */
const MAX_UPLOAD_MS = LOOSE_MS / 2

export function isStillKept({ notedAt }: Pick<Upload, 'notedAt'>, now: number): boolean {
  return now - notedAt < MAX_UPLOAD_MS
}

/**
 * Large chain payloads in R2. Each is noted as loose before it is written, until the block that refers to it is appended.
 */
export class PayloadStore {
  readonly #bucket: R2Bucket
  readonly #loose: LooseObjects

  constructor(bucket: R2Bucket, loose: LooseObjects) {
    this.#bucket = bucket
    this.#loose = loose
  }

  async put(did: string, dataHash: string, bytes: Uint8Array): Promise<Upload> {
    const upload = { r2Key: payloadKey(did, dataHash), notedAt: Date.now() }
    await this.#loose.note([upload.r2Key], upload.notedAt)
    await reaching('payloads', () => this.#bucket.put(upload.r2Key, bytes))
    return upload
  }

  /** Once the identity has decided. What fails here is left to the sweep, which asks the identity again. */
  async settle({ r2Key }: Upload, isAppended: boolean): Promise<void> {
    await doneOrDelayed({ service: 'core', delayed: 'chain payloads' }, () =>
      isAppended ? this.#loose.forget([r2Key]) : this.#loose.delete([r2Key]),
    )
  }

  /** A pointer is written after its object, so a missing object is a fault, never an empty payload. */
  get(key: string): Promise<Uint8Array> {
    return reaching('payloads', async () => {
      const object = await this.#bucket.get(key)
      if (!object) throw new Error('Chain payload missing from R2')
      return new Uint8Array(await object.arrayBuffer())
    })
  }
}
