/** What the tests of organizations share: one with officers and a licence, and members who have accepted. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/pqc'
import { signStatement } from '@svc/protocol/base/statement'
import {
  EMPTY_ORG_HEAD,
  type OrgBinding,
  type OrgEvent,
  type SignedOrgAcceptance,
} from '@svc/protocol/did/org-bindings'
import { subjectHashOf } from '@svc/protocol/did/subject-hash'
import type { Tier } from '@svc/protocol/pay/tiers'
import { ALLOWED_ORIGIN, coreAnswering, type Exchange, Prober } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { REALM, signerOf } from '@svc/testing'
import { service } from '../../src/app.ts'
import type { OrganizationObject } from '../../src/organizations/object.ts'
import { BASE, caller, freshAddress, send, sendToCore } from '../harness.ts'

/** Pay as the public reaches it; `PAY` is its internal side. */
const { TEST_PAY } = env as unknown as { readonly TEST_PAY: Fetcher }

const OPERATOR_SEED = new Uint8Array(32).fill(7)
const YEAR_MS = 365 * 24 * 3_600_000
export const PROVIDER = 'login.example.com'
export const prober = new Prober({ service, send, base: BASE })

/** The service with bindings replaced. */
export const without = (replaced: object) =>
  new Prober({ service, base: BASE, send: async (request) => service.app.fetch(request, { ...env, ...replaced }) })

/** Core’s internal side, but for the paths that are cut off. */
export const coreWithout = (cut: RegExp, answer: (request: Request) => Promise<Response>): Fetcher =>
  coreAnswering(async (request) => (cut.test(request.url) ? answer(request) : env.CORE.fetch(request)))

export const callers = (count: number): Promise<TestCaller[]> =>
  Promise.all(Array.from({ length: count }, () => caller()))

/** Makes a caller an organization of these officers at core. */
export async function incepted(org: TestCaller, officers: readonly TestCaller[], quorum = 1): Promise<void> {
  const { organization: own, devices } = org.client
  const dids = officers.map(({ identity }) => identity.did)
  const statement = await own.makeInception(dids, quorum, await devices.head())
  const acceptances = await Promise.all(officers.map(({ client }) => client.organization.accept(statement)))
  await own.incept(statement, acceptances)
}

/** Changes the officers of an organization, approved by those who are outgoing. */
export async function officersBecome(
  org: TestCaller,
  outgoing: readonly TestCaller[],
  incoming: readonly TestCaller[],
  version = 2,
): Promise<void> {
  const { organization: own, devices } = org.client
  const dids = incoming.map(({ identity }) => identity.did)
  const statement = await own.makeRotation(dids, 1, version, await devices.head())
  const approvals = await Promise.all(outgoing.map(({ client }) => client.organization.approve(statement)))
  const acceptances = await Promise.all(incoming.map(({ client }) => client.organization.accept(statement)))
  await own.rotateOfficers(statement, { approvals, acceptances })
}

/** An operator's act at pay about the plan of an organization: a year from now, unless told. */
export async function licensed(
  did: string,
  {
    action = 'grant',
    issuedAt = Date.now(),
    tier = 'provenance',
  }: { readonly action?: 'grant' | 'revoke'; readonly issuedAt?: number; readonly tier?: Tier } = {},
): Promise<void> {
  const terms = action === 'grant' ? { tier, expiresAt: issuedAt + YEAR_MS } : { tier: null, expiresAt: null }
  const about = { type: 'svc/operator-licence/v1' as const, realm: REALM, service: 'pay', source: 'organization' }
  const statement = { ...about, did, action, ...terms, nonce: crypto.randomUUID(), issuedAt }
  const body = JSON.stringify(await signStatement(statement, (message) => mlDsa65.sign(OPERATOR_SEED, message)))
  const headers = { 'content-type': 'application/json', 'cf-connecting-ip': freshAddress() }
  const { status } = await TEST_PAY.fetch('https://pay.test/api/operator/acts', { method: 'POST', headers, body })
  if (status !== 200) throw new Error(`no licence: ${status}`)
}

/** An organization of so many officers, with a licence. */
export async function organization(officers = 1): Promise<{ org: TestCaller; officers: TestCaller[]; did: string }> {
  const [org, ...rest] = (await callers(officers + 1)) as [TestCaller, ...TestCaller[]]
  await incepted(org, rest)
  const { did } = org.identity
  await licensed(did)
  return { org, officers: rest, did }
}

