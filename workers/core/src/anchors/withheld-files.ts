import { createObject } from '@svc/objects/create-object'
import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import { type SignedWithheld, signedWithheldSchema } from '@svc/protocol/ledger/withheld'
import type { WithheldNotice } from '@svc/protocol/ledger/withheld-notice'
import { type LogPosition, logPositionSchema } from '@svc/protocol/merkle/log-name'
import * as z from 'zod'
import { withheldKey } from '../object-keys.ts'

const fileSchema = z.strictObject({
  act: signedWithheldSchema,
  /** Of the leaf that is withheld. */
  place: logPositionSchema,
  /** The log that the act belongs to. */
  log: z.string(),
  /** Of the act in it, once it has one. */
  index: z.int().nullable(),
})
export type WithheldFile = z.infer<typeof fileSchema>

/** Withholdings in R2, by leaf. The first act for a leaf counts. The files contain nothing of the anchor. */
export class WithheldFiles {
  readonly #bucket: R2Bucket

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket
  }

  /** The act that counts: the first one for the leaf. */
  async claim(act: SignedWithheld, place: LogPosition, log: string): Promise<WithheldFile> {
    const { leaf } = act.statement
    const file = { act, place, log, index: null }
    if (await reaching('anchors', () => createObject(this.#bucket, withheldKey(leaf), JSON.stringify(file))))
      return file
    const found = await this.find(leaf)
    if (!found) throw new DependencyFault('anchors')
    return found
  }

  /** The log that the act is sent to, and its place there: they follow from the log, so each write is the same. */
  async put(file: WithheldFile): Promise<void> {
    const key = withheldKey(file.act.statement.leaf)
    await reaching('anchors', () => this.#bucket.put(key, JSON.stringify(file)))
  }

  async find(leaf: string): Promise<WithheldFile | null> {
    const found = await reaching('anchors', () => this.#bucket.get(withheldKey(leaf)))
    return found && fileSchema.parse(await found.json())
  }

  /** Null before the log has the act. */
  async notice(leaf: string): Promise<WithheldNotice | null> {
    const found = await this.find(leaf)
    return found && noticeOf(found)
  }
}

export function noticeOf({ act, log, index }: WithheldFile): WithheldNotice | null {
  const { leaf, ground, day } = act.statement
  return index === null ? null : { leaf, ground, day, position: { log, index } }
}
