import type { Device } from '@svc/protocol/inception'
import { signStatement } from '@svc/protocol/statement'
import { callerOf, type TestCaller } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { freshCaller, send } from './harness.ts'
import { attestationOf, batch, chained, type DeviceEvent, following, freshKeys } from './inception.fixture.ts'
import { callers, inceptionBy, organizationOf } from './organization.fixture.ts'
import { rotated } from './rotation.fixture.ts'

type Page = { events: DeviceEvent[]; next: number | null; head: { sequence: number; hash: string } }
type Change = (data: never, from: number) => unknown

/** Two pages: a device attested, suspended and resumed by turns in epoch 0, attested anew and revoked in epoch 1. */
async function loggedOwner(): Promise<TestCaller> {
  const caller = await freshCaller()
  const keys = await freshKeys()
  const first = await attestationOf(caller, keys)
  const { deviceId } = first.statement
  const turns = Array.from(
    { length: 20 },
    (_, i) => (head: Page['head']) =>
      caller.client.devices.makeChange(deviceId, { event: i % 2 === 0 ? 'suspend' : 'resume' }, head),
  )
  const events = await chained(await caller.client.devices.head(), [() => Promise.resolve(first), ...turns])
  for (let at = 0; at < events.length; at += 7) await batch(caller, events.slice(at, at + 7))
  const { next } = await rotated(caller)
  await batch(next, [await attestationOf(next, keys)])
  await next.client.devices.revoke(deviceId)
  return next
}

let owner: TestCaller
let good: { devices: readonly Device[]; head: Page['head'] }
beforeAll(async () => {
  owner = await loggedOwner()
  good = await owner.client.devices.verify()
})

/** Verifies through a service that changes what it answers under one path. */
function verifying(path: string, change: Change, reader = owner) {
  const fetch = async (request: Request) => {
    const response = await send(request)
    const { pathname, searchParams } = new URL(request.url)
    if (!pathname.startsWith(path)) return response
    const body = await response.json<{ data: never }>()
    return Response.json({ ...body, data: change(body.data, Number(searchParams.get('from'))) })
  }
  return callerOf(reader.identity, { fetch }).client.devices.verify()
}
const verifyingPages = (change: (page: Page, from: number) => Page) => verifying('/api/inception/events', change)
/** The same with what becomes of the events of the first page. */
const verifyingFirst = (change: (events: DeviceEvent[]) => DeviceEvent[]) =>
  verifyingPages((page, from) => (from === 1 ? { ...page, events: change(page.events) } : page))
const flipped = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)

