/**
 * The signed list of a deployment's logs and keys (workers/docs/pages/developer/log-list.md): each log's name, key, state
 * and predecessor, and the keys of services, beacon and witnesses. Clients pin the keys of the list, which sign offline.
 *
 * A list names its predecessor by hash and is signed by a threshold of the predecessor's keys, so keys can be replaced
 * without a new pin (`merkle/log-list-chain`).
 *
 * @module
 */
import * as z from 'zod'
import { base64urlOf } from '../base/base64url.ts'
import { hashSchema } from '../base/hash.ts'
import { publicKeySchema, signatureSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { realmSchema, realmsSchema } from '../base/realm.ts'
import { statementHash, statementSchema } from '../base/statement.ts'
import { logCheckpointSchema } from './checkpoint.ts'
import {
  listedBeaconKeySchema,
  listedServiceKeySchema,
  MAX_BEACON_KEYS,
  MAX_SERVICE_KEYS,
  proposedWitnessesSchema,
} from './listed-keys.ts'
import { LOG_SERIES, type LogSeries, logEndSchema, logNameSchema } from './log-name.ts'

/** Bytes of a point of edwards25519. */
const LABEL_KEY_BYTES = 32
export const MAX_LIST_KEYS = 16
/** Two series with a log a year last for decades; a list is then about 1 MB with their final checkpoints. */
export const MAX_LISTED_LOGS = 128

const time = (description: string) =>
  z
    .int()
    .min(0)
    .meta({ description: `${description}, epoch ms` })

export const listKeysSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      threshold: z.int().min(1).max(MAX_LIST_KEYS),
      publicKeysB64u: z.array(publicKeySchema).min(1).max(MAX_LIST_KEYS),
    })
    .refine(
      ({ threshold, publicKeysB64u: keys }) => threshold <= keys.length && new Set(keys).size === keys.length,
      'must be distinct keys, at least as many as the threshold',
    )
    .meta({ id: 'LogListKeys', description: 'The keys that sign the list, and how many of them must' }),
)
export type ListKeys = z.infer<typeof listKeysSchema>

export const LOG_STATES = ['announced', 'open', 'closed'] as const

export const listedLogSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      log: logNameSchema,
      series: z.enum(LOG_SERIES),
      slot: z
        .strictObject({ bits: z.int().min(0).max(16), value: z.int().min(0).max(0xffff) })
        .meta({ description: 'The labels the log takes: those whose first `bits` bits are `value`. 0 bits: all' }),
      state: z.enum(LOG_STATES).meta({
        description: '`announced`: not yet written to. `open`: takes leaves. `closed`: `final` covers all its leaves',
      }),
      publicKeyB64u: publicKeySchema.meta({ description: 'The key of this log’s checkpoints' }),
      openedAt: time('When the log takes its first leaf'),
      previous: logEndSchema.nullable().meta({ description: 'The closed log that this one continues' }),
      final: logCheckpointSchema.nullable().meta({ description: 'The last checkpoint of a closed log' }),
      tiles: z.url().nullable().meta({
        description:
          'Base of its files: `tiles/{level}/{index}?log=` and `entries/{bundle}?log=` are below it. Null if they are not served',
        example: 'https://keys.svc.example/api/transparency',
      }),
    })
    .meta({ id: 'ListedLog' }),
)
export type ListedLog = z.infer<typeof listedLogSchema>

export const labelKeySchema = /* @__PURE__ */ pure(() =>
  base64urlOf(LABEL_KEY_BYTES).meta({
    id: 'LabelKey',
    description:
      'The key that proves the labels of accounts (RFC 9381, ECVRF-EDWARDS25519-SHA512-ELL2), 32 bytes as base64url. ' +
      'One for a namespace, for as long as that lives',
  }),
)

export const logListSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/log-list/v1', {
    namespace: realmSchema.meta({
      description: 'The realm in which the logs were founded. Stays when the deployment moves, and with it every label',
    }),
    labelKeyB64u: labelKeySchema,
    version: z.int().min(1),
    previous: hashSchema.nullable().meta({ description: 'SHA3-384 over JCS of the list before; null for version 1' }),
    keys: listKeysSchema,
    realms: realmsSchema.meta({
      description:
        'The realms that the deployment accepts: its own first, which is `realm`, then those that it moves from',
    }),
    logs: z.array(listedLogSchema).max(MAX_LISTED_LOGS),
    services: z.array(listedServiceKeySchema).max(MAX_SERVICE_KEYS),
    beacon: z.array(listedBeaconKeySchema).max(MAX_BEACON_KEYS),
    witnesses: proposedWitnessesSchema,
    validUntil: time('Clients refuse the list after this'),
  }).meta({ id: 'LogList', description: 'The logs and the keys of a deployment' }),
)
export type LogList = z.infer<typeof logListSchema>

export const signedLogListSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      statement: logListSchema,
      signatures: z
        .array(z.strictObject({ publicKeyB64u: publicKeySchema, signatureB64u: signatureSchema }))
        .min(1)
        .max(2 * MAX_LIST_KEYS),
    })
    .meta({
      id: 'SignedLogList',
      description: 'Signed over JCS of `statement` by a threshold of its own keys and of the keys of the list before',
    }),
)
export type SignedLogList = z.infer<typeof signedLogListSchema>

/** Where the Worker that keeps a series serves tiles and entries: with its origin, `tiles` of the list. */
export const LOG_FILES_PATHS = {
  anchors: '/api/anchors/feed',
  transparency: '/api/transparency',
} as const satisfies Record<LogSeries, string>

/** How many earlier lists one answer holds; `earlier` continues with the version of the last one. */
export const MAX_EARLIER_LISTS = 16
export const logListAnswerSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      list: signedLogListSchema.meta({ description: 'The newest list' }),
      earlier: z
        .array(signedLogListSchema)
        .max(MAX_EARLIER_LISTS)
        .meta({ description: 'With `since`: the lists after that version and before the newest, oldest first' }),
    })
    .meta({ id: 'LogListAnswer' }),
)
export type LogListAnswer = z.infer<typeof logListAnswerSchema>

export function listHash({ statement }: SignedLogList): string {
  return statementHash(statement)
}

/** What looking up a log needs of a list. */
export type ListedLogs = Pick<LogList, 'logs'>

export function listedLog(list: ListedLogs, log: string): ListedLog | null {
  return list.logs.find((one) => one.log === log) ?? null
}

/** The log that takes the leaves of a series now. */
export function openLog(list: LogList, series: LogSeries): ListedLog | null {
  return list.logs.find((one) => one.series === series && one.state === 'open') ?? null
}
