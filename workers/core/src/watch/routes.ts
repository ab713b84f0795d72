import type { SpendRefusal } from '@svc/assertion'
import { didSchema } from '@svc/protocol/base/identity'
import { rootAnswerSchema } from '@svc/protocol/chain/api'
import {
  MAX_DEVICE_WATCH_TOKENS,
  MAX_ROOT_WATCH_TOKENS,
  WATCH_HEADER,
  watchTokenHashSchema,
  watchTokenRecordSchema,
  watchTokenRequestSchema,
  watchTokensSchema,
} from '@svc/protocol/chain/watch'
import { ApiError, defineOperation, isSpendRefusal, spendError } from '@svc/service'
import * as z from 'zod'
import { CORE_REFUSALS, coreRoute } from '../service.ts'
import type { WatchRefusal } from './transaction.ts'

const limit = { counter: 'watch', limit: 20, protects: 'storage' } as const
const token = { status: 200, description: 'The token, by its hash', schema: watchTokenRecordSchema } as const

export const readRoot = defineOperation({
  id: 'readRoot',
  method: 'get',
  path: '/api/chain/root/{did}',
  summary: 'Read the current root public key and epoch of an identity',
  description:
    'Everyone can read it. Verify the answer: `userId` is SHA3-384 of the key; at epoch 0 it gives the DID, and at a ' +
    'later epoch the key must be the last one of the verified history. A pending rotation or deactivation is in ' +
    '`rotation`, so that its owner can stop it in time. `devices` and `changes` are shown to the owner (an assertion of ' +
    'the root key or of an active device) and to those who send a watch token of the identity. Anything else in that ' +
    'header is ignored, as is an assertion of somebody else: the answer is then the same as without.',
  auth: 'optional-assertion',
  audiences: ['chain'],
  capability: 'any',
  optionalToken: WATCH_HEADER,
  params: z.strictObject({ did: didSchema }),
  answer: { status: 200, description: 'The root', schema: rootAnswerSchema },
  errors: ['not_found', 'dependency_unavailable'],
})

export const makeWatchToken = defineOperation({
  id: 'makeWatchToken',
  method: 'post',
  path: '/api/chain/watch',
  summary: 'Make a token for looking at the caller’s identity',
  description:
    'The client makes the token, 256 random bits as base64url, and sends its hash: core learns the token when it is ' +
    `used. The root key has at most ${MAX_ROOT_WATCH_TOKENS} in its epoch, each device ${MAX_DEVICE_WATCH_TOKENS}; one ` +
    'that was withdrawn counts while it works. Idempotent for a token that was not withdrawn.',
  auth: 'assertion-with-work',
  audiences: ['chain'],
  // Every active device has one, so that it can look when it is active no more.
  capability: 'any',
  limit,
  body: watchTokenRequestSchema,
  answer: token,
  errors: ['watch_limit'],
})

export const listWatchTokens = defineOperation({
  id: 'listWatchTokens',
  method: 'get',
  path: '/api/chain/watch',
  summary: 'List the watch tokens of the caller’s identity',
  description: 'By their hashes, the oldest first, withdrawn ones as long as they work.',
  auth: 'assertion-with-work',
  audiences: ['chain'],
  capability: 'account:read',
  answer: { status: 200, description: 'All that work', schema: watchTokensSchema },
})

export const withdrawWatchToken = defineOperation({
  id: 'withdrawWatchToken',
  method: 'delete',
  path: '/api/chain/watch/{tokenHash}',
  summary: 'Withdraw a watch token, which works for 30 more days',
  description:
    'By the root key, or by the device that made it. A rotation of the root key withdraws all of them, a revocation ' +
    'those of the device, and the next token that is made those of devices that have expired. Each works for 30 more ' +
    'days, so that a thief cannot blind the owner sooner than they can take the standing of the owner’s devices. ' +
    'Idempotent: the first withdrawal counts.',
  auth: 'assertion-with-work',
  audiences: ['chain'],
  capability: 'any',
  limit,
  params: z.strictObject({ tokenHash: watchTokenHashSchema }),
  answer: token,
  errors: ['not_found', 'owner_mismatch'],
})

export const watchRoutes = [
  coreRoute(readRoot, async ({ params, caller, optionalToken, deps, background }) => {
    const root = await deps.watch.root(params.did, { token: optionalToken, caller }, background)
    if (!root) throw new ApiError('not_found')
    return root
  }),
  coreRoute(makeWatchToken, async ({ assertion, body, deps, now }) => {
    const made = await deps.watch.make(assertion.take(), body.tokenHash)
    if (made.ok) return made.value
    throw watchError(made.error, now)
  }),
  coreRoute(listWatchTokens, async ({ assertion, deps, now }) => {
    const listed = await deps.watch.list(assertion.take())
    if (listed.ok) return listed.value
    throw spendError(listed.error, CORE_REFUSALS, now)
  }),
  coreRoute(withdrawWatchToken, async ({ assertion, params, deps, now }) => {
    const withdrawn = await deps.watch.withdraw(assertion.take(), params.tokenHash)
    if (withdrawn.ok) return withdrawn.value
    throw watchError(withdrawn.error, now)
  }),
]

function watchError(refusal: SpendRefusal | WatchRefusal, now: number): ApiError {
  return isSpendRefusal(refusal) ? spendError(refusal, CORE_REFUSALS, now) : new ApiError(refusal.reason)
}
