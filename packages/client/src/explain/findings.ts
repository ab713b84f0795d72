import type { AssertionRefusal, RouteCapability } from '#assertion'
import { devicePayloadSchema, payloadSchema, SCHEME } from '#assertion/payload'
import type { ExplainedRequest } from './explained-request.ts'

/** The checks of the services, in their order. The page on assertions has them. */
export type ExplanationCode =
  | 'missing'
  | 'credential'
  | 'audience'
  | 'nonce_form'
  | 'device_keys_disabled'
  | 'purpose'
  | 'payload'
  | 'times'
  | 'too_long'
  | 'not_yet_valid'
  | 'expired'
  | 'method'
  | 'url'
  | 'origin'
  | 'key'
  | 'signature'
  | 'body'
  | 'capability'

export interface Finding {
  readonly code: ExplanationCode
  readonly member: string | null
  readonly text: string
}

interface Circumstances {
  readonly claimed: Readonly<Record<string, unknown>> | null
  readonly assertion: string | undefined
  readonly request: ExplainedRequest
  readonly expected: { readonly expectedAudiences: readonly string[]; readonly skewMs: number }
  readonly bodyHash: string
  readonly now: number
}

const finding = (code: ExplanationCode, member: string | null, text: string): Finding => ({ code, member, text })

/** A member as JSON, so that a string, a number and a missing one look different. */
const shown = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value))

/** What a refusal of the verifier means for this request. */
export function findingOf(refusal: AssertionRefusal, about: Circumstances): Finding {
  const { claimed, expected, now } = about
  switch (refusal.reason) {
    case 'missing':
      return finding(
        'missing',
        null,
        `The request has no Authorization header: send \`${SCHEME} <payload>.<signature>\`.`,
      )
    case 'malformed':
      return malformed(refusal.detail, about)
    case 'audience': {
      const wanted = expected.expectedAudiences.map(shown).join(' or ')
      return finding(
        'audience',
        'aud',
        `The route takes the audience ${wanted}; the assertion is for ${shown(claimed?.['aud'])}.`,
      )
    }
    case 'nonce_form':
      return finding(
        'nonce_form',
        'nonce',
        'The nonce does not have the form that the route requires. 24 characters of A-Z a-z 0-9 _ - fit every route.',
      )
    case 'device_keys_disabled':
      return finding(
        'device_keys_disabled',
        'version',
        'This deployment takes no assertions of devices: sign with the root key.',
      )
    case 'too_long':
      return finding(
        'too_long',
        'expiresAt',
        'It would be valid for more than one hour: sign for less. The SDK signs for one minute.',
      )
    case 'not_yet_valid':
      return finding(
        'not_yet_valid',
        'issuedAt',
        clockText(`was signed ${seconds(Number(claimed?.['issuedAt']) - now)} in the future`, expected.skewMs),
      )
    case 'expired':
      return finding(
        'expired',
        'expiresAt',
        clockText(`expired ${seconds(now - Number(claimed?.['expiresAt']))} ago`, expected.skewMs),
      )
    case 'binding':
      return unbound(refusal.member, about)
    case 'signature':
      return finding(
        'signature',
        null,
        'The signature is not one of the key in the payload over exactly the payload bytes that were sent. Sign the bytes, and encode the same bytes: do not serialize them twice. ML-DSA-65, pure, empty context.',
      )
  }
}

export function tooFewCapabilities(required: RouteCapability): Finding {
  const needed = required === 'root' ? 'the root key' : `the capability \`${required}\``
  return finding(
    'capability',
    'capabilities',
    `The route needs ${needed}, and the device does not claim it. The service spends the assertion and answers 403.`,
  )
}

/** The verifier has one reason for all that is not well-formed; its detail is a member. */
function malformed(detail: string, { claimed, assertion }: Circumstances): Finding {
  if (!claimed) {
    const isBare = !assertion?.toLowerCase().startsWith(`${SCHEME.toLowerCase()} `)
    const text = isBare
      ? `The header does not begin with \`${SCHEME} \`.`
      : 'After the scheme there must be the payload and the signature, both base64url without padding, with a dot between them, and the payload must be a JSON object.'
    return finding('credential', null, text)
  }
  const schema = claimed['version'] === 2 ? devicePayloadSchema : payloadSchema
  if (!schema.safeParse(claimed).success) {
    const isPurpose = detail === 'purpose' || detail === 'version'
    const text = isPurpose
      ? 'A root key signs `version` 1 with the `purpose` "auth/session", a device `version` 2 with "auth/device-session".'
      : `\`${detail}\` is missing or does not have its type.`
    return finding(isPurpose ? 'purpose' : 'payload', detail, `${text} It is ${shown(claimed[detail])}.`)
  }
  if (detail === 'expiresAt')
    return finding('times', detail, '`expiresAt` must be after `issuedAt`. Both are epoch milliseconds.')
  return finding('key', detail, KEY_RULES[detail] ?? `\`${detail}\` does not follow from the public key.`)
}

const KEY_RULES: Readonly<Record<string, string>> = {
  chainId: '`chainId` must equal `publicChainKey`.',
  publicChainKey: '`publicChainKey` must be 1,952 bytes as base64url without padding.',
  userId: '`userId` must be the SHA3-384 of the public key, in lower-case hex.',
  devicePublicKey: '`devicePublicKey` must be 1,952 bytes as base64url without padding.',
  deviceId: '`deviceId` must be derived from `devicePublicKey`.',
  did: '`did` must be derived from `scope`.',
}

function unbound(
  member: 'htm' | 'htu' | 'bodyHash' | 'origin',
  { claimed, request, bodyHash }: Circumstances,
): Finding {
  switch (member) {
    case 'htm':
      return finding(
        'method',
        member,
        `It is for ${shown(claimed?.[member])}; the request is ${shown(request.method)}. Methods are upper case.`,
      )
    case 'htu': {
      const { origin, pathname, search } = new URL(request.url)
      return finding(
        'url',
        member,
        `It is for ${shown(claimed?.[member])}; the request went to ${shown(origin + pathname + search)}. Sign the URL as the URL parser writes it, with the query and without the fragment.`,
      )
    }
    case 'origin':
      return finding(
        'origin',
        member,
        `The device belongs to ${shown(claimed?.[member])}; the request has the Origin ${shown(request.origin)}.`,
      )
    case 'bodyHash':
      return finding(
        'body',
        member,
        `The body that was sent has the SHA3-384 ${bodyHash}; the assertion is for ${shown(claimed?.[member])}. Hash the bytes that are sent; an empty body has a hash, too.`,
      )
  }
}

function clockText(what: string, skewMs: number): string {
  return `By the clock of the service it ${what}; ${seconds(skewMs)} of difference are allowed. Correct your clock by \`serverTime\` of the refusal, and sign again.`
}

const seconds = (ms: number) => `${Math.round(ms / 1000)} s`
