import { statusOf, subjectHashOf } from '@svc/client/functions'
import { licenceAct, sendOperatorAct } from '@svc/operations/operator-act'
import { toHex } from '@svc/protocol/base/hash'
import { rebuiltObjectsSchema } from '@svc/protocol/operator/rebuild-objects'
import { LOCAL_ORIGIN, named, newcomer, type Person, type Show, type World } from './world.ts'

const PROVIDER = 'login.example.com'

/** An organization: its licence, its officers, and a member who joins, is suspended and leaves, with proofs. */
export async function organizations(world: World, show: Show): Promise<void> {
  const cast = [newcomer(world), newcomer(world), newcomer(world), newcomer(world)] as const
  const [org, ann, ben, member] = await Promise.all(cast)
  for (const { client } of [org, ann, ben, member]) await client.chain.genesis()
  const orgDid = org.identity.did
  await officers(show, org, ann, ben)
  await show('must fail: an organization without a licence', '402 licence_required', async () => {
    return org.client.members.list().then(() => 'listed', named)
  })
  await show('operator: gives the organization a plan', '200', async () => {
    const act = licenceAct(['grant-plan', orgDid, 'provenance', '30'], Date.now())
    if (!act) return 'no act'
    const pay = { service: world.pay, realm: world.core }
    return String((await sendOperatorAct(pay, world.secrets.operatorSeed, act)).status)
  })
  await members(show, { org, officer: ben, member, stranger: world.alice })
  await rebuilding(world, show, orgDid)
  await resolutions(world, show)
}

async function officers(show: Show, org: Person, ann: Person, ben: Person): Promise<void> {
  const { organization, devices, membership } = org.client
  const orgDid = org.identity.did
  let before = 0
  await show('org: is incepted with an officer, which anyone can verify', 'version 1: ann', async () => {
    const statement = await organization.makeInception([ann.identity.did], 1, await devices.head())
    await organization.incept(statement, [await ann.client.organization.accept(statement)])
    const { version, officers: dids, since } = await membership.officers(orgDid)
    before = since
    return `version ${version}: ${dids[0] === ann.identity.did ? 'ann' : 'somebody'}`
  })
  await show('org: replaces the officer; the history keeps the first', 'ben now, ann then', async () => {
    const statement = await organization.makeRotation([ben.identity.did], 1, 2, await devices.head())
    const approvals = [await ann.client.organization.approve(statement)]
    await organization.rotateOfficers(statement, {
      approvals,
      acceptances: [await ben.client.organization.accept(statement)],
    })
    // The plain response can be cached at the edge for a while.
    const now = await membership.officers(orgDid, { at: Date.now() })
    const then = await membership.officers(orgDid, { at: before })
    const nameOf = (did = '') => (did === ann.identity.did ? 'ann' : did === ben.identity.did ? 'ben' : 'somebody')
    return `${nameOf(now.officers[0])} now, ${nameOf(then.officers[0])} then`
  })
}

interface Cast {
  readonly org: Person
  readonly officer: Person
  readonly member: Person
  readonly stranger: Person
}

async function members(show: Show, { org, officer, member, stranger }: Cast): Promise<void> {
  const { members: mine, membership } = org.client
  const orgDid = org.identity.did
  const memberDid = member.identity.did
  const key = toHex(crypto.getRandomValues(new Uint8Array(32)))
  const subjectHash = subjectHashOf(key, { orgDid, provider: PROVIDER, subject: 'member@example.com' })
  const terms = { memberDid, provider: PROVIDER, subjectHash, role: 'member' as const }
  const bound = async () => String((await stranger.client.membership.safeVerify(orgDid, memberDid)).ok)
  await show('org: binds a member, pending acceptance', 'pending, bound: false', async () => {
    await mine.bind({ ...terms, permissions: ['content:sign'] })
    return `${(await mine.memberships()).memberships[0]?.status}, bound: ${await bound()}`
  })
  await show('member: accepts, and is bound', 'bound: true', async () => {
    const acceptance = await member.client.membership.accept({ orgDid, provider: PROVIDER, subjectHash })
    await mine.update({ ...terms, permissions: ['content:sign'], acceptance })
    return `bound: ${await bound()}`
  })
  await show('member: lists its bindings', 'member, active', async () => {
    const [own] = (await member.client.membership.bindings()).bindings
    return `${own?.role}, ${own?.status}`
  })
  await show('org: suspends and reinstates the member', 'false, then true', async () => {
    await mine.suspend(memberDid)
    const suspended = await bound()
    await mine.resume(memberDid)
    return `${suspended}, then ${await bound()}`
  })
  await show('must fail: an outsider reads the members', '403 forbidden', async () => {
    return stranger.client.members.list({ orgDid }).then(() => 'listed', named)
  })
  await show('officer: proves the roster from signed events alone', '4 events: active', async () => {
    const { members: folded, head } = await officer.client.members.verify(orgDid)
    const found = folded.get(memberDid)
    return `${head.sequence} events: ${found ? statusOf(found, Date.now()) : 'nobody'}`
  })
  await show('org: revokes the binding', 'bound: false', async () => {
    await mine.revoke(memberDid)
    return `bound: ${await bound()}`
  })
  await show('must fail: binding again with the old acceptance', '403 acceptance_unverifiable', async () => {
    const { events } = await mine.events()
    const acceptance = events.find((event) => event.acceptance)?.acceptance
    return mine.bind({ ...terms, ...(acceptance ? { acceptance } : {}) }).then(() => 'bound', named)
  })
  await show('anyone: cannot tell a former member from a stranger', 'bound: false', async () => {
    return `bound: ${(await membership.safeVerify(orgDid, stranger.identity.did)).ok}`
  })
}

/** What an operator sends after a loss, where nothing was lost. */
async function rebuilding(world: World, show: Show, name: string): Promise<void> {
  await show('operator: rebuilds the organization, which has lost nothing', '200, 0 rebuilt', async () => {
    const about = { objects: 'organizations', name, after: null, replaces: false, lostAt: Date.now() }
    const act = { type: 'svc/operator-rebuild-objects/v1', service: 'did', members: about } as const
    const place = { service: world.did, realm: world.core }
    const response = await sendOperatorAct(place, world.secrets.operatorSeed, act, { origin: LOCAL_ORIGIN })
    const { rebuilt } = rebuiltObjectsSchema.parse(await response.json())
    return `${response.status}, ${rebuilt} rebuilt`
  })
}

/** Resolution with a proof, and resolution of an earlier key. */
async function resolutions(world: World, show: Show): Promise<void> {
  const { alice } = world
  const { did } = alice.identity
  await show('resolver: signs its response with its listed key', 'signed by did:web', async () => {
    const { didResolutionMetadata } = await alice.client.did.resolve(did)
    const { statement } = didResolutionMetadata.proof ?? {}
    return `signed by ${statement?.resolver.split(':').slice(0, 2).join(':')}`
  })
  await show('resolver: returns the document of the first root key', `${did}#root-0`, async () => {
    return (await alice.client.did.resolve(did, { versionId: '0' })).didDocument?.verificationMethod[0]?.id ?? 'nothing'
  })
}
