import { GENERAL_NONCE, mayUse, verifyAssertion } from '#assertion'
import { parseCredential } from '#assertion/payload'
import { hashHexAsync } from '#protocol/base/hash'
import { checkCall, type Members } from '../arguments/check.ts'
import type { ExplainedRequest } from './explained-request.ts'
import { type ExplanationCode, type Finding, findingOf, tooFewCapabilities } from './findings.ts'

/** Core's. The other services allow 300,000 ms. */
const CORE_SKEW_MS = 120_000

const REQUEST: Members<ExplainedRequest> = {
  method: 1,
  url: 1,
  body: 0,
  origin: 0,
  aliases: 0,
  audiences: 0,
  capability: 0,
  acceptsDevices: 0,
  noncePattern: 0,
  now: 0,
  skewMs: 0,
}

export interface Explanation {
  /** True if nothing that can be known offline speaks against the assertion. */
  readonly ok: boolean
  /** The first check that fails, in the order of the services; null if none does. */
  readonly code: ExplanationCode | null
  /** The member of the payload that it is about; null if there is none. */
  readonly member: string | null
  /** What is wrong and what to do, in plain words. */
  readonly text: string
  /** What only the service can know. */
  readonly unknown: readonly string[]
}

/**
 * Says why a service refuses an assertion, or would: services say so only in their logs. Runs the checks of the services
 * in their order, with the same code. Offline; needs no client and no key.
 *
 * @param assertion the value of the Authorization header
 */
export async function explain(assertion: string | undefined, request: ExplainedRequest): Promise<Explanation> {
  checkCall('explain', [assertion, request], ['assertion?', ['request', REQUEST]])
  const finding = await firstFinding(assertion, request)
  return {
    ok: finding === null,
    code: finding?.code ?? null,
    member: finding?.member ?? null,
    text: finding?.text ?? 'Nothing in the assertion speaks against it.',
    unknown: unknownOf(request),
  }
}

async function firstFinding(assertion: string | undefined, request: ExplainedRequest): Promise<Finding | null> {
  const { origin, pathname, search } = new URL(request.url)
  const { now = Date.now(), skewMs = CORE_SKEW_MS, capability = 'any', audiences } = request
  const claimed = parseCredential(assertion ?? '')?.claimed ?? null
  const bodyHash = await hashHexAsync(bytesOf(request.body))
  const expected = {
    expectedAudiences: audiences ?? [typeof claimed?.['aud'] === 'string' ? claimed['aud'] : ''],
    skewMs,
    noncePattern: request.noncePattern ?? GENERAL_NONCE,
    expectedOrigins: [origin, ...(request.aliases ?? [])],
    acceptsDevices: request.acceptsDevices ?? true,
    requiredCapability: capability,
  }
  const verified = await verifyAssertion(
    {
      authorization: assertion,
      method: request.method,
      target: pathname + search,
      origin: request.origin,
      bodyHash: () => Promise.resolve(bodyHash),
    },
    expected,
    now,
  )
  if (!verified.ok) return findingOf(verified.error, { claimed, assertion, request, expected, bodyHash, now })
  const { device } = verified.value
  return device && !mayUse(capability, device) ? tooFewCapabilities(capability) : null
}

function bytesOf(body: ExplainedRequest['body']): Uint8Array {
  return typeof body === 'string' ? new TextEncoder().encode(body) : (body ?? new Uint8Array())
}

function unknownOf({ audiences, capability }: ExplainedRequest): string[] {
  return [
    'whether the key may still act: it was not replaced, revoked or deactivated',
    'whether the nonce was used before: each assertion counts once',
    ...(audiences ? [] : ['whether the route takes this `aud`: pass `audiences`']),
    ...(capability ? [] : ['whether a device may use the route: pass `capability`']),
  ]
}
