/**
 * The reports of the publisher: which ledger carries an anchor (workers/docs/pages/developer/anchors.md). Each is signed,
 * and says what the publisher saw. It is not evidence of a ledger write.
 *
 * @module
 */
import * as z from 'zod'
import { bytesOf } from '../base/base64url.ts'
import { pure } from '../base/pure.ts'
import type { Realms } from '../base/realm.ts'
import { verifyStatement } from '../base/statement.ts'
import { cursorSchema } from '../merkle/cursor.ts'
import { type AnchorRecord, anchorIdSchema, type SignedPublication, signedPublicationSchema } from './anchors.ts'

/** A report takes 4.8 kB, so a page takes some 310 kB. */
export const MAX_PAGE_PUBLICATIONS = 64
/** A publisher reports an anchor once per ledger, or twice. */
export const MAX_ANCHOR_PUBLICATIONS = 100
/** How far the time of a report may be from that of the service, which accepts it. */
export const PUBLICATION_TOLERANCE_MS = 300_000
/**
 * A report that is older than this was accepted, or never will be: twice the tolerance leaves five minutes for a request
 * that had begun. What is older has an order that does not change.
 */
export const PUBLICATION_SETTLED_MS = 2 * PUBLICATION_TOLERANCE_MS

export const publicationsPageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      publications: z
        .array(signedPublicationSchema)
        .max(MAX_PAGE_PUBLICATIONS)
        .meta({ description: 'In the order of `issuedAt`, then of `nonce`' }),
      next: cursorSchema.nullable().meta({ description: '`after` of the next page; null before the first report' }),
      isFull: z.boolean().meta({ description: 'The page never changes. False at the end: ask again later' }),
    })
    .meta({ id: 'AnchorPublications' }),
)
export type PublicationsPage = z.infer<typeof publicationsPageSchema>

export const publicationsOfAnchorSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      anchorId: anchorIdSchema,
      publications: z
        .array(signedPublicationSchema)
        .max(MAX_ANCHOR_PUBLICATIONS)
        .meta({ description: 'In the order of `issuedAt`, then of `nonce`' }),
    })
    .meta({ id: 'PublicationsOfAnchor' }),
)
export type PublicationsOfAnchor = z.infer<typeof publicationsOfAnchorSchema>

type Statement = SignedPublication['statement']

/** By time, then by nonce: an order that follows from what was signed. */
export function comparePublications({ statement: a }: SignedPublication, { statement: b }: SignedPublication): number {
  return a.issuedAt - b.issuedAt || (a.nonce < b.nonce ? -1 : Number(a.nonce > b.nonce))
}

/** Whether one of these keys, which the caller must know independently, signed a report. */
export async function verifyPublication(
  publication: SignedPublication,
  expectedKeysB64u: readonly string[],
  expectedRealms: Realms,
): Promise<boolean> {
  for (const key of expectedKeysB64u) if (await verifyStatement(publication, bytesOf(key), expectedRealms)) return true
  return false
}

/** What reports of one anchor come to, in the words of its record. */
export function publishedAs(publications: readonly SignedPublication[]): Pick<AnchorRecord, 'status' | 'chains'> {
  if (publications.length === 0) return { status: 'submitted' }
  const statements = publications.toSorted(comparePublications).map(({ statement }) => statement)
  const chains = new Map(statements.map(({ chain, tx }) => [`${chain} ${tx}`, { chain, tx }]))
  const isConfirmed = statements.some(({ state }: Statement) => state === 'confirmed')
  return { status: isConfirmed ? 'confirmed' : 'published', chains: [...chains.values()] }
}
