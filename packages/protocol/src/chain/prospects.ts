/**
 * What a theft would do to an identity today (workers/docs/pages/developer/rotation.md, the table): what a rehearsal
 * answers, from what core sees of the identity and what its owner says that they keep.
 *
 * @module
 */
import * as z from 'zod'
import { pure } from '../base/pure.ts'
import { MAX_SUCCESSORS } from './commitment.ts'

export const keptSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      rootCopy: z.boolean().meta({ description: 'A copy of the root key in another place' }),
      requests: z
        .array(z.union([z.literal(1), z.literal(2)]))
        .max(2)
        .meta({ description: 'Versions of the signed requests that are kept, or handed to the operator' }),
      sheets: z.int().min(0).max(MAX_SUCCESSORS).optional().meta({
        description:
          'Sheets of words in different places, each of another key that the identity has committed to. Left out: the key of the rehearsal alone',
      }),
    })
    .meta({
      id: 'KeptForRecovery',
      description: 'What the owner keeps apart from the root key. Core only reckons with it',
    }),
)
export type Kept = z.infer<typeof keptSchema>

export const THEFTS = [
  'root',
  'root_and_device',
  'device',
  'root_lost',
  'words',
  'words_and_device',
  'words_and_root',
  'everything',
  'words_lost',
] as const
export type Theft = (typeof THEFTS)[number]

/** Of identities without a commitment. */
export const PLAIN_ROWS = [
  'device_recovers',
  'operator_recovers',
  'operator_in_time',
  'device_delays',
  'standoff',
  'vetoes_run_out',
  'devices_against_each_other',
  'copy_against_two',
  'nothing_against_two',
  'no_device',
  'kept_request',
  'nothing_signed',
] as const
/** Of identities that have committed to their next keys. */
export const COMMITTED_ROWS = [
  'words_recover',
  'words_contested',
  'words_alone',
  'replaced',
  'operator_recovers',
  'device_revoked',
  'words_watched',
  'safe',
  'dispute',
  'not_replaceable',
  'replaced_by_thief',
  'outsigned',
  'dispute_lost',
  'unopposed',
  'nothing_signed',
] as const
export type PlainRow = (typeof PLAIN_ROWS)[number]
export type CommittedRow = (typeof COMMITTED_ROWS)[number]
/** Each once. */
export const PROSPECT_ROWS = /* @__PURE__ */ pure(() => [...new Set([...PLAIN_ROWS, ...COMMITTED_ROWS])])
export type ProspectRow = PlainRow | CommittedRow

export const PREPARATIONS = ['add_cosigner', 'keep_request', 'keep_operator_request', 'keep_sheet'] as const
export type Preparation = (typeof PREPARATIONS)[number]

const duration = (description: string) => z.number().meta({ description: `${description}, ms` })

export const prospectSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      theft: z.enum(THEFTS).meta({
        description:
          'What is stolen; `words` is a sheet of words. `root_lost`, `words_lost`: nothing, but the root key or a sheet is lost',
      }),
      row: z.enum(PROSPECT_ROWS),
      outcome: z
        .enum(['recovers', 'keeps', 'standoff', 'lost'])
        .meta({ description: '`standoff`: neither side gets a new key without an operator' }),
      within: duration('Recovered within; null if it depends on the operator, or is not recovered').nullable(),
      notBefore: duration('Lost at the earliest after; null if it is not lost').nullable(),
      summary: z.string().meta({ description: 'The row in a sentence, for the owner' }),
      preparations: z.array(z.enum(PREPARATIONS)).meta({ description: 'What would improve the outcome, done before' }),
    })
    .meta({ id: 'RecoveryProspect', description: 'What a theft would come to today' }),
)
export type Prospect = z.infer<typeof prospectSchema>

export const countedDevicesSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      cosign: z.int().meta({ description: 'Active for a whole window with `rotation:cosign`' }),
      veto: z.int().meta({ description: 'The others that were active for a whole window' }),
      tooNew: z.int().meta({ description: 'Active, but not yet for a window: they do not count' }),
    })
    .meta({ id: 'CountedDevices' }),
)
export type CountedDevices = z.infer<typeof countedDevicesSchema>
