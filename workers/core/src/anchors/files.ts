import { createObject } from '@svc/objects/create-object'
import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import { statementHash } from '@svc/protocol/base/statement'
import { anchorLeafOf, type LoggedAnchor } from '@svc/protocol/ledger/anchor-log'
import { MAX_ANCHOR_PUBLICATIONS } from '@svc/protocol/ledger/anchor-publications'
import { type SignedPublication, signedPublicationSchema } from '@svc/protocol/ledger/anchors'
import * as z from 'zod'
import {
  anchorKey,
  anchorLeafKey,
  OBJECT_PREFIXES,
  publicationKey,
  publicationOrderKey,
  publicationPlace,
  reportKey,
  reportPrefix,
  withheldKey,
} from '../object-keys.ts'

/** An anchor as the index has it, or as its leaf does. */
export type AnchorName = { readonly anchorId: string } | { readonly leaf: string }

/** Replaces the body of a withheld anchor. */
interface Gone {
  readonly withheld: string
}

/**
 * What never changes of an anchor, in R2: its body, which is there before the log has its leaf, and the reports of the
 * publisher. Files are created once and never replaced, so that a restore of a database or an object cannot change an answer.
 */
export class AnchorFiles {
  readonly #bucket: R2Bucket

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket
  }

  /**
   * The body that is stored: this one, or the one that was there before. It is there before its leaf has a name here, so
   * that an anchor has one salt, and so one leaf.
   */
  async keep(
    anchor: LoggedAnchor,
  ): Promise<{ readonly anchor: LoggedAnchor; readonly isNew: boolean } | { readonly withheld: string }> {
    const isNew = await this.#create(anchorKey(anchor.anchorId), JSON.stringify(anchor))
    const kept = isNew ? anchor : await this.lookup(anchor.anchorId)
    if (!kept) throw new DependencyFault('anchors')
    if ('withheld' in kept) return kept
    await this.#create(anchorLeafKey(anchorLeafOf(kept)), kept.anchorId)
    return { anchor: kept, isNew }
  }

  /** The id of the anchor of a leaf; null once it is withheld. */
  nameOf(leaf: string): Promise<string | null> {
    return this.#read(anchorLeafKey(leaf))
  }

  /** The body of a leaf. */
  async ofLeaf(leaf: string): Promise<LoggedAnchor | null> {
    const anchorId = await this.nameOf(leaf)
    return anchorId === null ? null : this.find(anchorId)
  }

  /** The body, or the leaf that was withheld. */
  async lookup(anchorId: string): Promise<LoggedAnchor | Gone | null> {
    const found = await this.#read(anchorKey(anchorId))
    return found === null ? null : (JSON.parse(found) as LoggedAnchor | Gone)
  }

  async find(anchorId: string): Promise<LoggedAnchor | null> {
    const found = await this.lookup(anchorId)
    return found && !('withheld' in found) ? found : null
  }

  /** For anchors that a log or the index has: null for one that is withheld, and a missing body is a fault. */
  async bodies(named: readonly AnchorName[]): Promise<(LoggedAnchor | null)[]> {
    return Promise.all(named.map((name) => this.#body(name)))
  }

  /** Deletes a body and the reports about it. */
  async withhold(anchorId: string, leaf: string): Promise<void> {
    const gone: Gone = { withheld: leaf }
    await reaching('anchors', async () => {
      await this.#bucket.put(anchorKey(anchorId), JSON.stringify(gone))
      const { objects } = await this.#bucket.list({ prefix: reportPrefix(anchorId) })
      if (objects.length > 0) await this.#bucket.delete(objects.map(({ key }) => key))
    })
  }

  async forgetName(leaf: string): Promise<void> {
    await reaching('anchors', () => this.#bucket.delete(anchorLeafKey(leaf)))
  }

  async #body(name: AnchorName): Promise<LoggedAnchor | null> {
    const anchorId = 'anchorId' in name ? name.anchorId : await this.nameOf(name.leaf)
    const found = anchorId === null ? null : await this.lookup(anchorId)
    if (found) return 'withheld' in found ? null : found
    const isWithheld = 'leaf' in name && (await this.#read(withheldKey(name.leaf))) !== null
    if (!isWithheld) throw new DependencyFault('anchors')
    return null
  }

  /** Whether the nonce of a report is its own: no other report has it, or ever will. */
  async claim(signed: SignedPublication): Promise<boolean> {
    const key = publicationKey(signed.statement.nonce)
    if (await this.#create(key, JSON.stringify(signed))) return true
    const first = await this.#read(key)
    if (first === null) throw new DependencyFault('anchors')
    return statementHash(signedPublicationSchema.parse(JSON.parse(first)).statement) === statementHash(signed.statement)
  }

  /** Gives a report its place in the order of all, and beside its anchor, from where the index is rebuilt. Idempotent. */
  async file(anchorId: string, signed: SignedPublication): Promise<void> {
    await this.#create(publicationOrderKey(signed.statement), '')
    await this.#create(reportKey(anchorId, signed.statement.nonce), JSON.stringify(signed))
  }

  async reports(anchorId: string): Promise<SignedPublication[]> {
    const { objects } = await reaching('anchors', () =>
      this.#bucket.list({ prefix: reportPrefix(anchorId), limit: MAX_ANCHOR_PUBLICATIONS }),
    )
    const texts = await Promise.all(objects.map(({ key }) => this.#read(key)))
    return z.array(signedPublicationSchema).parse(texts.map((text) => JSON.parse(text ?? 'null') as unknown))
  }

  /** Reports of all anchors after one, issued before a time, in their order. */
  async reportsAfter(
    after: { readonly issuedAt: number; readonly nonce: string } | null,
    before: number,
    limit: number,
  ): Promise<SignedPublication[]> {
    const { objects } = await reaching('anchors', () =>
      this.#bucket.list({
        prefix: OBJECT_PREFIXES.publicationOrder,
        limit,
        ...(after && { startAfter: publicationOrderKey(after) }),
      }),
    )
    const places = objects.map(({ key }) => publicationPlace(key)).filter(({ issuedAt }) => issuedAt < before)
    return Promise.all(
      places.map(async ({ nonce }) => {
        const text = await this.#read(publicationKey(nonce))
        if (text === null) throw new DependencyFault('anchors')
        return signedPublicationSchema.parse(JSON.parse(text))
      }),
    )
  }

  async #create(key: string, text: string): Promise<boolean> {
    return reaching('anchors', () => createObject(this.#bucket, key, text))
  }

  #read(key: string): Promise<string | null> {
    return reaching('anchors', async () => (await this.#bucket.get(key))?.text() ?? null)
  }
}
