import type { EntryBundle } from '@svc/log'
import { didSchema } from '@svc/protocol/base/identity'
import { accountLabelSchema, leafIdSchema } from '@svc/protocol/keys/account-updates'
import { signedCosignatureSchema } from '@svc/protocol/keys/cosignature'
import {
  auditOrAccountSchema,
  checkpointAnswerSchema,
  entriesAnswerSchema,
  proofAnswerSchema,
} from '@svc/protocol/keys/transparency'
import { LOG_FILES_PATHS } from '@svc/protocol/merkle/log-list'
import { logQuery } from '@svc/protocol/merkle/log-name'
import { TILE_WIDTH } from '@svc/protocol/merkle/tiles'
import { ApiError, defineOperation, IMMUTABLE, logListOperation, logTile, logTileOperation } from '@svc/service'
import * as z from 'zod'
import { keysRoute, LOG_LIST_PATH } from '../service.ts'
import type { Services } from '../services.ts'

/** Five seconds at the edge, and nothing stale after that. */
const cacheControl = 'public, max-age=5, must-revalidate'
const LOG_ERRORS = ['not_found', 'log_unavailable', 'dependency_unavailable'] as const
const count = '(?:[1-9][0-9]{0,14})'

const isFull = ({ entries }: EntryBundle) => entries.length === TILE_WIDTH
const logParameter = z.strictObject(logQuery)
const didText = /^did:svc:[A-Za-z0-9_-]{32}$/
const labelText = /^[0-9a-f]{64}$/

export const readProof = defineOperation({
  id: 'readProof',
  method: 'get',
  path: '/api/transparency/proof/{id}',
  summary: 'Prove that an update is in the log, or what it has for an account',
  description:
    'By leaf id: 404 until the next batch, about a second after the update was acknowledged. By DID or label: always 200, ' +
    'with `result` `present` or `absent`, proved by the newest map of accounts. An update is in the map within 12 seconds. ' +
    'By DID, `labelProofB64u` proves the label; keep the label, and ask by it. ' +
    'With `dated`, the proof of an update also has the first map that includes it. Its `at` is a time by which the ' +
    'update was in the log.',
  auth: 'none',
  params: z.strictObject({ id: z.union([leafIdSchema, didSchema, accountLabelSchema]) }),
  query: z.strictObject({ ...logQuery, dated: z.literal('true').optional() }),
  answer: { status: 200, description: 'With a signed checkpoint', schema: proofAnswerSchema },
  errors: LOG_ERRORS,
  cacheControl,
})

export const auditLog = defineOperation({
  id: 'auditLog',
  method: 'get',
  path: '/api/transparency/audit/{id}',
  summary: 'Prove that an earlier state is a prefix of a later one: of the log, or of an account',
  description:
    '`{id}` is one size or two: `100` compares 100 with the current log, `100-2000` compares 100 with 2,000. Or it is a ' +
    'DID or a label: then `since` is the number of updates that the caller knows.',
  auth: 'none',
  params: z.strictObject({
    id: z
      .string()
      .regex(
        new RegExp(`^(?:${count}(?:-${count})?|did:svc:[A-Za-z0-9_-]{32}|[0-9a-f]{64})$`),
        'must be a size, two sizes with a hyphen, a DID, or a label',
      ),
  }),
  query: z.strictObject({
    ...logQuery,
    since: z
      .string()
      .regex(/^(?:0|[1-9][0-9]{0,14})$/, 'must be a number')
      .transform(Number)
      .optional()
      .meta({ description: 'For an account: the number of updates to start after; by default 0' }),
  }),
  answer: { status: 200, description: 'With a signed checkpoint', schema: auditOrAccountSchema },
  errors: LOG_ERRORS,
  cacheControl,
})

export const readCheckpoint = defineOperation({
  id: 'readCheckpoint',
  method: 'get',
  path: '/api/transparency/checkpoint',
  summary: 'Read the signed size and root of a log, with the cosignatures of witnesses',
  description:
    'Signed when it is asked for, and cached for five seconds. Keep one: a later checkpoint of the same log must ' +
    'extend it. Compare `publicKeyB64u` with the key in the log list. New leaves are part of the log about a second ' +
    'after they were accepted.',
  auth: 'none',
  query: logParameter,
  answer: { status: 200, description: 'The checkpoint', schema: checkpointAnswerSchema },
  errors: LOG_ERRORS,
  cacheControl,
})

