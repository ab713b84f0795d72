import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import { statementHash } from '@svc/protocol/base/statement'
import type { LoggedAnchor } from '@svc/protocol/ledger/anchor-log'
import { type SignedPublication, signedPublicationSchema } from '@svc/protocol/ledger/anchors'
import * as z from 'zod'
import { anchorKey, publicationKey, reportKey, reportPrefix } from '../object-keys.ts'

/** A publisher reports an anchor once per ledger, or twice. */
const MAX_REPORTS = 100
const CREATE_ONLY = { onlyIf: { etagDoesNotMatch: '*' } } as const

/**
 * What never changes of an anchor, in R2: its body, which is there before the log has its leaf, and the reports of the
 * publisher. Files are created once and never replaced, so that a restore of a database or an object cannot change an answer.
 */
export class AnchorFiles {
  readonly #bucket: R2Bucket

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket
  }

  /** The body that is stored: this one, or the one that was there before. */
  async keep(anchor: LoggedAnchor): Promise<{ readonly anchor: LoggedAnchor; readonly isNew: boolean }> {
    const text = JSON.stringify(anchor)
    const isNew = await this.#create(anchorKey(anchor.anchorId), text)
    if (isNew) return { anchor, isNew }
    const kept = await this.find(anchor.anchorId)
    if (!kept) throw new DependencyFault('anchors')
    return { anchor: kept, isNew }
  }

  async find(anchorId: string): Promise<LoggedAnchor | null> {
    const found = await this.#read(anchorKey(anchorId))
    return found === null ? null : (JSON.parse(found) as LoggedAnchor)
  }

  /** For anchors that the index lists: a missing body is a fault. */
  async bodies(anchorIds: readonly string[]): Promise<LoggedAnchor[]> {
    return Promise.all(
      anchorIds.map(async (anchorId) => {
        const found = await this.find(anchorId)
        if (!found) throw new DependencyFault('anchors')
        return found
      }),
    )
  }

  /** Whether the nonce of a report is its own: no other report has it, or ever will. */
  async claim(signed: SignedPublication): Promise<boolean> {
    const key = publicationKey(signed.statement.nonce)
    if (await this.#create(key, JSON.stringify(signed))) return true
    const first = await this.#read(key)
    if (first === null) throw new DependencyFault('anchors')
    return statementHash(signedPublicationSchema.parse(JSON.parse(first)).statement) === statementHash(signed.statement)
  }

  /** The same report beside its anchor, from where the index is rebuilt. Idempotent. */
  async file(signed: SignedPublication): Promise<void> {
    await this.#create(reportKey(signed.statement), JSON.stringify(signed))
  }

  async reports(anchorId: string): Promise<SignedPublication[]> {
    const { objects } = await reaching('anchors', () =>
      this.#bucket.list({ prefix: reportPrefix(anchorId), limit: MAX_REPORTS }),
    )
    const texts = await Promise.all(objects.map(({ key }) => this.#read(key)))
    return z.array(signedPublicationSchema).parse(texts.map((text) => JSON.parse(text ?? 'null') as unknown))
  }

  async #create(key: string, text: string): Promise<boolean> {
    return (await reaching('anchors', () => this.#bucket.put(key, text, CREATE_ONLY))) !== null
  }

  #read(key: string): Promise<string | null> {
    return reaching('anchors', async () => (await this.#bucket.get(key))?.text() ?? null)
  }
}
