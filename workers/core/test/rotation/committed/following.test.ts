/** Who may follow a root key that has named its successors: R12 to R16 and R19. */
import { successorHash } from '@svc/protocol/chain/commitment'
import { CONTEST_MS, MAX_ROTATION_REQUESTS, rotationIdOf, STANDING_MS } from '@svc/protocol/chain/rotation'
import { deviceOf } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { anonymous, call, send } from '../../harness.ts'
import { approvalOf, at, cancelBy, newestOf, OPERATOR_SEED } from '../rotation.fixture.ts'
import {
  activated,
  asks,
  committed,
  cosigns,
  heirFreezes,
  phoneFreezes,
  rootFreezes,
  sends,
  WINDOW_MS,
  withPhone,
} from './committed.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
})

const status = (value: string) => ({ status: 200, body: { data: { status: value } } })
const opened = (basis: string) => ({ status: 200, body: { status: 'pending', basis } })
const refused = (error: string, code = 409) => ({ status: code, body: { error } })

describe('a key that is not committed', () => {
  it('becomes the root key by nobody: root key, device and operator together', async () => {
    const owner = await withPhone()
    const stranger = await owner.alice.identity.successor()
    expect(await sends(owner, await asks(owner, stranger))).toMatchObject(refused('key_not_committed'))
    expect(await sends(owner, await asks(owner, stranger, { alone: true }))).toMatchObject(refused('key_not_committed'))
    expect(await cosigns(owner, await asks(owner, stranger))).toMatchObject(refused('key_not_committed'))
    const v1 = await asks(owner, stranger, { version: 1 })
    expect(await sends(owner, v1)).toMatchObject(refused('key_not_committed'))
    const act = await approvalOf(owner.alice.identity.did, rotationIdOf(v1.statement), OPERATOR_SEED, v1)
    expect(await anonymous('POST', '/api/operator/acts', act)).toMatchObject(refused('key_not_committed'))
    expect(await owner.alice.client.chain.root(owner.alice.identity.did)).toMatchObject({ epoch: 0, rotation: null })
  })

  it('takes the place of lost ones after 30 days, by root key and device, where the commitment allows it', async () => {
    const owner = await withPhone(true)
    const stranger = await owner.alice.identity.successor()
    const request = await asks(owner, stranger)
    expect(await sends(owner, request)).toMatchObject(refused('key_not_committed'))
    const now = Date.now()
    at(now)
    const { body } = await cosigns(owner, request)
    expect(body['data']).toMatchObject({ status: 'pending', basis: 'replacement', deadline: now + STANDING_MS })
    const { rotationId } = await newestOf(owner.alice)
    expect(await rootFreezes(owner, rotationId)).toMatchObject(refused('rotation_cosigned'))
    expect(await phoneFreezes(owner, rotationId)).toMatchObject(refused('rotation_cosigned'))
    at(now + STANDING_MS - 1)
    expect(await activated(owner, request)).toMatchObject(refused('rotation_window_open'))
    at(now + STANDING_MS)
    expect(await activated(owner, request)).toMatchObject(status('active'))
  })

  it('does not while somebody has a committed one', async () => {
    const owner = await withPhone(true)
    const thief = await owner.alice.identity.successor()
    for (let i = 0; i < 3; i++) {
      const request = await asks(owner, thief)
      await cosigns(owner, request)
      const { rotationId } = await newestOf(owner.alice)
      expect(await heirFreezes(owner, owner.sheets[i % 2 === 0 ? 0 : 1], rotationId)).toMatchObject(status('frozen'))
    }
    await cosigns(owner, await asks(owner, thief))
    const displaced = await newestOf(owner.alice)
    expect(await sends(owner, await asks(owner, owner.sheets[0]))).toMatchObject(opened('full'))
    const { did } = owner.alice.identity
    const now = await owner.alice.client.chain.root(did)
    expect(now.rotation?.rotationId).not.toBe(displaced.rotationId)
  })
})

describe('root key and successor', () => {
  it('replace the root key after a window, sent by anybody, and nobody without a successor stops or delays them', async () => {
    const owner = await withPhone()
    const { alice, sheets } = owner
    const third = successorHash((await alice.identity.successor()).publicKeyB64u)
    const request = await asks(owner, sheets[0], { next: [third] })
    const now = Date.now()
    at(now)
    expect(await sends(owner, request)).toMatchObject({ body: { basis: 'full', deadline: now + WINDOW_MS } })
    const { rotationId } = await newestOf(alice)
    expect(await rootFreezes(owner, rotationId)).toMatchObject(refused('rotation_full'))
    const cancel = await cancelBy(alice.identity, 'root', alice.identity, rotationId)
    expect(await call(alice, 'POST', '/api/chain/rotation/freeze', cancel)).toMatchObject(refused('rotation_full'))
    expect(await phoneFreezes(owner, rotationId)).toMatchObject(refused('rotation_full'))
    await alice.client.devices.revoke(owner.phone.device.deviceId)
    at(now + WINDOW_MS)
    expect(await activated(owner, request)).toMatchObject(status('active'))
    const keys = await alice.client.keyHistory.of(alice.identity.did)
    expect(keys.map(({ commitment }) => commitment?.next.length)).toEqual([2, 1])
    expect(keys[1]?.publicKeyB64u).toBe(sheets[0].publicKeyB64u)
    expect(await alice.client.chain.root(alice.identity.did)).toMatchObject({ commitment: { next: [third] } })
  })

  it('are delayed once by a committed key, to seven days after the request', async () => {
    const owner = await committed()
    const request = await asks(owner, owner.sheets[0])
    const now = Date.now()
    at(now)
    await sends(owner, request)
    const { rotationId } = await newestOf(owner.alice)
    const { body } = await heirFreezes(owner, owner.sheets[1], rotationId)
    expect(body['data']).toMatchObject({ status: 'pending', deadline: now + CONTEST_MS })
    expect(await heirFreezes(owner, owner.sheets[0], rotationId)).toMatchObject(refused('rotation_full'))
    at(now + CONTEST_MS)
    expect(await activated(owner, request)).toMatchObject(status('active'))
  })
})

