/**
 * The transparency log of the key directory (workers/docs/pages/developer/keys.md): its answers, and how to verify
 * them. Every credential and every revocation is a leaf; prekeys never are.
 *
 * @module
 */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { pure } from '../base/pure.ts'
import type { Realms } from '../base/realm.ts'
import { err, ok, type Result } from '../base/result.ts'
import { signedDirectoryCheckpointSchema } from '../merkle/checkpoint.ts'
import { entryHash, entryLineSchema } from '../merkle/entries.ts'
import { type CheckpointFault, verifyInLog } from '../merkle/in-log.ts'
import type { LogList } from '../merkle/log-list.ts'
import { logNameSchema, logPositionSchema } from '../merkle/log-name.ts'
import { type MapEntry, mapEntryOf, mapPathSchema, valueOnPath } from './account-map.ts'
import {
  type AccountValue,
  accountLabelSchema,
  agreedShape,
  type LoggedAgreement,
  labelProofSchema,
  leafIdOf,
  leafIdSchema,
  loggedAgreementSchema,
  seqSchema,
  type UpdateEntry,
  updateLine,
} from './account-updates.ts'
import { signedCosignatureSchema } from './cosignature.ts'

/** No log reaches 2^64 leaves, so a longer path is not valid. */
const path = /* @__PURE__ */ pure(() => z.array(hashSchema).max(64))
export const checkpointAnswerSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      checkpoint: signedDirectoryCheckpointSchema,
      cosignatures: z.array(signedCosignatureSchema).meta({ description: 'The newest cosignature of each witness' }),
    })
    .meta({ id: 'CheckpointAnswer' }),
)
export type CheckpointAnswer = z.infer<typeof checkpointAnswerSchema>

export const mapPlaceSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      leaf: entryLineSchema,
      position: logPositionSchema,
      proof: path,
    })
    .meta({ id: 'MapPlace', description: 'The log leaf that names the root of the map, and its audit path' }),
)

export type MapPlace = z.infer<typeof mapPlaceSchema>

export const inclusionAnswerSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      leafId: leafIdSchema,
      seq: seqSchema,
      ...agreedShape,
      position: logPositionSchema,
      proof: path.meta({ description: 'Audit path, lowest sibling first (RFC 9162 section 2.1.3)' }),
      checkpoint: signedDirectoryCheckpointSchema,
      map: mapPlaceSchema
        .nullable()
        .optional()
        .meta({ description: 'Present with `dated`: the first map that includes the leaf; null if none does yet' }),
    })
    .meta({ id: 'InclusionAnswer', description: 'Proves that a leaf is in the log' }),
)
export type InclusionAnswer = z.infer<typeof inclusionAnswerSchema>

/** Absent in answers by label: with the proof, anyone could test which DID it belongs to. */
const ofLabel = /* @__PURE__ */ pure(() => ({
  label: accountLabelSchema,
  labelProofB64u: labelProofSchema.optional().meta({ description: 'Present if the account was named by its DID' }),
}))
/** The members that every answer about a DID has. */
const ofDid = /* @__PURE__ */ pure(() => ({ labelProofB64u: labelProofSchema }))

const head = /* @__PURE__ */ pure(() => ({
  seq: z.int().min(0).meta({ description: 'Number of updates; 0 for an account that has none' }),
  head: hashSchema.meta({ description: 'Head hash: H(04 ‖ head before ‖ statementHash), from 48 zero bytes' }),
}))

export const accountAnswerSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...ofLabel,
      result: z.enum(['present', 'absent']),
      ...head,
      agreement: loggedAgreementSchema,
      ...mapPathSchema.shape,
      map: mapPlaceSchema,
      checkpoint: signedDirectoryCheckpointSchema,
    })
    .meta({
      id: 'AccountAnswer',
      description: 'What the newest map of accounts has for an account, with the path to its root',
    }),
)
export type AccountAnswer = z.infer<typeof accountAnswerSchema>
/** The answer for a DID. */
export const didAnswerSchema = /* @__PURE__ */ pure(() => accountAnswerSchema.extend(ofDid))

