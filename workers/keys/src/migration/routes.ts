import type { Caller } from '@svc/assertion'
import { userIdSchema } from '@svc/protocol/base/identity'
import { inventorySchema, inventoryUploadSchema, MIGRATION_SUNSET } from '@svc/protocol/keys/capabilities'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { keysRoute } from '../service.ts'
import type { Services } from '../services.ts'

const answer = { status: 200, description: 'The inventory', schema: inventorySchema } as const
const errors = ['owner_mismatch', 'migration_only', 'inventory_limit', 'endpoint_retired'] as const
const description =
  'Records what an earlier system held: names and hashes, never keys. Nothing of it is given out, and a body that names a ' +
  'native profile or suite is rejected. Ends at the sunset.'

/** Native packages do not belong here. Checked before the schema, for an error of its own. */
function screen(body: unknown): ApiError | null {
  const isNative = typeof body === 'object' && body !== null && ['profile', 'suiteId'].some((name) => name in body)
  return isNative ? new ApiError('migration_only') : null
}

export const uploadPrekeyInventory = defineOperation({
  id: 'uploadPrekeyInventory',
  method: 'post',
  path: '/api/prekeys/upload',
  summary: 'Record prekeys of an earlier system',
  description,
  auth: 'assertion',
  audiences: ['keys'],
  capability: 'prekeys:write',
  body: inventoryUploadSchema,
  screen,
  answer,
  errors,
})

export const replenishPrekeyInventory = defineOperation({
  id: 'replenishPrekeyInventory',
  method: 'post',
  path: '/api/prekeys/replenish',
  summary: 'Record more prekeys of an earlier system',
  description,
  auth: 'assertion',
  audiences: ['keys'],
  capability: 'prekeys:write',
  body: inventoryUploadSchema,
  screen,
  answer,
  errors,
})

export const readPrekeyInventory = defineOperation({
  id: 'readPrekeyInventory',
  method: 'get',
  path: '/api/prekeys/{userId}',
  summary: 'List the caller’s own inventory',
  description,
  auth: 'assertion',
  audiences: ['keys'],
  capability: 'prekeys:write',
  params: z.strictObject({ userId: userIdSchema }),
  answer,
  errors: ['owner_mismatch', 'endpoint_retired'],
})

function requireOwn({ userId }: Caller, claimed: string, now: number): void {
  if (now >= Date.parse(MIGRATION_SUNSET)) throw new ApiError('endpoint_retired')
  if (claimed !== userId) throw new ApiError('owner_mismatch')
}

async function inventoryOf(deps: Services, { did, userId }: Caller) {
  return { user_id: userId, keys: await deps.inventory.list(did), handedOut: false as const, sunset: MIGRATION_SUNSET }
}

const record = async (deps: Services, caller: Caller, body: z.output<typeof inventoryUploadSchema>, now: number) => {
  requireOwn(caller, body.user_id, now)
  if (!(await deps.inventory.add(caller.did, body.keys, now))) throw new ApiError('inventory_limit')
  return inventoryOf(deps, caller)
}

export const migrationRoutes = [
  keysRoute(uploadPrekeyInventory, ({ caller, body, deps, now }) => record(deps, caller, body, now)),
  keysRoute(replenishPrekeyInventory, ({ caller, body, deps, now }) => record(deps, caller, body, now)),
  keysRoute(readPrekeyInventory, ({ caller, params: { userId }, deps, now }) => {
    requireOwn(caller, userId, now)
    return inventoryOf(deps, caller)
  }),
]