describe('a successor alone', () => {
  it('waits 30 days, and any key of the identity ends it, as often as it wants', async () => {
    const owner = await withPhone()
    const { alice, sheets } = owner
    const stranger = await alice.identity.successor()
    const vetoes = [
      (id: string) => rootFreezes(owner, id),
      (id: string) => phoneFreezes(owner, id),
      (id: string) => heirFreezes(owner, sheets[1], id),
    ]
    for (const veto of vetoes) {
      expect(await sends(owner, await asks(owner, sheets[0], { alone: true }))).toMatchObject(opened('successor'))
      const { rotationId } = await newestOf(alice)
      expect(await heirFreezes(owner, stranger, rotationId)).toMatchObject(refused('not_eligible', 403))
      expect(await veto(rotationId)).toMatchObject(status('frozen'))
    }
    const last = await asks(owner, sheets[0], { alone: true })
    const now = Date.now()
    at(now)
    expect(await sends(owner, last)).toMatchObject({ body: { deadline: now + STANDING_MS } })
    expect(await cosigns(owner, last)).toMatchObject(refused('not_eligible', 403))
    at(now + STANDING_MS)
    expect(await activated(owner, last)).toMatchObject(status('active'))
    expect(await alice.client.keyHistory.of(alice.identity.did)).toHaveLength(2)
  })

  it('gives way to root key and successor, and takes the place of nothing', async () => {
    const owner = await committed()
    const [first, second] = owner.sheets
    await sends(owner, await asks(owner, first, { alone: true }))
    const slow = await newestOf(owner.alice)
    expect(await sends(owner, await asks(owner, second, { alone: true }))).toMatchObject(refused('rotation_pending'))
    expect(await sends(owner, await asks(owner, second))).toMatchObject(opened('full'))
    const { client, identity } = owner.alice
    expect(await client.keyHistory.rotation(identity.did)).not.toMatchObject({ rotationId: slow.rotationId })
    expect(await sends(owner, await asks(owner, first, { alone: true }))).toMatchObject(refused('rotation_pending'))
  })

  it('is refused to an identity without a commitment, and so is a stranger who sends for it', async () => {
    const { alice, bob } = await committed()
    const plain = { alice: bob, bob: alice }
    const request = await asks(plain, await bob.identity.successor(), { alone: true })
    const { did } = bob.identity
    const ownCaller = { alice: bob, bob }
    expect(await sends(ownCaller, request)).toMatchObject(refused('invalid_signature', 403))
    expect(await sends(plain, await asks(plain, await bob.identity.successor()))).toMatchObject(
      refused('owner_mismatch', 403),
    )
    expect(await bob.client.chain.root(did)).toMatchObject({ commitment: { next: [], replaceable: false } })
  })
})

describe('a flood of requests by a successor alone', () => {
  it('is limited, and does not count against root key and successor', async () => {
    const owner = await committed()
    const { alice, sheets } = owner
    for (let i = 0; i < MAX_ROTATION_REQUESTS; i++) {
      const request = await asks(owner, sheets[0], { alone: true })
      await sends(owner, request)
      await rootFreezes(owner, rotationIdOf(request.statement))
    }
    const another = await asks(owner, sheets[0], { alone: true })
    expect(await sends(owner, another)).toMatchObject(refused('rotation_limit'))
    expect(await sends(owner, await asks(owner, sheets[1]))).toMatchObject(opened('full'))
    expect(await alice.client.keyHistory.rotation(alice.identity.did)).toMatchObject({ basis: 'full' })
  })
})

