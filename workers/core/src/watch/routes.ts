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
    '`rotation`, so that its owner can stop it in time. `devices` and `changes` are included for the owner (an assertion ' +
    'of the root key or of an active device) and for a valid watch token of the identity. Any other token is ignored, ' +
    'and so is an assertion of another identity: the response is then the public one.',
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
  summary: 'Register a watch token for the caller’s identity',
  description:
    'The client creates the token, 256 random bits as base64url, and sends its hash: core sees the token only when it ' +
    `is used. A root key has at most ${MAX_ROOT_WATCH_TOKENS} tokens, and a device at most ${MAX_DEVICE_WATCH_TOKENS}. A ` +
    'withdrawn token counts until it stops working. Idempotent for a token that was not withdrawn.',
  auth: 'assertion-with-work',
  audiences: ['chain'],
  // Open to every active device, so that it can still watch the identity after it was revoked.
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
  description: 'Lists the tokens by hash, oldest first, including withdrawn ones that still work.',
  auth: 'assertion-with-work',
  audiences: ['chain'],
  capability: 'account:read',
  answer: { status: 200, description: 'All tokens that work', schema: watchTokensSchema },
})

export const withdrawWatchToken = defineOperation({
  id: 'withdrawWatchToken',
  method: 'delete',
  path: '/api/chain/watch/{tokenHash}',
  summary: 'Withdraw a watch token, which works for 30 more days',
  description:
    'The root key can withdraw every token, and a device its own. A rotation of the root key withdraws all tokens, and a ' +
    'revocation those of the device. Registering a token withdraws those of expired devices. A withdrawn token works for ' +
    '30 more days, so that a thief cannot keep the owner from watching before the owner’s devices lose their standing. ' +
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
