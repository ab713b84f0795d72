/** A deployment that moves to another name: `REALMS` has the new realm first and the old one after it. */
import { Client, Device } from '@svc/client'
import { fetchOf, LIST_KEYS, REALM, type TestCaller } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { CORE, freshCaller, send, sendWith } from './harness.ts'

const NEXT = 'https://core.next.test'
const moved = sendWith({ REALMS: [NEXT, REALM], LOG_NAMESPACE: REALM })
type Send = typeof send

const clientOf = ({ identity, address }: TestCaller, realm: string, fetch: Send) =>
  new Client({
    core: CORE,
    did: 'https://did.test',
    realm,
    logListKeys: LIST_KEYS,
    acceptedRealms: [REALM, NEXT],
    identity,
    fetch: fetchOf(fetch),
    headers: { 'cf-connecting-ip': address },
  })

/** Attests a new device; the acceptance and the attestation are two statements. */
async function attest(client: Client, did: string): Promise<string> {
  const device = await Device.create({ origin: 'app:testing', capabilities: ['chain:read'] })
  await client.devices.attest(await device.acceptance(did, { realm: client.realm, now: Date.now() }))
  return device.deviceId
}

describe('a deployment that moves', () => {
  it('accepts statements for the old realm and the new one, and what was signed before stays valid', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    const before = await attest(clientOf(caller, REALM, send), did)
    const late = await attest(clientOf(caller, REALM, moved), did)
    const after = await attest(clientOf(caller, NEXT, moved), did)
    const { devices } = await clientOf(caller, NEXT, moved).devices.verify()
    expect(devices.map(({ deviceId }) => deviceId)).toEqual([before, late, after])
  })

  it('signs for the new realm alone', async () => {
    const caller = await freshCaller()
    const checkpoint = await clientOf(caller, NEXT, moved).anchors.checkpoint()
    expect(checkpoint.statement.realm).toBe(NEXT)
    const unaware = new Client({ core: CORE, did: 'https://did.test', logListKeys: LIST_KEYS, fetch: fetchOf(moved) })
    await expect(unaware.anchors.checkpoint()).rejects.toMatchObject({
      subject: 'anchors',
      reason: 'invalid_signature',
    })
  })

  it.each([
    ['a third realm', 'https://core.other.test', moved, `${NEXT}, ${REALM}`],
    ['the new realm before it moves', NEXT, send, REALM],
  ])('refuses a statement for %s and says what it accepts', async (_, realm, fetch, accepted) => {
    const caller = await freshCaller()
    await expect(attest(clientOf(caller, realm, fetch), caller.identity.did)).rejects.toMatchObject({
      status: 400,
      error: 'wrong_realm',
      message: `body.statement.realm: this statement is for the realm ${realm}; this deployment accepts ${accepted}`,
    })
  })
})