describe('what a thief of two factors can make core store', () => {
  it('is limited for replacements, which displace each other', async () => {
    const owner = await withPhone(true)
    const next = async () => asks(owner, await owner.alice.identity.successor())
    for (let i = 0; i < MAX_ROTATION_REQUESTS; i++) expect((await cosigns(owner, await next())).status).toBe(200)
    expect(await cosigns(owner, await next())).toMatchObject(refused('rotation_limit'))
    expect(await sends(owner, await asks(owner, owner.sheets[0]))).toMatchObject(opened('full'))
  })

  it('is limited for requests of root key and successor that wait for an operator', async () => {
    const owner = await committed()
    for (let i = 0; i < MAX_ROTATION_REQUESTS; i++) {
      const request = await asks(owner, owner.sheets[0], { version: 1 })
      await sends(owner, request)
      await rootFreezes(owner, rotationIdOf(request.statement))
    }
    const another = await asks(owner, owner.sheets[0], { version: 1 })
    expect(await sends(owner, another)).toMatchObject(refused('rotation_limit'))
  })
})

describe('two owners', () => {
  it('with two factors end each other, and only three count from then on', async () => {
    const owner = await withPhone()
    const { alice, sheets } = owner
    const { did } = alice.identity
    const [mine, theirs] = [await asks(owner, sheets[0]), await asks(owner, sheets[1])]
    expect(await sends(owner, mine)).toMatchObject(opened('full'))
    // The same wish again does not dispute it.
    expect(await sends(owner, await asks(owner, sheets[0]))).toMatchObject(refused('rotation_pending'))
    expect(await sends(owner, theirs)).toMatchObject({ status: 200, body: { status: 'disputed' } })
    expect(await sends(owner, mine)).toMatchObject({ status: 200, body: { status: 'disputed' } })
    expect(await alice.client.chain.root(did)).toMatchObject({ disputed: true })
    expect(await sends(owner, await asks(owner, sheets[0]))).toMatchObject(refused('rotation_disputed'))
    expect(await cosigns(owner, mine)).toMatchObject(status('pending'))
    const third = await asks(owner, sheets[1], { next: [successorHash(sheets[0].publicKeyB64u)] })
    expect(await sends(owner, third)).toMatchObject(refused('rotation_disputed'))
    at(Date.now() + WINDOW_MS)
    expect(await activated(owner, mine)).toMatchObject(status('active'))
    expect(await alice.client.chain.root(did)).toMatchObject({ epoch: 1, disputed: false })
  })

  it('with three factors each leave it to the operator', async () => {
    const owner = await withPhone()
    const { alice, sheets } = owner
    await cosigns(owner, await asks(owner, sheets[0]))
    expect(await cosigns(owner, await asks(owner, sheets[1]))).toMatchObject(status('disputed'))
    expect(await cosigns(owner, await asks(owner, sheets[0]))).toMatchObject(refused('rotation_disputed'))
    const v1 = await asks(owner, sheets[0], { version: 1, alone: true })
    const act = await approvalOf(alice.identity.did, rotationIdOf(v1.statement), OPERATOR_SEED, v1)
    expect((await anonymous('POST', '/api/operator/acts', act)).status).toBe(200)
    expect(await heirFreezes(owner, sheets[1], rotationIdOf(v1.statement))).toMatchObject(refused('rotation_approved'))
    expect(await activated(owner, v1)).toMatchObject(status('active'))
  })

  it('with three factors each do not end each other by a device that counts only since the first asked', async () => {
    const owner = await withPhone()
    const { alice, sheets } = owner
    const now = Date.now()
    at(now)
    const mine = await asks(owner, sheets[0])
    await cosigns(owner, mine)
    const agreedBy = owner.phone.device
    const late = await deviceOf(alice, { fetch: send, capabilities: ['rotation:cosign'], agreedBy })
    await heirFreezes(owner, sheets[1], rotationIdOf(mine.statement))
    at(now + WINDOW_MS)
    const rival = await asks(owner, sheets[1])
    expect(await cosigns({ ...owner, phone: late }, rival)).toMatchObject(refused('rotation_pending'))
    at(now + CONTEST_MS)
    expect(await activated(owner, mine)).toMatchObject(status('active'))
  })

  it('of whom one has three factors: the stronger displaces', async () => {
    const owner = await withPhone()
    const [weaker, stronger] = [await asks(owner, owner.sheets[1]), await asks(owner, owner.sheets[0])]
    await sends(owner, weaker)
    expect(await cosigns(owner, stronger)).toMatchObject(status('pending'))
    expect(await sends(owner, weaker)).toMatchObject({ status: 200, body: { status: 'displaced' } })
    expect(await sends(owner, await asks(owner, owner.sheets[1]))).toMatchObject(refused('rotation_pending'))
  })

  it('of twenty rivals at once, two end each other and eighteen are refused', async () => {
    const owner = await committed()
    const wishes = await Promise.all(
      Array.from({ length: 20 }, async (_, i) =>
        asks(owner, owner.sheets[0], { next: [i.toString(16).padStart(96, '0')] }),
      ),
    )
    const answers = await Promise.all(wishes.map((wish) => sends(owner, wish)))
    const { rotation } = await owner.alice.client.chain.root(owner.alice.identity.did)
    expect(rotation?.status).toBe('disputed')
    expect(answers.filter(({ status: code }) => code === 200)).toHaveLength(2)
    expect(answers.filter(({ body }) => body['error'] === 'rotation_disputed')).toHaveLength(18)
  })
})