export const subjectOf = (orgDid: string, subject: string, provider = PROVIDER): string =>
  subjectHashOf('0c'.repeat(32), { orgDid, provider, subject })

/** Good terms for a member, accepted unless told. */
export async function termsOf(org: TestCaller, member: TestCaller, options: { readonly accepted?: boolean } = {}) {
  const orgDid = org.identity.did
  const memberDid = member.identity.did
  const subjectHash = subjectOf(orgDid, memberDid)
  const acceptance: SignedOrgAcceptance | undefined =
    options.accepted === false
      ? undefined
      : await member.client.membership.accept({ orgDid, provider: PROVIDER, subjectHash })
  const terms = { memberDid, provider: PROVIDER, subjectHash, role: 'member' as const }
  return { ...terms, ...(acceptance ? { acceptance } : {}) }
}

/** Binds a fresh member who has accepted. */
export async function boundMember(org: TestCaller, terms: object = {}): Promise<TestCaller> {
  const member = await caller()
  await org.client.members.bind({ ...(await termsOf(org, member)), ...terms })
  return member
}

/** A good first bind of the organization’s, with members of the statement replaced before it is signed. */
export async function bindBy(
  org: TestCaller,
  member: TestCaller,
  replaced: Partial<OrgBinding> = {},
): Promise<OrgEvent> {
  const { acceptance, ...terms } = await termsOf(org, member)
  const change = { event: 'bind' as const, permissions: [], expiresAt: null, ...terms }
  const event = await org.client.members.make(change, EMPTY_ORG_HEAD, acceptance)
  const statement = { ...event.statement, ...replaced }
  return { ...event, ...(await signStatement(statement, signerOf(org.identity))) }
}

/** Sends as it is, with a fresh assertion and an allowed Origin. */
export async function post(by: TestCaller, path: string, body: unknown, to = prober): Promise<Exchange> {
  const headers = { origin: ALLOWED_ORIGIN, authorization: await by.assertion('identity') }
  return to.send({ method: 'POST', path, headers, body: JSON.stringify(body) })
}

export async function get(by: TestCaller, path: string, to = prober, audience = 'identity'): Promise<Exchange> {
  return to.send({ method: 'GET', path, headers: { authorization: await by.assertion(audience) } })
}

/** Rows of an organization's object, straight from its storage; none while it does not exist. */
export function rowsOf(orgDid: string, sql: string, ...values: SqlStorageValue[]) {
  return runInDurableObject(env.ORGANIZATIONS.getByName(orgDid), (object: OrganizationObject, { storage }) =>
    object.stored.exists ? storage.sql.exec(sql, ...values).toArray() : [],
  )
}

/** Everything that is stored of an organization. */
export async function stored(orgDid: string) {
  const events = await rowsOf(orgDid, 'SELECT sequence, hash FROM events ORDER BY sequence')
  const members = await rowsOf(orgDid, 'SELECT member, sequence FROM members ORDER BY member')
  return { events, members }
}

type Methods = Record<string, (...args: unknown[]) => Promise<unknown>>
/** Objects of a class with some methods replaced, or all of them by `*`: each gets the real object and the arguments. */
export function objectsWith(
  namespace: object,
  methods: Readonly<Record<string, (real: Methods, ...args: unknown[]) => unknown>>,
): object {
  return {
    getByName: (name: string) => {
      const real = (namespace as DurableObjectNamespace).getByName(name) as unknown as Methods
      return new Proxy(real, {
        get: (_, method: string) => {
          const replaced = methods[method] ?? methods['*']
          return (...args: unknown[]) => (replaced ? replaced(real, ...args) : real[method]?.(...args))
        },
      })
    },
  }
}

/** As core answers when nobody can rely on it. */
export const NO_ANSWERS: readonly [string, () => Promise<Response>][] = [
  ['throws', () => Promise.reject(new Error('gone'))],
  ['answers 500', async () => Response.json({ error: 'internal_error' }, { status: 500 })],
  ['answers 503', async () => Response.json({ error: 'not_found' }, { status: 503 })],
  ['answers nonsense', async () => Response.json({ officers: ['did:svc:x'] })],
  ['answers what is not JSON', async () => new Response('<html>')],
  ['answers an unnamed 404', async () => new Response('', { status: 404 })],
  ['does not know the caller', async () => Response.json({ error: 'forbidden' }, { status: 403 })],
  ['finds the request wrong', async () => Response.json({ error: 'invalid_request' }, { status: 400 })],
]

export { sendToCore }