describe('devices.verify', () => {
  it('takes a log of two pages and two root keys', () => {
    expect(good.head.sequence).toBe(23)
    expect(good.devices).toMatchObject([{ rootEpoch: 1, status: 'revoked' }])
  })

  it('finds a changed member', async () => {
    const changed = verifyingFirst((events) =>
      events.with(4, { ...events[4]!, statement: { ...events[4]!.statement, issuedAt: 1 } } as DeviceEvent),
    )
    await expect(changed).rejects.toThrow('the inception log breaks at 5: invalid_signature')
  })

  it('finds a suspension that was made a resumption', async () => {
    const changed = verifyingFirst((events) =>
      events.with(1, { ...events[1]!, statement: { ...events[1]!.statement, event: 'resume' } } as DeviceEvent),
    )
    await expect(changed).rejects.toThrow('the inception log breaks at 2: invalid_signature')
  })

  it('finds another signature, also of the device’s acceptance', async () => {
    const byRoot = verifyingFirst((events) =>
      events.with(7, { ...events[7]!, signatureB64u: flipped(events[7]!.signatureB64u) }),
    )
    await expect(byRoot).rejects.toThrow('the inception log breaks at 8: invalid_signature')
    const byDevice = verifyingFirst((events) => {
      const [first] = events
      if (!first || !('acceptance' in first)) throw new Error('the first event attests')
      const { acceptance } = first
      const signatureB64u = flipped(acceptance.signatureB64u)
      return events.with(0, { ...first, acceptance: { ...acceptance, signatureB64u } })
    })
    await expect(byDevice).rejects.toThrow('the inception log breaks at 1: invalid_signature')
  })

  it('finds events that were left out, doubled or swapped', async () => {
    const stale = (sequence: number) => `the inception log breaks at ${sequence}: stale_inception_head`
    await expect(verifyingFirst((events) => events.toSpliced(3, 1))).rejects.toThrow(stale(5))
    await expect(verifyingFirst((events) => events.toSpliced(3, 2))).rejects.toThrow(stale(6))
    await expect(verifyingFirst((events) => events.toSpliced(3, 1, events[2]!))).rejects.toThrow(stale(3))
    const swapped = verifyingFirst((events) => events.with(3, events[4]!).with(4, events[3]!))
    await expect(swapped).rejects.toThrow(stale(5))
    await expect(verifyingFirst((events) => events.slice(1))).rejects.toThrow(stale(2))
  })

  it('finds a gap between pages', async () => {
    await expect(verifyingFirst((events) => events.slice(0, -1))).rejects.toThrow('the log has a gap')
    for (const next of [1, 20, 22, 23]) {
      const skipping = verifyingPages((page, from) => (from === 1 ? { ...page, next } : page))
      await expect(skipping).rejects.toThrow('the log has a gap')
    }
  })

  it('does not go round in circles', async () => {
    const empty = verifyingPages((page, from) => ({ ...page, events: [], next: from }))
    await expect(empty).rejects.toThrow('the log has a gap')
    const atTheEnd = verifyingPages((page) => (page.next === null ? { ...page, next: 24 } : page))
    await expect(atTheEnd).rejects.toThrow('the log has a gap')
  })

  it('finds a log that was cut short of its head', async () => {
    const cut = 'the log was cut short'
    await expect(verifyingPages((page) => ({ ...page, next: null }))).rejects.toThrow(cut)
    await expect(verifyingPages((page) => ({ ...page, events: [], next: null }))).rejects.toThrow(cut)
    const unrevoked = verifyingPages((page, from) =>
      from === 1 ? page : { ...page, events: page.events.slice(0, -1) },
    )
    await expect(unrevoked).rejects.toThrow(cut)
  })

  it('tells how far it went, since a head can be taken back with the events before it', async () => {
    const { head, devices } = await verifyingPages((page, from) => {
      const events = from === 1 ? page.events : page.events.slice(0, -1)
      return { ...page, events, head: following(events.at(-1)!) }
    })
    expect(head.sequence).toBe(22)
    expect(devices).toMatchObject([{ status: 'active' }])
  })

  it('refuses the log of another identity', async () => {
    const other = await loggedOwner()
    const pages = new Map([
      [1, await other.client.devices.page(1)],
      [21, await other.client.devices.page(21)],
    ])
    const foreign = verifyingPages((page, from) => (pages.get(from) as Page | undefined) ?? page)
    await expect(foreign).rejects.toThrow('the inception log breaks at 1: owner_mismatch')
  })

  it('refuses a genesis record that is not of the DID', async () => {
    const other = await freshCaller()
    const record = await other.client.chain.readGenesis(other.identity.did)
    const path = '/api/genesis/'
    const fault = 'the genesis record is not of this DID'
    await expect(verifying(path, () => record)).rejects.toThrow(fault)
    await expect(verifying(path, (data: object) => ({ ...data, hash: 'a7'.repeat(48) }))).rejects.toThrow(fault)
  })

  it('refuses root keys that are not of the DID, left out or answered in a circle', async () => {
    const path = `/api/chain/root/${owner.identity.did}/history`
    const mallory = await freshKeys()
    const { publicKeyB64u, userId } = mallory
    type History = { keys: object[]; next: number | null }
    const swapped = verifying(path, ({ keys, ...data }: History) => ({
      ...data,
      keys: keys.with(1, { ...keys[1], publicKeyB64u, userId }),
    }))
    await expect(swapped).rejects.toThrow('the root keys are not of this DID: broken_link at 1')
    const fewer = verifying(path, ({ keys, ...data }: History) => ({ ...data, keys: keys.slice(0, 1) }))
    await expect(fewer).rejects.toThrow('the inception log breaks at 22: unknown_epoch')
    const circling = verifying(path, (data: History) => ({ ...data, keys: [], next: 0 }))
    await expect(circling).rejects.toThrow('core left out root keys')
  })
})

describe('devices.verify of an organization', () => {
  it('takes officers who have rotated or were deactivated since', async () => {
    const { org, officers } = await organizationOf(3, 1)
    await rotated(officers[0]!)
    await officers[1]!.client.security.deactivate()
    expect((await org.client.devices.verify()).roster?.officers).toHaveLength(3)
  })

  it('finds an officer who signed with the key of somebody else', async () => {
    const [org, ann, ben] = (await callers(3)) as [TestCaller, TestCaller, TestCaller]
    const inception = await inceptionBy(org, [ann, ben], 1)
    const [byAnn, byBen] = inception.acceptances
    const { publicKeyB64u } = ann.identity
    const forged = {
      publicKeyB64u,
      ...(await signStatement(byBen!.statement, (message) => ann.identity.sign(message))),
    }
    const event = { ...inception, acceptances: [byAnn!, forged] }
    const page = { events: [event], next: null, head: following(event) }
    const verified = verifying('/api/inception/events', () => page, org)
    await expect(verified).rejects.toThrow(`an officer’s key is not of ${ben.identity.did}`)
  })
})
