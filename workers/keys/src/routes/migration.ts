import type { Caller } from '@svc/assertion'
import { userIdSchema } from '@svc/protocol/identity'
import { inventorySchema, inventoryUploadSchema, MIGRATION_SUNSET } from '@svc/protocol/key-capabilities'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { keysRoute } from '../route.ts'
import type { Services } from '../services.ts'

const answer = { status: 200, description: 'The inventory', schema: inventorySchema } as const
const errors = ['owner_mismatch', 'migration_only', 'inventory_limit', 'endpoint_retired'] as const
const description =
  'For taking stock of what an earlier system held: names and hashes, never keys. Nothing of it is handed out, and what ' +
  'names a native profile or suite is refused. Ends at the sunset.'

/** Document 2 section 4.4: not accepted for native v4. Looked at before the schema, to be refused by its own name. */
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
  body: inventoryUploadSchema,
  screen,
  answer,
  errors,
})

export const replenishPrekeyInventory = defineOperation({
  id: 'replenishPrekeyInventory',
  method: 'post',
  path: '/api/prekeys/replenish',
  summary: 'Record more of them',
  description,
  auth: 'assertion',
  body: inventoryUploadSchema,
  screen,
  answer,
  errors,
})

export const readPrekeyInventory = defineOperation({
  id: 'readPrekeyInventory',
  method: 'get',
  path: '/api/prekeys/{userId}',
  summary: 'The caller’s own inventory',
  description,
  auth: 'assertion',
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
