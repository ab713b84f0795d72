/**
 * Anchors in bulk, for mirrors (workers/docs/pages/developer/mirror.md): what is stored beside the entries of a log, in
 * the order of its leaves. With the entries, it is everything that proves the anchors.
 *
 * @module
 */
import * as z from 'zod'
import { pure } from '../base/pure.ts'
import type { Realms } from '../base/realm.ts'
import { err, ok, type Result } from '../base/result.ts'
import { readEntry } from '../merkle/entries.ts'
import { logNameSchema } from '../merkle/log-name.ts'
import { anchorEntry, anchorEntrySchema, type LoggedAnchor, loggedOf } from './anchor-log.ts'
import { verifySubmission } from './anchor-submission.ts'
import { anchorIdOf, anchorLine, anchorRecordSchema, MAX_PAGE_ANCHOR_BYTES } from './anchors.ts'

/** A body with one attestation takes 7.3 kB, so these are some 470 kB. A page never spans two bundles of entries. */
export const MAX_PAGE_BODIES = 64
/** Of a page, unless its first body alone is larger: one of 64 attestations takes 460 kB. */
export const MAX_PAGE_BODY_BYTES = MAX_PAGE_ANCHOR_BYTES

export const anchorBodySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...anchorRecordSchema.omit({ status: true, chains: true, position: true }).shape,
      index: z.int().min(0).meta({ description: 'Of the leaf' }),
    })
    .meta({ id: 'AnchorBody', description: 'What a leaf commits to by its `bodyHash`' }),
)
export type AnchorBody = z.infer<typeof anchorBodySchema>

export const anchorBodiesSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      log: logNameSchema,
      from: z.int().min(0).meta({ description: 'The leaf at which the page starts' }),
      to: z
        .int()
        .min(0)
        .meta({ description: 'Where the next page starts: it has the bodies of all leaves before this' }),
      bodies: z.array(anchorBodySchema).max(MAX_PAGE_BODIES).meta({
        description: 'Of the leaves from `from` to before `to` that are anchors, in order',
      }),
      withheld: z.array(z.int().min(0)).max(MAX_PAGE_BODIES).meta({
        description: 'The leaves of anchors without a body. The log has an act of the operator for each',
      }),
      isFull: z.boolean().meta({
        description:
          'The log goes on after the page, which changes only if a body is withheld. False at the end: ask again later',
      }),
    })
    .meta({ id: 'AnchorBodies' }),
)
export type AnchorBodies = z.infer<typeof anchorBodiesSchema>

export type BodyFault = { readonly reason: 'not_included' | 'wrong_owner' | 'invalid_attestation' | 'missing_body' }

/**
 * The anchor of a line with its body, if the line commits to the body and every attestation is valid. Null for a line
 * that is not an anchor.
 */
export async function loggedAnchorOf(
  line: string,
  body: LoggedAnchor | undefined,
  realms: Realms,
): Promise<Result<LoggedAnchor | null, BodyFault>> {
  const { kind, value } = readEntry(line)
  if (kind !== 'anchor') return ok(null)
  const entry = anchorEntrySchema.safeParse(value)
  if (!entry.success) return err({ reason: 'not_included' })
  if (!body) return err({ reason: 'missing_body' })
  if (anchorEntry(body) !== anchorLine(entry.data)) return err({ reason: 'not_included' })
  const anchor = loggedOf(body)
  if (anchorIdOf(anchor.owner, anchor.root, anchor.epoch) !== anchor.anchorId) return err({ reason: 'wrong_owner' })
  return (await verifySubmission(anchor, realms)).ok ? ok(anchor) : err({ reason: 'invalid_attestation' })
}
