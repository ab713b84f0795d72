/**
 * Imports (workers/docs/pages/developer/operating.md#imports): records of an earlier service that today's rules could not
 * make. Each act carries a page of them, so that the log of acts says what was imported, and by whom.
 *
 * @module
 */
import * as z from 'zod'
import { didSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { signedSchema } from '../base/statement.ts'
import { preferencesSchema } from '../consent/consent.ts'
import { contentHashSchema } from '../consent/identifiers.ts'
import { actSchema } from './act.ts'
import { actDate } from './dates.ts'

/** A page of 64 at 3 kB each is below the 256 KiB of a body, and a row of the log of acts. */
export const MAX_IMPORTED = 64
/** Commitments made here name their owner and hash by their id, so that an import cannot take the id of one to come. */
const NATIVE_ID = /^commitment-[0-9a-f]{32}$/
const isHistoricalId = (id: string) => !NATIVE_ID.test(id) && !/\p{Cc}/u.test(id) && id !== '.' && id !== '..'

export const historicalCommitmentSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      id: z.string().min(1).max(256).refine(isHistoricalId, 'must be an id of another form than those made here').meta({
        description: 'As the earlier service named it, in another form than `commitment-` and 32 hex characters',
      }),
      commitmentHash: z.string().min(1).max(512).meta({ description: 'As the earlier service had it' }),
      algorithm: z.string().min(1).max(64).meta({ description: 'The label it had; never relabelled' }),
      did: didSchema.nullable().meta({ description: 'Its creator; null if it had none' }),
      createdAt: actDate('past', 'When the earlier service accepted it'),
      record: z.string().max(1024).nullable().meta({ description: 'The record as it was; kept, and never returned' }),
    })
    .meta({ id: 'HistoricalCommitment' }),
)
export type HistoricalCommitment = z.infer<typeof historicalCommitmentSchema>

export const commitmentImportSchema = /* @__PURE__ */ pure(() =>
  actSchema(
    'svc/operator-import-commitments/v1',
    'provenance',
    { commitments: z.array(historicalCommitmentSchema).min(1).max(MAX_IMPORTED) },
    { commitments: { createdAt: 'past' } },
  ).meta({ id: 'CommitmentImportAct', description: 'Add historical commitments' }),
)
export const signedCommitmentImportSchema = /* @__PURE__ */ pure(() =>
  signedSchema(commitmentImportSchema).meta({ id: 'SignedCommitmentImport' }),
)

export const ownerlessConsentSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      contentHash: contentHashSchema,
      preferences: preferencesSchema,
      declaredAt: actDate('past', 'When the earlier service recorded it'),
    })
    .meta({ id: 'OwnerlessConsent' }),
)
export type OwnerlessConsent = z.infer<typeof ownerlessConsentSchema>

export const consentImportSchema = /* @__PURE__ */ pure(() =>
  actSchema(
    'svc/operator-import-consent/v1',
    'consent',
    { records: z.array(ownerlessConsentSchema).min(1).max(MAX_IMPORTED) },
    { records: { declaredAt: 'past' } },
  ).meta({ id: 'ConsentImportAct', description: 'Add consent records without an owner, which nobody can change' }),
)
export type ConsentImportStatement = z.infer<typeof consentImportSchema>
export const signedConsentImportSchema = /* @__PURE__ */ pure(() =>
  signedSchema(consentImportSchema).meta({ id: 'SignedConsentImport' }),
)

export const importedSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      type: z.string(),
      nonce: z.string(),
      recordedAt: z.number(),
      imported: z.int().min(0).meta({ description: 'Records that are new' }),
      known: z.int().min(0).meta({ description: 'Records that were there already, the same' }),
      refused: z.array(z.string()).meta({ description: 'Ids that name another record, which is unchanged' }),
    })
    .meta({ id: 'Imported' }),
)
export type Imported = Pick<z.infer<typeof importedSchema>, 'imported' | 'known' | 'refused'>