export const readEntries = defineOperation({
  id: 'readEntries',
  method: 'get',
  path: '/api/transparency/entries/{bundle}',
  summary: 'Read the entries of 256 consecutive leaves, to recompute the tree',
  description:
    'Hash each line as it is: later kinds of entries are leaves too. A full bundle of a log that is named with `log` never ' +
    'changes, and is cached for a year.',
  auth: 'none',
  params: z.strictObject({ bundle: z.string().regex(/^(?:0|[1-9][0-9]{0,11})$/, 'must be a number') }),
  query: logParameter,
  answer: { status: 200, description: 'The entries, fewer at the end of the log', schema: entriesAnswerSchema },
  errors: ['not_found', 'dependency_unavailable'],
  // Without a name it is another log after the next roll.
  cacheControl: (answer, { log }) => (log !== undefined && isFull(answer as EntryBundle) ? IMMUTABLE : cacheControl),
})

export const readLogList = logListOperation(LOG_LIST_PATH)

export const readLogTile = logTileOperation(LOG_FILES_PATHS.transparency)

export const cosignCheckpoint = defineOperation({
  id: 'cosignCheckpoint',
  method: 'post',
  path: '/api/transparency/cosignatures',
  summary: 'Submit a cosignature, as a witness',
  description: 'The credential is the statement’s signature by a configured witness key.',
  auth: 'none',
  limit: { counter: 'cosignCheckpoint', limit: 20, protects: 'storage' },
  body: signedCosignatureSchema,
  answer: { status: 200, description: 'Stored, unless a newer one is', schema: signedCosignatureSchema },
  errors: ['unknown_signer', 'invalid_signature', 'not_found', 'log_fork', 'dependency_unavailable'],
})

/** Accounts are in all logs; a name that the directory does not have is still not found. */
async function requireLog(deps: Services, log: string | undefined): Promise<void> {
  if (log !== undefined && !(await deps.logs.all.has(log))) throw new ApiError('not_found')
}

export const transparencyRoutes = [
  keysRoute(readLogTile, ({ deps, ...tile }) => logTile(deps.logs, tile)),
  keysRoute(readLogList, async ({ query: { since = null }, deps, now }) => {
    const found = await deps.logs.lists.answer(since, now)
    if (found.ok) return found.value
    throw new ApiError(found.error.reason)
  }),
  keysRoute(readProof, async ({ params: { id }, query: { log, dated }, deps, now }) => {
    await requireLog(deps, log)
    const found = didText.test(id)
      ? await deps.accountMap.ofDid(id, now)
      : labelText.test(id)
        ? await deps.accountMap.ofLabel(id, now)
        : await deps.transparency.inclusion(id, { log, isDated: dated !== undefined }, now)
    if (found.ok) return found.value
    throw new ApiError(found.error.reason)
  }),
  keysRoute(auditLog, async ({ params: { id }, query: { log, since = 0 }, deps, now }) => {
    await requireLog(deps, log)
    const proved = didText.test(id) ? deps.labels.prove(id) : labelText.test(id) ? { label: id } : null
    const [first = 0, second = null] = id.split('-').map(Number)
    const found = proved
      ? await deps.transparency.accountAudit(proved.label, since, now)
      : await deps.transparency.audit(log, first, second, now)
    if (found.ok) return { ...found.value, ...proved }
    throw new ApiError(found.error.reason)
  }),
  keysRoute(readCheckpoint, async ({ query: { log }, deps, now }) => {
    const found = await deps.transparency.checkpoint(log, now)
    if (found.ok) return found.value
    throw new ApiError(found.error.reason)
  }),
  keysRoute(readEntries, async ({ params: { bundle }, query: { log }, deps }) => {
    const found = await deps.logs.entries(log, Number(bundle))
    if (found.ok) return found.value
    throw new ApiError(found.error.reason)
  }),
  keysRoute(cosignCheckpoint, async ({ body, deps }) => {
    const kept = await deps.transparency.cosign(body)
    if (kept.ok) return kept.value
    throw new ApiError(kept.error.reason)
  }),
]
