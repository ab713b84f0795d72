import {
  MAX_PAGE_PINS,
  type Pinned,
  pinnedSchema,
  pinPageSchema,
  pinQuerySchema,
  pinRequestSchema,
} from '@svc/protocol/ledger/pinning'
import { decodeCursor, encodeCursor } from '@svc/protocol/merkle/cursor'
import { ApiError, defineOperation } from '@svc/service'
import { coreRoute } from '../service.ts'
import { FETCHES } from './fetch-limit.ts'
import type { Pin } from './pin-store.ts'
import { cidParams, fileError } from './routes.ts'

export const pinContent = defineOperation({
  id: 'pinContent',
  method: 'post',
  path: '/api/ipfs/pin',
  summary: 'Pin content permanently',
  description:
    'With the provider named in the capabilities: `object-store` fetches, verifies and stores every block; ' +
    '`external-http` uses a pinning service. At most 1,000 pins per identity. Idempotent: returns the existing pin.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'assets:write',
  body: pinRequestSchema,
  handlerWindows: [FETCHES],
  answer: { status: 200, description: 'The pin', schema: pinnedSchema },
  errors: [
    'pinning_disabled',
    'cid_unsupported',
    'not_found',
    'taken_down',
    'not_a_file',
    'content_too_large',
    'pin_limit',
    'budget_exhausted',
  ],
})

export const listPins = defineOperation({
  id: 'listPins',
  method: 'get',
  path: '/api/ipfs/pins',
  summary: 'List the caller’s pins',
  description: `By CID, ${MAX_PAGE_PINS} per page. The status is the one that the provider last reported.`,
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'assets:read',
  query: pinQuerySchema,
  answer: { status: 200, description: 'A page', schema: pinPageSchema },
  errors: ['invalid_cursor', 'dependency_unavailable'],
})

export const unpinContent = defineOperation({
  id: 'unpinContent',
  method: 'delete',
  path: '/api/ipfs/pins/{cid}',
  summary: 'Remove a pin',
  description:
    'The stored blocks are deleted with the last pin of the content; a pinning service is asked to drop its pin.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'assets:write',
  params: cidParams,
  answer: { status: 200, description: 'The pin that was removed', schema: pinnedSchema },
  errors: ['cid_unsupported', 'not_found', 'dependency_unavailable'],
})

export const pinRoutes = [
  coreRoute(pinContent, async ({ caller, body, deps, now }) => {
    const pinned = await deps.pinning.pin(caller.did, { cid: body.cid, name: body.name ?? null }, now)
    if (!pinned.ok) throw fileError(pinned.error)
    return pinnedOf(pinned.value)
  }),
  coreRoute(listPins, async ({ caller, query, deps }) => {
    const list = ['pins', caller.did]
    const after = query.cursor === undefined ? '' : decodeCursor(list, query.cursor)
    if (typeof after !== 'string') throw new ApiError('invalid_cursor')
    const found = await deps.pins.list(caller.did, after, MAX_PAGE_PINS + 1)
    const pins = found.slice(0, MAX_PAGE_PINS)
    const last = found.length > MAX_PAGE_PINS ? pins.at(-1) : undefined
    return { pins: pins.map(pinnedOf), cursor: last ? encodeCursor(list, last.cid) : null }
  }),
  coreRoute(unpinContent, async ({ caller, params, deps }) => {
    const removed = await deps.pinning.unpin(caller.did, params.cid)
    if (!removed.ok) throw new ApiError(removed.error.reason)
    return pinnedOf(removed.value)
  }),
]

function pinnedOf({ cid, name, provider, status, bytes, pinnedAt }: Pin): Pinned {
  return { cid, ...(name === null ? {} : { name }), provider, status, bytes, pinnedAt }
}
