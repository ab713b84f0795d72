import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Client, Device } from '@svc/client'
import { deviceStandingOf as standingOf } from '@svc/client/functions'
import { CONFIRMATION_MS } from '@svc/protocol/devices/inception'
import { REALM, REALMS, type TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { freshCaller, sendWith } from '../harness.ts'
import { clientOf, freshDevice } from '../rendezvous/meeting.fixture.ts'

const ENDED = { status: 401, error: 'unauthorized' }
const DAY = 24 * 3_600_000

afterEach(() => {
  vi.useRealTimers()
})

const setTime = (now: number) => vi.useFakeTimers({ toFake: ['Date'], now })

interface Paired {
  readonly owner: TestCaller
  readonly device: Device
  readonly member: Client
  readonly confirmBy: number
}

/** A device as pairing attests it: its keys exist, and it has not said that they are stored. */
async function paired(options: { expiresAt?: number } = {}): Promise<Paired> {
  const owner = await freshCaller()
  const device = await freshDevice()
  return attested(owner, device, options)
}

async function attested(owner: TestCaller, device: Device, options: { expiresAt?: number } = {}): Promise<Paired> {
  const inception = await owner.client.devices.head()
  const acceptance = await device.acceptance(owner.identity.did, { realm: REALM, now: Date.now(), inception })
  const confirmBy = Date.now() + CONFIRMATION_MS
  const attestation = await owner.client.devices.attest(acceptance, { confirmBy, ...options })
  const member = await device.attested(attestation, await owner.client.keyHistory.of(owner.identity.did), REALMS)
  return { owner, device, member: clientOf(member), confirmBy }
}

/** What the owner's list says of the device now. */
async function listed({ owner, device }: Paired) {
  const { devices } = await owner.client.devices.verify()
  const found = devices.find(({ deviceId }) => deviceId === device.deviceId)
  return found && standingOf(found, { epoch: 0, now: Date.now() })
}

describe('a device that has to confirm', () => {
  it('acts until then, and ends without an act of the owner', async () => {
    const one = await paired()
    expect((await one.member.chain.head()).index).toBe('0')
    expect(await listed(one)).toBe('active')
    setTime(one.confirmBy - 1)
    expect((await one.member.chain.head()).index).toBe('0')
    setTime(one.confirmBy)
    await expect(one.member.chain.head()).rejects.toMatchObject(ENDED)
    expect(await listed(one)).toBe('expired')
    await expect(one.member.devices.confirm()).rejects.toMatchObject(ENDED)
    setTime(one.confirmBy + 2 * DAY)
    await expect(one.member.security.placeHold()).rejects.toMatchObject(ENDED)
  })

  it('stays once it has confirmed, and is told so again', async () => {
    const one = await paired()
    const confirmed = { deviceId: one.device.deviceId, confirmed: true }
    expect(await one.member.devices.confirm()).toEqual(confirmed)
    expect(await one.member.devices.confirm()).toEqual(confirmed)
    setTime(one.confirmBy + DAY)
    expect(await one.member.devices.confirm()).toEqual(confirmed)
    expect((await one.member.chain.head()).index).toBe('0')
    expect(await listed(one)).toBe('active')
  })

  it.each(['before', 'after'] as const)('keeps the expiry that its attestation names: one %s', async (when) => {
    const expiresAt = Date.now() + (when === 'before' ? CONFIRMATION_MS / 2 : 3 * DAY)
    const one = await paired({ expiresAt })
    await one.member.devices.confirm()
    setTime(expiresAt - 1)
    expect((await one.member.chain.head()).index).toBe('0')
    setTime(expiresAt)
    await expect(one.member.chain.head()).rejects.toMatchObject(ENDED)
  })

  it('is looked up by other Workers with the end that it has now', async () => {
    const one = await paired()
    const object = () => env.IDENTITIES.getByName(one.owner.identity.did)
    expect((await object().device(one.device.deviceId))?.record.expiresAt).toBe(one.confirmBy)
    await one.member.devices.confirm()
    expect((await object().device(one.device.deviceId))?.record).toMatchObject({ expiresAt: null, status: 'active' })
  })

  it('can be suspended, resumed and given less before it confirms, and has to confirm all the same', async () => {
    const one = await paired()
    const { devices } = one.owner.client
    const { deviceId } = one.device
    await devices.suspend(deviceId)
    await expect(one.member.devices.confirm()).rejects.toMatchObject(ENDED)
    await devices.resume(deviceId)
    await devices.change(deviceId, { event: 'capabilities', capabilities: ['chain:read'] })
    setTime(one.confirmBy)
    expect(await listed(one)).toBe('expired')
  })

  it('joins anew with the same key after it has ended, and before', async () => {
    const one = await paired()
    const again = await attested(one.owner, one.device)
    setTime(again.confirmBy)
    expect(await listed(again)).toBe('expired')
    const last = await attested(one.owner, one.device)
    await last.member.devices.confirm()
    setTime(last.confirmBy)
    expect(await listed(last)).toBe('active')
    await expect(attested(one.owner, one.device)).rejects.toMatchObject({ status: 409, error: 'device_exists' })
  })

  it('is not confirmed by the root key, nor by another device', async () => {
    const one = await paired()
    const other = await attested(one.owner, await freshDevice())
    await expect(one.owner.client.devices.confirm()).rejects.toMatchObject({ status: 404, error: 'not_found' })
    await other.member.devices.confirm()
    setTime(one.confirmBy)
    expect([await listed(one), await listed(other)]).toEqual(['expired', 'active'])
  })

  it('confirms under a hold, which a thief could place', async () => {
    const one = await paired()
    await one.owner.client.security.placeHold()
    await one.member.devices.confirm()
    setTime(one.confirmBy)
    expect(await listed(one)).toBe('active')
  })

  it('confirms twenty times at once: each is told so, and it is active', async () => {
    const one = await paired()
    const told = await Promise.all(Array.from({ length: 20 }, () => one.member.devices.confirm()))
    expect(told).toEqual(Array.from({ length: 20 }, () => ({ deviceId: one.device.deviceId, confirmed: true })))
    setTime(one.confirmBy)
    expect(await listed(one)).toBe('active')
  })

  it('confirms or is revoked, of twenty at once: it is revoked', async () => {
    const one = await paired()
    const confirming = Array.from({ length: 20 }, () => one.member.devices.confirm().catch(() => null))
    await Promise.all([one.owner.client.devices.revoke(one.device.deviceId), ...confirming])
    expect(await listed(one)).toBe('revoked')
    await expect(one.member.chain.head()).rejects.toMatchObject(ENDED)
  })
})

describe('when a confirmation dies', () => {
  type Stub = Record<string, (...operands: unknown[]) => Promise<unknown>>
  function failing(when: 'before' | 'after') {
    const getByName = (name: string) =>
      new Proxy(env.IDENTITIES.getByName(name) as unknown as Stub, {
        get: (stub, called: string) => {
          if (called !== 'confirmDevice') return (...operands: unknown[]) => stub[called]?.(...operands)
          return async (...operands: unknown[]) => {
            if (when === 'after') await stub[called]?.(...operands)
            throw new Error('the call dies here')
          }
        },
      })
    return sendWith({ IDENTITIES: { getByName } })
  }

  it.each([
    ['before', 'expired'],
    ['after', 'active'],
  ] as const)('%s the work, the device is what the object has stored, and can confirm again', async (when, left) => {
    const [given, again] = [await paired(), await paired()]
    for (const one of [given, again]) {
      const { device } = one
      const member = await memberOf(one)
      const lost = clientOf(member, failing(when))
      await expect(lost.devices.confirm()).rejects.toMatchObject({ status: 503 })
      await evictDurableObject(env.IDENTITIES.getByName(one.owner.identity.did))
      expect(device.deviceId).toBe(member.deviceId)
    }
    await again.member.devices.confirm()
    setTime(Math.max(given.confirmBy, again.confirmBy))
    expect([await listed(given), await listed(again)]).toEqual([left, 'active'])
  })
})

async function memberOf({ owner, device }: Paired): Promise<Device> {
  const { attestations } = await owner.client.devices.verify()
  const attestation = attestations.find(({ statement }) => statement.deviceId === device.deviceId)
  if (!attestation) throw new Error('the device is not in the log')
  return device.attested(attestation, await owner.client.keyHistory.of(owner.identity.did), REALMS)
}
