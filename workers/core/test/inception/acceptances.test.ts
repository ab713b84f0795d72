import { deviceIdOf } from '@svc/protocol/base/device'
import type { KnownInception } from '@svc/protocol/base/inception-head'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { freshCaller } from '../harness.ts'
import { at } from '../rotation/rotation.fixture.ts'
import { acceptanceBy, attest, batch, following, freshKeys, storedInception } from './inception.fixture.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

afterEach(() => {
  vi.useRealTimers()
})

/** An identity, the keys of a device, and its acceptance of a frozen now. */
async function accepted() {
  at(Date.now())
  const now = Date.now()
  const [caller, keys] = [await freshCaller(), await freshKeys()]
  const acceptance = await acceptanceBy(keys, caller.identity.did)
  const options = { expiresAt: now + 30 * HOUR_MS }
  const attestation = async () => {
    const { devices } = caller.client
    return devices.makeAttestation(acceptance, await devices.head(), options)
  }
  return { caller, keys, acceptance, attestation, options, now }
}

describe('an acceptance', () => {
  it('expires after an hour', async () => {
    const { caller, attestation, now } = await accepted()
    at(now + HOUR_MS)
    expect(await attest(caller, await attestation())).toMatchObject({
      status: 401,
      body: { error: 'statement_expired' },
    })
    expect((await storedInception(caller)).events).toEqual([])
    at(now + HOUR_MS - 1)
    expect((await attest(caller, await attestation())).status).toBe(200)
  })

  it('may be dated five minutes ahead, and no more', async () => {
    const { caller, attestation, now } = await accepted()
    at(now - 5 * MINUTE_MS - 1)
    expect(await attest(caller, await attestation())).toMatchObject({
      status: 401,
      body: { error: 'statement_expired' },
    })
    at(now - 5 * MINUTE_MS)
    expect((await attest(caller, await attestation())).status).toBe(200)
  })

  it('serves one attestation: renewal takes a new one', async () => {
    const { caller, keys, attestation } = await accepted()
    expect((await attest(caller, await attestation())).status).toBe(200)
    expect(await attest(caller, await attestation())).toMatchObject({
      status: 409,
      body: { error: 'statement_replay' },
    })
    const { did } = caller.identity
    const inception = await caller.client.devices.known()
    const fresh = await acceptanceBy(keys, did, { inception, issuedAt: Date.now() + 1 })
    await caller.client.devices.attest(fresh)
    expect((await storedInception(caller)).events).toHaveLength(2)
  })

  it('is not older than the newest event about its device', async () => {
    const { caller, keys, attestation } = await accepted()
    const { devices } = caller.client
    const { did } = caller.identity
    const first = await attestation()
    expect((await attest(caller, first)).status).toBe(200)
    await devices.suspend(deviceIdOf(keys.publicKeyB64u))
    const suspended = await devices.known()
    const renewal = async (inception: KnownInception) => {
      const acceptance = await acceptanceBy(keys, did, { inception, issuedAt: Date.now() + 1 })
      return devices.makeAttestation(acceptance, await devices.head())
    }
    for (const older of [null, following(first)]) {
      expect(await attest(caller, await renewal(older))).toMatchObject({
        status: 403,
        body: { error: 'device_mismatch', message: expect.stringContaining('older') as string },
      })
    }
    expect(await attest(caller, await renewal({ sequence: 3, hash: 'a7'.repeat(48) }))).toMatchObject({
      status: 403,
      body: { error: 'device_mismatch', message: expect.stringContaining('does not have') as string },
    })
    expect((await attest(caller, await renewal(suspended))).status).toBe(200)
  })

  it('in one batch is not older than a change of its device before it', async () => {
    const { caller, keys, attestation } = await accepted()
    const { devices } = caller.client
    const first = await attestation()
    expect((await attest(caller, first)).status).toBe(200)
    const deviceId = deviceIdOf(keys.publicKeyB64u)
    const change = await devices.makeChange(deviceId, { event: 'suspend' }, following(first))
    const renewal = async (inception: KnownInception) => {
      const acceptance = await acceptanceBy(keys, caller.identity.did, { inception, issuedAt: Date.now() + 1 })
      return devices.makeAttestation(acceptance, following(change))
    }
    expect(await batch(caller, [change, await renewal(following(first))])).toMatchObject({
      status: 403,
      body: { error: 'device_mismatch' },
    })
    expect((await batch(caller, [change, await renewal(following(change))])).status).toBe(200)
  })

  it('is not used up by an attestation that is refused', async () => {
    const { caller, keys, acceptance, attestation } = await accepted()
    const forged = { ...(await attestation()), signatureB64u: acceptance.signatureB64u }
    expect((await attest(caller, forged)).status).toBe(403)
    expect((await attest(caller, await attestation())).status).toBe(200)
    expect((await storedInception(caller)).devices[0]?.['device_id']).toBe(deviceIdOf(keys.publicKeyB64u))
  })

  it('is not used twice in one batch, which is then refused as a whole', async () => {
    const { caller, acceptance, attestation, options } = await accepted()
    const first = await attestation()
    const second = await caller.client.devices.makeAttestation(acceptance, following(first), options)
    expect(await batch(caller, [first, second])).toMatchObject({ status: 409, body: { error: 'statement_replay' } })
    expect((await storedInception(caller)).events).toEqual([])
  })

  it('that twenty use at once attests one device, once', async () => {
    const { caller, acceptance, options } = await accepted()
    const attempts = await Promise.allSettled(
      Array.from({ length: 20 }, () => caller.client.devices.attest(acceptance, options)),
    )
    const refusals = attempts.filter((one) => one.status === 'rejected').map(({ reason }) => reason as unknown)
    expect(refusals).toHaveLength(19)
    for (const refusal of refusals) expect(refusal).toMatchObject({ status: 409, error: 'statement_replay' })
    expect((await storedInception(caller)).events).toHaveLength(1)
  })
})
