import { deviceIdSchema } from '@svc/protocol/base/device'
import { didSchema } from '@svc/protocol/base/identity'
import type { ErrorName } from '@svc/protocol/http/errors'
import {
  addPrekeysSchema,
  devicePackageSchema,
  directoryPageSchema,
  poolSchema,
  publishedSchema,
  publishPackageSchema,
  reservedPrekeySchema,
  reservePrekeySchema,
  revokedSchema,
  stockAnswerSchema,
} from '@svc/protocol/keys/directory'
import { profileSchema, signedPackageRevocationSchema, suiteIdSchema } from '@svc/protocol/keys/packages'
import { cursorSchema } from '@svc/protocol/merkle/cursor'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { keysRoute } from '../service.ts'

const DEVICES = '/api/key-directory/{accountDid}/devices'
const account = z.strictObject({ accountDid: didSchema })
const device = z.strictObject({ accountDid: didSchema, deviceId: deviceIdSchema })
const ATTESTATION: readonly ErrorName[] = [
  'device_unattested',
  'device_revoked',
  'did_deactivated',
  'stale_epoch',
  'attestation_unverifiable',
  'device_index_unavailable',
  'device_keys_disabled',
  'dependency_unavailable',
]
const STATEMENT: readonly ErrorName[] = ['package_mismatch', 'stale_epoch', 'invalid_signature', 'statement_expired']
const PREKEYS: readonly ErrorName[] = ['prekey_reused', 'prekey_limit']

export const publishDevicePackage = defineOperation({
  id: 'publishDevicePackage',
  method: 'put',
  path: `${DEVICES}/{deviceId}`,
  summary: 'Publish a device credential and its key package',
  description:
    'Both signatures must verify, and core must attest the device right now. A package replaces only older versions. ' +
    'Idempotent per credential. When this returns, the credential will be added to the log.',
  auth: 'assertion',
  audiences: ['keys'],
  capability: 'root',
  owner: 'accountDid',
  params: device,
  body: publishPackageSchema,
  answer: { status: 200, description: 'Published', schema: publishedSchema },
  errors: [...ATTESTATION, ...STATEMENT, ...PREKEYS, 'stale_package', 'device_limit'],
})

export const listDevicePackages = defineOperation({
  id: 'listDevicePackages',
  method: 'get',
  path: DEVICES,
  summary: 'List the device packages of an account',
  description:
    'Every update of the account in order, without prekeys: packages in force whole, everything else as statements. ' +
    'Fold the statement hashes to check that nothing is missing. Empty if the account has published nothing.',
  auth: 'assertion',
  audiences: ['keys'],
  capability: 'directory:read',
  params: account,
  query: z.strictObject({ cursor: cursorSchema.optional() }),
  answer: { status: 200, description: 'One page', schema: directoryPageSchema },
  errors: ['invalid_cursor', 'dependency_unavailable'],
})

export const resolveDevicePackage = defineOperation({
  id: 'resolveDevicePackage',
  method: 'get',
  path: `${DEVICES}/{deviceId}`,
  summary: 'Read a device package',
  description: 'Returns no prekey. Rejected if core no longer attests the device.',
  auth: 'assertion',
  audiences: ['keys'],
  capability: 'directory:read',
  params: device,
  query: z.strictObject({
    profile: profileSchema.default('bound-v4'),
    suiteId: suiteIdSchema.default('mlkem768-mldsa65-sha3384'),
  }),
  answer: { status: 200, description: 'The package', schema: devicePackageSchema },
  errors: ['not_found', 'package_revoked', ...ATTESTATION],
})

export const reserveDevicePrekey = defineOperation({
  id: 'reserveDevicePrekey',
  method: 'post',
  path: `${DEVICES}/{deviceId}/prekeys/reserve`,
  summary: 'Reserve a prekey of a device',
  description:
    'Atomic: no two reservations get the same one-time prekey. Idempotent per Idempotency-Key for 24 hours; another body ' +
    'is rejected. A last-resort prekey is returned only if the policy allows it, and the answer says so. An account can ' +
    'ask strangers for a bot challenge.',
  auth: 'assertion',
  audiences: ['keys'],
  capability: 'prekeys:reserve',
  idempotencyKey: 'required',
  params: device,
  body: reservePrekeySchema,
  answer: { status: 200, description: 'The prekey and a receipt', schema: reservedPrekeySchema },
  errors: [
    'not_found',
    'package_revoked',
    'one_time_required',
    'prekeys_exhausted',
    'idempotency_conflict',
    'reservation_ended',
    'reservation_limit',
    'challenge_required',
    'challenge_failed',
    'receipts_unavailable',
    ...ATTESTATION,
  ],
})