export const auditAnswerSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      log: logNameSchema,
      first: z.int().min(1),
      second: z.int().min(1),
      proof: path.meta({ description: 'Proves that the second tree extends the first (RFC 9162 section 2.1.4)' }),
      checkpoint: signedDirectoryCheckpointSchema.meta({
        description: 'Current checkpoint; has size `second` unless a size was given',
      }),
    })
    .meta({ id: 'AuditAnswer' }),
)
export type AuditAnswer = z.infer<typeof auditAnswerSchema>

/** 96 kB of hashes. */
export const MAX_AUDITED_UPDATES = 1_000
export const accountAuditSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...ofLabel,
      since: z.int().min(0),
      statementHashes: z
        .array(hashSchema)
        .max(MAX_AUDITED_UPDATES)
        .meta({ description: 'Of the updates after `since`, in order; ask again from the last if there are more' }),
      ...head,
      checkpoint: signedDirectoryCheckpointSchema,
    })
    .meta({ id: 'AccountAudit', description: 'The hashes that fold the head at `since` into the head now' }),
)
export type AccountAudit = z.infer<typeof accountAuditSchema>

export const proofAnswerSchema = /* @__PURE__ */ z.union([inclusionAnswerSchema, accountAnswerSchema])
export const auditOrAccountSchema = /* @__PURE__ */ z.union([auditAnswerSchema, accountAuditSchema])

export const entriesAnswerSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      log: logNameSchema,
      from: z.int().min(0).meta({ description: 'Index of the first entry: 256 times the index of the bundle' }),
      entries: z.array(entryLineSchema).max(256),
      size: z
        .int()
        .min(0)
        .meta({ description: 'Number of leaves in the log when it was read; for a full bundle, up to its end' }),
    })
    .meta({ id: 'LogEntries', description: 'The data behind the leaves, in order, one line of JSON each' }),
)

/** Whether an update is in a listed log, under the leaf id that was asked for. */
export async function verifyUpdate(
  update: Omit<UpdateEntry, 'kind'>,
  answer: InclusionAnswer,
  list: LogList,
  realms: Realms,
): Promise<Result<void, CheckpointFault | { readonly reason: 'not_included' }>> {
  const isSame = answer.leafId === leafIdOf(update.label, update.statementHash) && answer.seq === update.seq
  if (!isSame) return err({ reason: 'not_included' })
  return verifyInLog(entryHash(updateLine(update)), answer, list, realms)
}

export type MapFault =
  | CheckpointFault
  /** `not_included`: the leaf is not where the answer says. `no_map`: it is another kind of entry. `wrong_map`: the path is of another. */
  | { readonly reason: 'not_included' | 'no_map' | 'wrong_map' }

/** What a listed log proves of an account, by its label: its value, and the map that has it. */
export async function verifyAccount(
  label: string,
  answer: AccountAnswer,
  list: LogList,
  realms: Realms,
): Promise<Result<AccountValue & { readonly map: MapEntry }, MapFault>> {
  const { position, leaf, proof } = answer.map
  const logged = await verifyInLog(entryHash(leaf), { position, proof, checkpoint: answer.checkpoint }, list, realms)
  if (!logged.ok) return logged
  const map = mapEntryOf(leaf)
  if (!map || map.size > position.index) return err({ reason: 'no_map' })
  const found = valueOnPath(label, answer, map.root)
  const isSame =
    found?.seq === answer.seq &&
    found.head === answer.head &&
    isSameAgreement(found.agreement, answer.agreement) &&
    answer.label === label &&
    answer.result === (found.seq === 0 ? 'absent' : 'present')
  return isSame ? ok({ ...found, map }) : err({ reason: 'wrong_map' })
}

function isSameAgreement(a: LoggedAgreement | null, b: LoggedAgreement | null): boolean {
  return a?.hash === b?.hash && a?.issuedAt === b?.issuedAt
}

export { type DirectoryCheckpoint, signedDirectoryCheckpointSchema } from '../merkle/checkpoint.ts'
