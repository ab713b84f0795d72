/**
 * Web hooks of the event feed (workers/docs/pages/developer/event-hooks.md): core sends pages of the feed to an address
 * whose control the owner has proved. What is sent is what `GET /api/events` answers, signed in the same way.
 *
 * @module
 */
import * as z from 'zod'
import { didSchema, publicKeySchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import { signedSchema, statementSchema } from '../base/statement.ts'

export const MAX_EVENT_HOOKS = 5
export const MAX_HOOK_URL = 512
/** What was not proved by then is deleted. */
export const HOOK_PENDING_HOURS = 24
/** A hook without a success for as long is disabled. */
export const HOOK_FAILING_DAYS = 3
/** A disabled hook is listed for as long. */
export const HOOK_DISABLED_DAYS = 30
/**
 * Deliveries of one hook in a day (UTC), repeated ones included. Those with an event that decides are not counted. A hook
 * in the place of a deleted one goes on with its number, so that an identity has five times as many.
 */
export const MAX_HOOK_DELIVERIES = 200
/** For how long a hook that is being deleted is told of that, if its address fails. */
export const HOOK_FAREWELL_DAYS = 3
export const HOOK_TIMEOUT_SECONDS = 5
/** How much core reads of an answer. */
export const MAX_HOOK_ANSWER = 1024
export const HOOK_EVENTS = 50

const HOOK_ID = /^[A-Za-z0-9_-]{22}$/
export const hookIdSchema = /* @__PURE__ */ pure(() => z.string().regex(HOOK_ID, 'must be 22 base64url characters'))

export const createHookSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      url: z.string().min(1).max(MAX_HOOK_URL).meta({
        description: 'An `https` address on port 443 with a public name, without user name and fragment',
        example: 'https://hooks.example.org/svc',
      }),
    })
    .meta({ id: 'CreateEventHook' }),
)

export const HOOK_FAILURES = ['unreachable', 'timeout', 'redirect', 'status'] as const
export type HookFailure = (typeof HOOK_FAILURES)[number]

export const eventHookSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      hookId: hookIdSchema,
      url: z.string().max(MAX_HOOK_URL),
      status: z.enum(['pending', 'active', 'disabled', 'removing']).meta({
        description:
          '`pending` until the address has proved itself; `disabled` after three days without a success, or by 410; `removing` once it was deleted, until `removesAt` and its last delivery',
      }),
      createdAt: z.int().min(0).meta({ description: 'Epoch ms' }),
      delivered: z.int().min(0).meta({ description: 'The number of the last event that the address took' }),
      failure: z
        .enum(HOOK_FAILURES)
        .nullable()
        .meta({ description: 'Why the newest delivery failed; null if it did not' }),
      nextAttemptAt: z.int().min(0).nullable().meta({ description: 'Epoch ms; null if nothing waits' }),
      removesAt: z.int().min(0).nullable().meta({
        description: 'When its deletion takes effect, epoch ms; null if it was not deleted',
      }),
    })
    .meta({ id: 'EventHook', description: 'An address that is told of events' }),
)
export type EventHook = z.infer<typeof eventHookSchema>

export const eventHooksSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ hooks: z.array(eventHookSchema).max(MAX_EVENT_HOOKS) }).meta({ id: 'EventHooks' }),
)

/** It does not name the identity: who proves control of the address has to know whose hook it is. */
export const eventChallengeSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/event-challenge/v1', {
    hookId: hookIdSchema,
    url: z.string().max(MAX_HOOK_URL),
    challenge: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43}$/)
      .meta({ description: '256 random bits, to be repeated' }),
  }).meta({ id: 'EventChallenge', description: 'Core asks an address whose hook it is' }),
)
export const signedEventChallengeSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ ...signedSchema(eventChallengeSchema).shape, publicKeyB64u: publicKeySchema })
    .meta({ id: 'SignedEventChallenge' }),
)
export type SignedEventChallenge = z.infer<typeof signedEventChallengeSchema>

/** What the address answers with 200. */
export const challengeAnswerSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ did: didSchema, challenge: z.string().max(64) }).meta({ id: 'EventChallengeAnswer' }),
)

export type AddressFault =
  | 'malformed'
  | 'not_https'
  | 'port'
  | 'credentials'
  | 'fragment'
  | 'too_long'
  | 'ip_address'
  | 'private_name'
  | 'own_host'

/** Names below these never lead to a public host. */
const PRIVATE_SUFFIXES = /* @__PURE__ */ new Set([
  'alt',
  'arpa',
  'corp',
  'example',
  'home',
  'internal',
  'intranet',
  'invalid',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'onion',
  'private',
  'test',
])

export interface AddressRules {
  /** Host names of the deployment. */
  readonly ownHosts: readonly string[]
  /** A local deployment may also tell `http://localhost`. */
  readonly isLocal: boolean
}

/** Why core sends nothing to an address; null if it may. Whatever a name resolves to is not known here. */
export function addressFault(text: string, { ownHosts, isLocal }: AddressRules): AddressFault | null {
  // The parser removes tabs and line breaks, and so would show another address than the one it was given.
  const url = /^[!-~]+$/.test(text) ? URL.parse(text) : null
  if (!url) return 'malformed'
  // As it is kept: the parser escapes some characters.
  if (Math.max(text.length, url.href.length) > MAX_HOOK_URL) return 'too_long'
  if (url.username !== '' || url.password !== '') return 'credentials'
  if (text.includes('#')) return 'fragment'
  if (isLocal && url.protocol === 'http:' && url.hostname === 'localhost') return null
  if (url.protocol !== 'https:') return 'not_https'
  if (url.port !== '') return 'port'
  return hostFault(url.hostname, ownHosts)
}

/** The parser has brought every spelling of an IPv4 address to four decimal numbers, and an IPv6 address into brackets. */
function hostFault(host: string, ownHosts: readonly string[]): AddressFault | null {
  if (host.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(host)) return 'ip_address'
  const labels = host.split('.')
  const last = labels.at(-1) ?? ''
  if (labels.length < 2 || last === '' || PRIVATE_SUFFIXES.has(last)) return 'private_name'
  return ownHosts.some((own) => host === own || host.endsWith(`.${own}`)) ? 'own_host' : null
}