export const addDevicePrekeys = defineOperation({
  id: 'addDevicePrekeys',
  method: 'post',
  path: `${DEVICES}/{deviceId}/prekeys`,
  summary: 'Add prekeys to a published package',
  description: 'By the device itself or the root key. Repeating a batch adds nothing.',
  auth: 'assertion',
  audiences: ['keys'],
  capability: 'prekeys:write',
  owner: 'accountDid',
  params: device,
  body: addPrekeysSchema,
  answer: { status: 200, description: 'What is in stock now', schema: stockAnswerSchema },
  errors: ['not_found', 'package_revoked', ...ATTESTATION, ...STATEMENT, ...PREKEYS],
})

export const readPrekeyPool = defineOperation({
  id: 'readPrekeyPool',
  method: 'get',
  path: `${DEVICES}/{deviceId}/prekeys`,
  summary: 'List what is left of a device’s prekeys and who reserved which',
  description:
    'For the account alone. Replenish where `low` is true; `kept` prekeys are for contacts. A reservation names who ' +
    'took a prekey, when it was reserved and when it expires (epoch ms). Prekeys are never in the log, so this is ' +
    'the service’s own account of them.',
  auth: 'assertion',
  audiences: ['keys'],
  capability: 'prekeys:write',
  owner: 'accountDid',
  params: device,
  query: z.strictObject({ cursor: cursorSchema.optional() }),
  answer: { status: 200, description: 'Stock and history', schema: poolSchema },
  errors: ['not_found', 'invalid_cursor', 'dependency_unavailable'],
})

export const revokeDevicePackage = defineOperation({
  id: 'revokeDevicePackage',
  method: 'post',
  path: `${DEVICES}/{deviceId}/revoke`,
  summary: 'Revoke the packages of a device',
  description: 'In force when this returns: its prekeys are superseded in the same transaction.',
  auth: 'assertion',
  audiences: ['keys'],
  capability: 'root',
  owner: 'accountDid',
  params: device,
  body: signedPackageRevocationSchema,
  answer: { status: 200, description: 'Revoked', schema: revokedSchema },
  errors: ['not_found', 'stale_package', ...STATEMENT, 'dependency_unavailable'],
})

const UNKNOWN_HEAD = 'The statement names an event that the inception log of the account does not have'

/** Every other reason that the directory gives is the name of a public error. */
function refused({ reason }: { readonly reason: ErrorName | 'unknown_head' }, now: number): ApiError {
  if (reason === 'unknown_head') return new ApiError('package_mismatch', { message: UNKNOWN_HEAD })
  return reason === 'statement_expired' ? new ApiError(reason, { serverTime: now }) : new ApiError(reason)
}

export const directoryRoutes = [
  keysRoute(publishDevicePackage, async ({ caller, params: { deviceId }, body, deps, now, background }) => {
    const published = await deps.directory.publish(caller, deviceId, body, now, background)
    if (published.ok) return published.value
    throw refused(published.error, now)
  }),
  keysRoute(listDevicePackages, async ({ params: { accountDid }, query: { cursor }, deps }) => {
    const page = await deps.directory.list(accountDid, cursor)
    if (page) return page
    throw new ApiError('invalid_cursor')
  }),
  keysRoute(resolveDevicePackage, async ({ params: { accountDid, deviceId }, query, deps, now }) => {
    const found = await deps.directory.find(accountDid, { deviceId, ...query }, 'cached', now)
    if (found.ok) return found.value
    throw refused(found.error, now)
  }),
  keysRoute(reserveDevicePrekey, async ({ caller, params, body, headers, idempotencyKey, deps, now }) => {
    const { accountDid, deviceId } = params
    const address = headers.get('cf-connecting-ip') ?? ''
    const by = { caller, address, now }
    const reserved = await deps.prekeys.reserve(by, accountDid, deviceId, body, idempotencyKey)
    if (reserved.ok) return reserved.value
    throw refused(reserved.error, now)
  }),
  keysRoute(addDevicePrekeys, async ({ caller, params: { deviceId }, body, deps, now }) => {
    const added = await deps.prekeys.add(caller, deviceId, body.prekeys, now)
    if (added.ok) return { stock: added.value }
    throw refused(added.error, now)
  }),
  keysRoute(readPrekeyPool, async ({ params: { accountDid, deviceId }, query, deps, now }) => {
    const pool = await deps.prekeys.pool(accountDid, deviceId, query.cursor)
    if (pool.ok) return pool.value
    throw refused(pool.error, now)
  }),
  keysRoute(revokeDevicePackage, async ({ caller, params: { deviceId }, body, deps, now, background }) => {
    const revoked = await deps.directory.revoke(caller, deviceId, body, now, background)
    if (revoked.ok) return revoked.value
    throw refused(revoked.error, now)
  }),
]
