import { describe, expect, it } from 'vitest'
import { anonymous, freshCaller, sendWith } from '../harness.ts'
import {
  attest,
  attestationOf,
  batch,
  beforeCalling,
  change,
  freshKeys,
  post,
  receiptOf,
  storedInception,
} from './inception.fixture.ts'
import { inceptionBy, organizationOf, rotationBy } from './organization.fixture.ts'

const HELD = { status: 409, body: { error: 'security_hold', details: { appended: null } } }

describe('a security hold', () => {
  it('blocks every write of devices at once, and the log stays readable', async () => {
    const caller = await freshCaller()
    const { devices } = caller.client
    const first = await attestationOf(caller, await freshKeys())
    await attest(caller, first)
    const head = await devices.head()
    const revocation = await devices.makeChange(first.statement.deviceId, { event: 'revoke' }, head)
    const second = await attestationOf(caller, await freshKeys())
    await caller.client.security.placeHold()
    const before = await storedInception(caller)
    expect(await attest(caller, second)).toMatchObject(HELD)
    expect(await change(caller, revocation)).toMatchObject(HELD)
    expect(await batch(caller, [second])).toMatchObject(HELD)
    expect(await storedInception(caller)).toEqual(before)
    expect(await devices.head()).toEqual(head)
    expect((await devices.verify()).devices).toHaveLength(1)
    await caller.client.security.liftHold()
    expect((await change(caller, revocation)).status).toBe(200)
  })

  it('blocks an organization’s inception and changes of its officers', async () => {
    const { org, officers, head } = await organizationOf(2, 1)
    const other = await freshCaller()
    const inception = await inceptionBy(other, officers, 1)
    await other.client.security.placeHold()
    expect(await post(other, 'org', inception)).toMatchObject(HELD)
    const rotation = await rotationBy(org, { officers: officers.slice(0, 1), approving: officers, head })
    await org.client.security.placeHold()
    expect(await anonymous('POST', '/api/inception/org-officers', rotation)).toMatchObject(HELD)
    await org.client.security.liftHold()
    expect((await anonymous('POST', '/api/inception/org-officers', rotation)).status).toBe(200)
  })

  it('still tells a retry that its event was appended', async () => {
    const caller = await freshCaller()
    const event = await attestationOf(caller, await freshKeys())
    const first = await attest(caller, event)
    await caller.client.security.placeHold()
    expect(await attest(caller, event)).toMatchObject({
      status: 409,
      body: { error: 'security_hold', details: { appended: receiptOf(first) } },
    })
  })

  it('stops an attestation authorized before it was placed', async () => {
    const caller = await freshCaller()
    const event = await attestationOf(caller, await freshKeys())
    const late = sendWith(beforeCalling('appendInception', () => caller.client.security.placeHold()))
    expect(await attest(caller, event, late)).toMatchObject(HELD)
    expect((await caller.client.devices.head()).sequence).toBe(0)
    await caller.client.security.liftHold()
    expect((await attest(caller, event)).status).toBe(200)
  })

  it('stops a batch, an event and an inception in progress', async () => {
    const { org, officers } = await organizationOf(1, 1)
    const device = await attestationOf(org, await freshKeys())
    await attest(org, device)
    const { devices, security } = org.client
    const late = () => sendWith(beforeCalling('appendInception', () => security.placeHold()))
    const head = await devices.head()
    const suspension = await devices.makeChange(device.statement.deviceId, { event: 'suspend' }, head)
    expect(await change(org, suspension, late())).toMatchObject(HELD)
    await security.liftHold()
    const another = await attestationOf(org, await freshKeys())
    expect(await batch(org, [another], late())).toMatchObject(HELD)
    const fresh = await freshCaller()
    const inception = await inceptionBy(fresh, officers, 1)
    const held = sendWith(beforeCalling('appendInception', () => fresh.client.security.placeHold()))
    expect(await post(fresh, 'org', inception, held)).toMatchObject(HELD)
    expect(await devices.head()).toMatchObject({ sequence: head.sequence, hash: head.hash })
  })

  it('stops a change of officers whose signatures were verified before it was placed', async () => {
    const { org, officers, head } = await organizationOf(2, 2)
    const rotation = await rotationBy(org, { officers: officers.slice(0, 1), approving: officers, head })
    const late = sendWith(beforeCalling('rotateOfficers', () => org.client.security.placeHold()))
    const request = new Request('https://core.test/api/inception/org-officers', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'cf-connecting-ip': org.address },
      body: JSON.stringify(rotation),
    })
    const response = await late(request)
    expect({ status: response.status, body: await response.json() }).toMatchObject(HELD)
    expect((await org.client.devices.verify()).roster?.version).toBe(1)
  })

  it('racing twenty attestations lets none through afterwards', async () => {
    const caller = await freshCaller()
    const event = await attestationOf(caller, await freshKeys())
    const [, ...answers] = await Promise.all([
      caller.client.security.placeHold(),
      ...Array.from({ length: 20 }, () => attest(caller, event)),
    ])
    const { sequence, hash } = await caller.client.devices.head()
    expect(sequence).toBe(answers.filter(({ status }) => status === 200).length)
    const next = await attestationOf(caller, await freshKeys(), { sequence, hash })
    expect(await attest(caller, next)).toMatchObject(HELD)
  })
})
