/**
 * The updates of one account in the transparency log (workers/docs/pages/developer/keys.md): its credentials and
 * revocations, numbered from 1 and folded into one head hash. Statements of its root key have a place in the same form.
 *
 * The log names neither the account nor the device: an account is its label (`keys/account-labels`). Of a key agreement
 * it has the time as well, so that the map of accounts can say which one is the newest.
 *
 * @module
 */

import * as z from 'zod'
import { sha3_384 } from '#pqc/sha3'
import { base64urlOf } from '../base/base64url.ts'
import { fromHex, hashSchema, toHex } from '../base/hash.ts'
import { jcs } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'
import { readEntry } from '../merkle/entries.ts'

export const accountLabelSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 lowercase hex characters')
    .meta({ id: 'AccountLabel', description: 'Identifies an account in the log; 32 bytes as lowercase hex' }),
)

/** Size of an RFC 9381 proof on edwards25519. */
const LABEL_PROOF_BYTES = 80
export const labelProofSchema = /* @__PURE__ */ pure(() =>
  base64urlOf(LABEL_PROOF_BYTES).meta({
    id: 'LabelProof',
    description: 'Proves under `labelKeyB64u` of the log list that this is the label of the DID; 80 bytes as base64url',
  }),
)

export const seqSchema = /* @__PURE__ */ pure(() =>
  z.int().min(1).meta({ description: 'Number of the update in its account, from 1' }),
)

const agreedAt = /* @__PURE__ */ pure(() =>
  z.int().min(0).meta({ description: '`issuedAt` of a key agreement, epoch ms', example: 1_790_000_000_000 }),
)
/** Present if the update is a key agreement. */
export const agreedShape = /* @__PURE__ */ pure(() => ({ agreedAt: agreedAt.optional() }))

export const updateEntrySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      kind: z.literal('update'),
      label: accountLabelSchema,
      seq: seqSchema,
      statementHash: hashSchema.meta({ description: 'SHA3-384 over JCS of the statement' }),
      ...agreedShape,
    })
    .meta({ id: 'UpdateEntry', description: 'Entry of the log for one update of an account' }),
)
export type UpdateEntry = z.infer<typeof updateEntrySchema>

/** The line that the log has for an update. */
export function updateLine({ label, seq, statementHash, agreedAt: time }: Omit<UpdateEntry, 'kind'>): string {
  return jcs({ kind: 'update', label, seq, statementHash, ...(time !== undefined && { agreedAt: time }) })
}

/** What the log has of a statement besides its hash: the time of a key agreement. */
export function agreedIn(statement: { readonly type: string }): Pick<UpdateEntry, 'agreedAt'> {
  if (statement.type !== 'svc/key-agreement/v1') return {}
  return { agreedAt: z.object({ issuedAt: agreedAt }).parse(statement).issuedAt }
}

/** The update that a line is about; null for a line of another kind. Later lines may have more members. */
export function updateEntryOf(line: string): UpdateEntry | null {
  const { kind, value } = readEntry(line)
  const parsed = kind === 'update' ? updateEntrySchema.loose().safeParse(value) : null
  return parsed?.success ? parsed.data : null
}

export const leafIdSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[0-9a-f]{64}-[0-9a-f]{96}$/, 'must be a label and a statement hash with a hyphen')
    .meta({
      id: 'LeafId',
      description: 'Identifies a leaf: the account’s label, a hyphen and the hash of the statement',
      example: `${'b5'.repeat(32)}-${'a7'.repeat(48)}`,
    }),
)

export function leafIdOf(label: string, statementHash: string): string {
  return `${label}-${statementHash}`
}

export function leafIdParts(leafId: string): { readonly label: string; readonly statementHash: string } {
  const [label = '', statementHash = ''] = leafId.split('-')
  return { label, statementHash }
}

/** What an account's updates come to: their number and their head hash. */
export interface AccountHead {
  readonly seq: number
  readonly head: string
}

export const loggedAgreementSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ hash: hashSchema.meta({ description: 'SHA3-384 over JCS of the statement' }), issuedAt: agreedAt })
    .nullable()
    .meta({ description: 'The key agreement with the latest `issuedAt`; null if the account has none' }),
)
export type LoggedAgreement = NonNullable<z.infer<typeof loggedAgreementSchema>>

/** What the map of accounts has for an account. */
export interface AccountValue extends AccountHead {
  readonly agreement: LoggedAgreement | null
}

/** An account without updates: head 0⁴⁸. */
export const EMPTY_HEAD: AccountHead = /* @__PURE__ */ pure(() => ({ seq: 0, head: '00'.repeat(48) }))
export const EMPTY_VALUE: AccountValue = /* @__PURE__ */ pure(() => ({ ...EMPTY_HEAD, agreement: null }))

const HEAD_PREFIX = 4

/** The head after one more update: H(04 ‖ head ‖ statementHash). Leaves and nodes of trees have other prefixes. */
export function nextHead({ seq, head }: AccountHead, statementHash: string): AccountHead {
  const bytes = new Uint8Array(97)
  bytes[0] = HEAD_PREFIX
  bytes.set(fromHex(head), 1)
  bytes.set(fromHex(statementHash), 49)
  return { seq: seq + 1, head: toHex(sha3_384(bytes)) }
}

export function foldHead(from: AccountHead, statementHashes: readonly string[]): AccountHead {
  return statementHashes.reduce(nextHead, from)
}

/** Whether a key agreement may follow the newest one: its time must be later. */
export function isNewerAgreement(issuedAt: number, newest: LoggedAgreement | null): boolean {
  return newest === null || issuedAt > newest.issuedAt
}

/** The newest key agreement after one more update. An older one is an update that changes nothing here. */
export function nextAgreement(
  newest: LoggedAgreement | null,
  { statementHash: hash, agreedAt: issuedAt }: Pick<UpdateEntry, 'statementHash' | 'agreedAt'>,
): LoggedAgreement | null {
  return issuedAt !== undefined && isNewerAgreement(issuedAt, newest) ? { hash, issuedAt } : newest
}

/** What the map has for an account after one more update. */
export function nextValue(value: AccountValue, update: Omit<UpdateEntry, 'kind' | 'label' | 'seq'>): AccountValue {
  return { ...nextHead(value, update.statementHash), agreement: nextAgreement(value.agreement, update) }
}

/** The first key agreement that is older than an earlier one of its account; null if there is none. */
export function olderAgreement<U extends Omit<UpdateEntry, 'kind'>>(
  updates: readonly U[],
  newestOf: (label: string) => LoggedAgreement | null,
): U | null {
  const newest = new Map<string, LoggedAgreement>()
  for (const update of updates) {
    const { label, agreedAt: issuedAt } = update
    if (issuedAt === undefined) continue
    if (!isNewerAgreement(issuedAt, newest.get(label) ?? newestOf(label))) return update
    newest.set(label, { hash: update.statementHash, issuedAt })
  }
  return null
}
