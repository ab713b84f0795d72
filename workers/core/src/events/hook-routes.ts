import {
  createHookSchema,
  eventHookSchema,
  eventHooksSchema,
  HOOK_FAILING_DAYS,
  HOOK_PENDING_HOURS,
  HOOK_TIMEOUT_SECONDS,
  hookIdSchema,
  MAX_EVENT_HOOKS,
} from '@svc/protocol/events/hooks'
import { ApiError, defineOperation } from '@svc/service'
import * as z from 'zod'
import { coreRoute } from '../service.ts'
import type { HookRefusal } from './hooks.ts'

const params = z.strictObject({ hookId: hookIdSchema })

export const createEventHook = defineOperation({
  id: 'createEventHook',
  method: 'post',
  path: '/api/events/hooks',
  summary: 'Name an address that is to be told of events',
  description:
    `Nothing is sent to it yet: have it prove that it is yours within ${HOOK_PENDING_HOURS} hours. An identity has at ` +
    `most ${MAX_EVENT_HOOKS} hooks. A hook tells what happens after it was created.`,
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'root',
  callerWindow: { counter: 'event-hooks', limit: 100, seconds: 86_400, protects: 'work', tier: 'event-hooks' },
  body: createHookSchema,
  answer: { status: 201, description: 'The hook, pending', schema: eventHookSchema },
  errors: ['hook_address_refused', 'hook_limit'],
})

export const listEventHooks = defineOperation({
  id: 'listEventHooks',
  method: 'get',
  path: '/api/events/hooks',
  summary: 'List the web hooks of the caller',
  description: 'With what each has delivered, and why its newest delivery failed. Any active device may look.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'any',
  answer: { status: 200, description: 'The hooks, the oldest first', schema: eventHooksSchema },
})

export const verifyEventHook = defineOperation({
  id: 'verifyEventHook',
  method: 'post',
  path: '/api/events/hooks/{hookId}/verification',
  summary: 'Have the address of a web hook prove that it is yours',
  description:
    'Takes no body. Core posts a signed challenge that does not name your identity; the address answers 200 with your ' +
    `DID and the challenge, within ${HOOK_TIMEOUT_SECONDS} seconds. The hook is then active. Idempotent. A hook that ` +
    `was disabled after ${HOOK_FAILING_DAYS} days of failures, or is being deleted, is active again.`,
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'root',
  callerWindow: { counter: 'event-hook-proofs', limit: 10, seconds: 3_600, protects: 'work', tier: 'event-hooks' },
  params,
  answer: { status: 200, description: 'The hook, active', schema: eventHookSchema },
  errors: ['not_found', 'hook_address_refused', 'hook_not_proved', 'receipts_unavailable'],
})

export const deleteEventHook = defineOperation({
  id: 'deleteEventHook',
  method: 'delete',
  path: '/api/events/hooks/{hookId}',
  summary: 'Delete a web hook',
  description:
    'Idempotent until the hook is gone. One that was proved gets a last delivery, which ends with `hook.removed`. While ' +
    'a device has standing, a hook that was active for one window of a rotation goes on for another, and the event ' +
    '`hook.removing` says so at once; the verification keeps it.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'root',
  params,
  answer: { status: 200, description: 'The hook, as it is being deleted', schema: eventHookSchema },
  errors: ['not_found'],
})

export const eventHookRoutes = [
  coreRoute(createEventHook, async ({ caller, body, deps }) => {
    const created = await deps.hooks.create(caller, body.url)
    if (!created.ok) throw hookError(created.error)
    return created.value
  }),
  coreRoute(listEventHooks, async ({ caller, deps }) => ({ hooks: await deps.hooks.list(caller) })),
  coreRoute(verifyEventHook, async ({ caller, params: { hookId }, deps, now }) => {
    const verified = await deps.hooks.verify(caller, hookId, now)
    if (!verified.ok) throw hookError(verified.error)
    return verified.value
  }),
  coreRoute(deleteEventHook, async ({ caller, params: { hookId }, deps }) => {
    const removed = await deps.hooks.remove(caller, hookId)
    if (!removed.ok) throw hookError(removed.error)
    return removed.value
  }),
]

function hookError({ reason }: HookRefusal): ApiError {
  return new ApiError(reason === 'address' ? 'hook_address_refused' : reason)
}
