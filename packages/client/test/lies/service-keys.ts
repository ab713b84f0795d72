/** A service that signs with a key that is not its own, or not at that time: every other answer is as it should be. */
import { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { CONSENT_BUCKETS, consentBucketOf } from '@svc/protocol/consent/buckets'
import { entriesHash } from '@svc/protocol/consent/snapshot'
import type { EventPage } from '@svc/protocol/events/events'
import { BEGINNING } from '@svc/protocol/events/page-fault'
import type { ServiceKey, ServiceKeyName } from '@svc/protocol/http/service-keys'
import type { SignedPublication } from '@svc/protocol/ledger/anchors'
import type { Discovery } from '../../src/discovery/discover.ts'
import { Identity } from '../../src/identity/identity.ts'
import { REALM, REALMS } from '../realm.ts'
import { alice, mallory, seeds } from '../sides.ts'
import { reported } from './anchors/records.ts'
import { HASH } from './consent/acts.ts'
import { ofDevice } from './directory/listed-device.ts'
import { resolution } from './resolution.ts'
import { data, type Lie, NOW, type Situation, signedBy, type VerifyingMethod, verifying } from './situation.ts'

/** Whose keys sign: the one that counts, one that ended, one that begins later, and one that no list has. */
const SIGNERS = {
  current: alice,
  ended: await Identity.fromSeeds(seeds(21)),
  later: await Identity.fromSeeds(seeds(22)),
  unlisted: mallory,
} as const
type Signer = keyof typeof SIGNERS
const SEEDS: Readonly<Record<Signer, string>> = { current: '01', ended: '15', later: '16', unlisted: '02' }

/** What the list names for a use when the answers are signed. */
export function listed(name: ServiceKeyName): readonly ServiceKey[] {
  const times = { ended: [0, NOW], current: [1, null], later: [NOW + 1, null] } as const
  return Object.entries(times).map(([signer, [validFrom, validUntil]]) => {
    const { publicKeyB64u } = SIGNERS[signer as Signer]
    return { ...name, publicKeyB64u, validFrom, validUntil }
  })
}

/** A client that has verified a list with these keys. */
const discoveryOf = (name: ServiceKeyName) =>
  ({ pin: { list: { statement: { services: listed(name) } } } }) as unknown as Discovery

type Signing = Situation & { readonly sign: (by: Signer) => Promise<unknown> }

const liesAbout = (
  subject: Lie['subject'],
  reason: Lie['reason'] = 'wrong_key',
  where: Lie['where'] = {},
): readonly Lie<Signing>[] =>
  (
    [
      ['signs with a key that the list does not name', 'unlisted'],
      ['signs with a key that ended', 'ended'],
      ['signs with a key that begins later', 'later'],
    ] as const
  ).map(([lie, by]) => ({ lie, tell: ({ sign }) => sign(by), subject, reason, where }))

async function signing(made: Situation, sign: Signing['sign'], name: ServiceKeyName): Promise<Signing> {
  await sign('current')
  const { receiptKeyB64u: _, resolverKey: __, publisherKeyB64u: ___, ...options } = made.options ?? {}
  return Object.assign(made, { sign, options: { ...options, discovery: discoveryOf(name) } })
}

const shown = (signer: Signer) => ({ publicKeyB64u: SIGNERS[signer].publicKeyB64u })

function events(): Promise<Signing> {
  const page: EventPage = {
    type: 'svc/event-page/v1',
    realm: REALM,
    did: alice.did,
    after: 0,
    events: [],
    missed: 0,
    head: BEGINNING,
    issuedAt: NOW,
  }
  const answers: Record<string, unknown> = {}
  const sign = async (by: Signer) => {
    answers['/api/events'] = data({ ...(await signedBy(SIGNERS[by], page)), ...shown(by) })
  }
  const made = { options: { identity: alice }, args: () => [], answers: () => answers }
  return signing(made, sign, { service: 'core', use: 'receipt' })
}

async function reservation(): Promise<Signing> {
  const made = await ofDevice()
  const { reserved } = made
  const sign = async (by: Signer) => {
    reserved.receipt = { ...(await signedBy(SIGNERS[by], reserved.receipt.statement)), ...shown(by) }
  }
  return signing(made, sign, { service: 'keys', use: 'reservation' })
}

async function resolved(): Promise<Signing> {
  const made = await resolution()
  return signing(made, (by) => made.prove(SIGNERS[by]), { service: 'did', use: 'resolution' })
}

function snapshot(): Promise<Signing> {
  const bucket = consentBucketOf(HASH)
  const at = Math.floor(NOW / 3_600_000) * 3_600_000
  const answers: Record<string, unknown> = {}
  const sign = async (by: Signer) => {
    const page = { at, bucket, buckets: CONSENT_BUCKETS, from: null, to: null, count: 0, issuedAt: NOW }
    const statement = { type: 'svc/consent-snapshot/v1' as const, ...page, entriesHash: await entriesHash([]) }
    const signed = await new DeploymentSigner(SEEDS[by].repeat(32), REALMS).sign(statement)
    answers['/api/v1/consent/snapshot'] = { ...signed, entries: [] }
  }
  const made = { args: () => [{ buckets: [bucket] }], answers: () => answers }
  return signing(made, sign, { service: 'consent', use: 'snapshot' })
}

async function publications(): Promise<Signing> {
  const made = await reported()
  const [{ statement }] = made.reports as [SignedPublication]
  const sign = async (by: Signer) => {
    made.reports = [await signedBy(SIGNERS[by], statement)]
  }
  const asked = Object.assign(made, { args: () => [made.record.anchorId] })
  return signing(asked, sign, { service: 'core', use: 'publication' })
}

/** Receipts that somebody kept, by the keys of a list. */
const KEPT = [
  ['svc/note-deletion/v1', { service: 'core', use: 'receipt' }],
  ['svc/prekey-reservation/v1', { service: 'keys', use: 'reservation' }],
  ['svc/quota-receipt/v1', { service: 'pay', use: 'quota-receipt' }],
] as const

async function kept(type: string, name: ServiceKeyName): Promise<Signing> {
  let receipt: unknown
  const sign = async (by: Signer) => {
    receipt = { ...(await signedBy(SIGNERS[by], { type, realm: REALM, issuedAt: NOW })), ...shown(by) }
  }
  const made = { of: () => import('../../src/verify.ts'), args: () => [receipt, listed(name), REALMS] }
  return signing(made, sign, name)
}

const GIVEN = 'with keys of the list'
export const SERVICE_KEYS: readonly VerifyingMethod[] = [
  verifying({ name: 'client.events.read', given: GIVEN, honest: events, lies: liesAbout('events') }),
  verifying({ name: 'client.keyDirectory.reserve', given: GIVEN, honest: reservation, lies: liesAbout('receipt') }),
  verifying({
    name: 'client.did.resolve',
    given: GIVEN,
    honest: resolved,
    lies: liesAbout('resolution', 'invalid_signature', { member: 'didResolutionMetadata.proof' }),
  }),
  verifying({
    name: 'client.consent.snapshot',
    given: GIVEN,
    honest: snapshot,
    lies: liesAbout('snapshot', 'wrong_key', { position: 0 }),
  }),
  verifying({
    name: 'client.anchors.publications',
    given: GIVEN,
    honest: publications,
    lies: liesAbout('anchor', 'invalid_signature', { member: 'publications' }),
  }),
  ...KEPT.map(([type, name]) =>
    verifying({
      name: 'verifyServiceStatement',
      given: `of \`${type}\``,
      honest: () => kept(type, name),
      lies: liesAbout('receipt'),
    }),
  ),
]
