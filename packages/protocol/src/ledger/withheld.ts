/**
 * Withholding (workers/docs/pages/developer/anchors.md): the operator takes the body of an anchor out of every answer. The
 * act is a leaf of the log itself, so that an anchor is shown, withheld in public, or missing, and missing is a fault.
 *
 * @module
 */
import type * as z from 'zod'
import { bytesOf } from '../base/base64url.ts'
import { toHex } from '../base/hash.ts'
import { jcs } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'
import type { Realms } from '../base/realm.ts'
import { signedSchema, verifyStatement } from '../base/statement.ts'
import { entryHash, readEntry } from '../merkle/entries.ts'
import { actSchema } from '../operator/act.ts'
import { anchorEntrySchema } from './anchors.ts'
import { groundSchema, withheldDaySchema, withheldLeafHashSchema } from './withheld-notice.ts'

export const withheldSchema = /* @__PURE__ */ pure(() =>
  actSchema('svc/withheld/v1', 'core', {
    leaf: withheldLeafHashSchema,
    ground: groundSchema,
    day: withheldDaySchema,
  })
    .refine((act) => act.day === dayOf(act.issuedAt), { path: ['day'], message: 'must be the day of issuedAt' })
    .meta({ id: 'WithheldAct', description: 'Withhold the body of an anchor. The act becomes a leaf of the log' }),
)
export const signedWithheldSchema = /* @__PURE__ */ pure(() =>
  signedSchema(withheldSchema).meta({ id: 'SignedWithheld' }),
)
export type SignedWithheld = z.infer<typeof signedWithheldSchema>

export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

/** The line that is logged: JCS of the signed act, with its kind. */
export function withheldLine({ statement, signatureB64u }: SignedWithheld): string {
  return jcs({ kind: 'withheld', statement, signatureB64u })
}

/** The act that a line logs; null for a line of another kind or form. */
export function withheldOfLine(line: string): SignedWithheld | null {
  const { kind, value } = readEntry(line)
  if (kind !== 'withheld') return null
  const { kind: _, ...signed } = value as Record<string, unknown>
  return signedWithheldSchema.safeParse(signed).data ?? null
}

/** Whether one of these keys of the operator, which the caller must know independently, signed an act. */
export async function verifyWithheld(
  signed: SignedWithheld,
  operatorKeysB64u: readonly string[],
  realms: Realms,
): Promise<boolean> {
  for (const key of operatorKeysB64u) if (await verifyStatement(signed, bytesOf(key), realms)) return true
  return false
}

/** The leaf of the anchor in a line; null for a line of another kind. Throws if it is not of the form. */
export function anchorLeafOfLine(line: string): string | null {
  const { kind, value } = readEntry(line)
  if (kind !== 'anchor') return null
  anchorEntrySchema.parse(value)
  return toHex(entryHash(line))
}

/** The id by which a log knows a line that is submitted to it: one for an anchor, and one for its withholding. */
export function leafIdOfLine(line: string): string | null {
  const withheld = withheldOfLine(line)
  return withheld ? withheldLeafId(withheld.statement.leaf) : anchorLeafOfLine(line)
}

const WITHHELD = 'withheld-'
export const withheldLeafId = (leaf: string) => WITHHELD + leaf
/** The leaf that is withheld; null for the id of another leaf. */
export const withheldOfLeafId = (id: string) => (id.startsWith(WITHHELD) ? id.slice(WITHHELD.length) : null)
