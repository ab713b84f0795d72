/** The rows of the table on the page about rotation, with their bounds. `theft.test.ts` has those of one factor. */
import { CONTEST_MS, rotationIdOf, STANDING_MS } from '@svc/protocol/chain/rotation'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { at, cosignersOf, newestOf, opened, submit } from './rotation.fixture.ts'
import {
  activates,
  approvesCarried,
  freezes,
  NOT_ELIGIBLE,
  owner,
  recovers,
  requestOf,
  rootOf,
  WINDOW_MS,
} from './theft.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** An owner with a phone, of whom somebody has stolen the root key and a tablet. Both devices can co-sign. */
async function robbed() {
  const { alice, bob, kept, phone: old } = await owner('account:read')
  const [phone, tablet] = await cosignersOf(alice, 2, old)
  return { alice, bob, kept, phone: phone!, tablet: tablet! }
}

describe('the thief has the root key, and the owner', () => {
  it('a device that only vetoes, a copy and an operator: recovers in the operator’s time', async () => {
    const { alice, bob, phone } = await owner('account:read')
    await alice.client.devices.revoke(phone.device.deviceId)
    const theirs = await opened(alice, 2)
    expect((await freezes(phone, alice, theirs.rotation.rotationId, bob)).status).toBe(200)
    const mine = await requestOf(alice, 1)
    const again = await opened(alice, 2)
    expect((await approvesCarried(alice, mine)).status).toBe(200)
    await expect(alice.client.rotation.cancel(rotationIdOf(mine.statement))).rejects.toMatchObject({
      error: 'rotation_approved',
    })
    expect(await activates(alice, again.signed, bob)).toBe('rotation_not_pending')
    expect(await activates(alice, mine, bob)).toBe('active')
    expect(await rootOf(alice)).toBe(mine.statement.newPublicKeyB64u)
  })

  it('a device, and nothing that the root key signed: the thief wins 30 days after revoking it', async () => {
    const { alice, bob, phone } = await owner()
    await alice.client.devices.revoke(phone.device.deviceId)
    const revokedAt = Date.now()
    at(revokedAt + STANDING_MS - 1)
    const ending = await alice.client.security.deactivate()
    expect(ending.status).toBe('pending')
    expect((await freezes(phone, alice, ending.rotationId ?? '', bob)).status).toBe(200)
    at(revokedAt + STANDING_MS)
    expect((await alice.client.security.deactivate()).status).toBe('deactivated')
  })
})

describe('the thief has the root key and a device, and the owner', () => {
  it('another device, a kept version-1 request and an operator: recovers in the operator’s time', async () => {
    const { alice, bob, kept, phone, tablet } = await robbed()
    const handed = await requestOf(alice, 1)
    await alice.client.devices.revoke(phone.device.deviceId)
    expect((await recovers(phone, alice, kept, bob)).status).toBe(200)
    expect((await freezes(tablet, alice, rotationIdOf(kept.statement), bob)).status).toBe(200)
    expect((await approvesCarried(alice, handed)).status).toBe(200)
    const { rotationId } = await newestOf(alice)
    expect(await freezes(tablet, alice, rotationId, bob)).toMatchObject({
      status: 409,
      body: { error: 'rotation_approved' },
    })
    const theirs = await requestOf(alice, 2)
    expect(await recovers(tablet, alice, theirs, bob)).toMatchObject({
      status: 409,
      body: { error: 'rotation_pending' },
    })
    expect(await activates(alice, handed, bob)).toBe('active')
    expect(await rootOf(alice)).toBe(handed.statement.newPublicKeyB64u)
  })

  it('another device, no operator: both stop each other for 30 days, then the thief wins', async () => {
    const { alice, bob, kept, phone, tablet } = await robbed()
    await alice.client.devices.revoke(phone.device.deviceId)
    const revokedAt = Date.now()
    expect((await recovers(phone, alice, kept, bob)).status).toBe(200)
    expect((await freezes(tablet, alice, rotationIdOf(kept.statement), bob)).status).toBe(200)
    at(revokedAt + STANDING_MS - 1)
    const early = await requestOf(alice, 2)
    expect((await recovers(tablet, alice, early, bob)).status).toBe(200)
    expect((await freezes(phone, alice, rotationIdOf(early.statement), bob)).status).toBe(200)
    at(revokedAt + STANDING_MS)
    const late = await requestOf(alice, 2)
    expect((await recovers(tablet, alice, late, bob)).status).toBe(200)
    expect(await freezes(phone, alice, rotationIdOf(late.statement), bob)).toMatchObject(NOT_ELIGIBLE)
    at(Date.now() + WINDOW_MS)
    expect(await activates(alice, late, bob)).toBe('active')
  })

  it('a copy, no operator: the thief wins after 7 days, and not before', async () => {
    const { alice, bob, tablet } = await robbed()
    const theirs = await requestOf(alice, 2)
    const begun = Date.now()
    expect((await recovers(tablet, alice, theirs, bob)).status).toBe(200)
    expect((await alice.client.rotation.freeze(rotationIdOf(theirs.statement))).deadline).toBe(begun + CONTEST_MS)
    await alice.client.devices.revoke(tablet.device.deviceId)
    at(begun + CONTEST_MS - 1)
    expect(await activates(alice, theirs, bob)).toBe('rotation_window_open')
    at(begun + CONTEST_MS)
    expect(await activates(alice, theirs, bob)).toBe('active')
  })

  it('a copy and an operator: recovers if the operator acts before the 7 days are over', async () => {
    const { alice, bob, tablet } = await robbed()
    const theirs = await requestOf(alice, 2)
    const begun = Date.now()
    expect((await recovers(tablet, alice, theirs, bob)).status).toBe(200)
    await alice.client.rotation.freeze(rotationIdOf(theirs.statement))
    at(begun + CONTEST_MS - 1)
    const mine = await requestOf(alice, 1)
    expect((await approvesCarried(alice, mine)).status).toBe(200)
    at(begun + CONTEST_MS)
    expect(await activates(alice, theirs, bob)).toBe('rotation_not_pending')
    expect(await activates(alice, mine, bob)).toBe('active')
    expect(await rootOf(alice)).toBe(mine.statement.newPublicKeyB64u)
  })
})

describe('the thief has a device, and the owner the root key', () => {
  it('delays version 2 for 30 days after the revocation, and cannot do more', async () => {
    const { alice, bob, phone } = await owner()
    await alice.client.devices.revoke(phone.device.deviceId)
    const revokedAt = Date.now()
    at(revokedAt + STANDING_MS - 1)
    const first = await requestOf(alice, 2)
    expect((await submit(first)).status).toBe(200)
    expect((await freezes(phone, alice, rotationIdOf(first.statement), bob)).status).toBe(200)
    at(revokedAt + STANDING_MS)
    const second = await requestOf(alice, 2)
    expect((await submit(second)).status).toBe(200)
    expect(await freezes(phone, alice, rotationIdOf(second.statement), bob)).toMatchObject(NOT_ELIGIBLE)
    at(Date.now() + WINDOW_MS)
    const { status } = await alice.client.rotation.activate(await newestOf(alice))
    expect(status).toBe('active')
  })

  it('does not delay what an operator approves', async () => {
    const { alice, bob, phone } = await owner()
    const mine = await requestOf(alice, 1)
    expect((await approvesCarried(alice, mine)).status).toBe(200)
    expect(await freezes(phone, alice, rotationIdOf(mine.statement), bob)).toMatchObject({
      body: { error: 'rotation_approved' },
    })
    expect(await activates(alice, mine, bob)).toBe('active')
  })
})
