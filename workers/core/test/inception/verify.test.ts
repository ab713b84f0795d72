import { signStatement } from '@svc/protocol/base/statement'
import type { Device } from '@svc/protocol/devices/inception'
import { callerOf, signerOf, type TestCaller } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { freshCaller, send } from '../harness.ts'
import { rotated } from '../rotation/rotation.fixture.ts'
import {
  type Answer,
  attestationOf,
  batch,
  chained,
  type DeviceEvent,
  following,
  freshKeys,
} from './inception.fixture.ts'
import { callers, inceptionBy, organizationOf } from './organization.fixture.ts'

type Page = { events: DeviceEvent[]; next: number | null; head: { sequence: number; hash: string } }
type Change = (data: never, from: number) => unknown

/** Two pages: a device suspended and resumed in turns in epoch 0, attested again and revoked in epoch 1. */
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
  for (let at = 0; at < events.length; at += 7) appended(await batch(caller, events.slice(at, at + 7)))
  const { next } = await rotated(caller)
  appended(await batch(next, [await attestationOf(next, keys)]))
  await next.client.devices.revoke(deviceId)
  return next
}

function appended({ status, body }: Answer): void {
  if (status !== 200) throw new Error(`The events were refused: ${status} ${JSON.stringify(body)}`)
}

let owner: TestCaller
let good: { devices: readonly Device[]; head: Page['head'] }
beforeAll(async () => {
  owner = await loggedOwner()
  good = await owner.client.devices.verify()
})

/** Verifies through a service that alters its answers under one path. */
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
/** The same, altering the events of the first page. */
const verifyingFirst = (change: (events: DeviceEvent[]) => DeviceEvent[]) =>
  verifyingPages((page, from) => (from === 1 ? { ...page, events: change(page.events) } : page))
const flipped = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)

describe('devices.verify', () => {
  it('accepts a log of two pages and two root keys', () => {
    expect(good.head.sequence).toBe(23)
    expect(good.devices).toMatchObject([{ rootEpoch: 1, status: 'revoked' }])
  })

  it('detects a changed member', async () => {
    const changed = verifyingFirst((events) =>
      events.with(4, { ...events[4]!, statement: { ...events[4]!.statement, issuedAt: 1 } } as DeviceEvent),
    )
    await expect(changed).rejects.toThrow('The inception log is invalid at 5: invalid_signature')
  })

  it('detects a suspension turned into a revocation', async () => {
    const changed = verifyingFirst((events) =>
      events.with(1, { ...events[1]!, statement: { ...events[1]!.statement, event: 'revoke' } } as DeviceEvent),
    )
    await expect(changed).rejects.toThrow('The inception log is invalid at 2: invalid_signature')
  })

  it('detects another signature, including on the device’s acceptance', async () => {
    const byRoot = verifyingFirst((events) =>
      events.with(7, { ...events[7]!, signatureB64u: flipped(events[7]!.signatureB64u) }),
    )
    await expect(byRoot).rejects.toThrow('The inception log is invalid at 8: invalid_signature')
    const byDevice = verifyingFirst((events) => {
      const [first] = events
      if (!first || !('acceptance' in first)) throw new Error('the first event attests')
      const { acceptance } = first
      const signatureB64u = flipped(acceptance.signatureB64u)
      return events.with(0, { ...first, acceptance: { ...acceptance, signatureB64u } })
    })
    await expect(byDevice).rejects.toThrow('The inception log is invalid at 1: invalid_signature')
  })

  it('detects omitted, duplicated or swapped events', async () => {
    const stale = (sequence: number) => `The inception log is invalid at ${sequence}: stale_inception_head`
    await expect(verifyingFirst((events) => events.toSpliced(3, 1))).rejects.toThrow(stale(5))
    await expect(verifyingFirst((events) => events.toSpliced(3, 2))).rejects.toThrow(stale(6))
    await expect(verifyingFirst((events) => events.toSpliced(3, 1, events[2]!))).rejects.toThrow(stale(3))
    const swapped = verifyingFirst((events) => events.with(3, events[4]!).with(4, events[3]!))
    await expect(swapped).rejects.toThrow(stale(5))
    await expect(verifyingFirst((events) => events.slice(1))).rejects.toThrow(stale(2))
  })

  it('detects a gap between pages', async () => {
    await expect(verifyingFirst((events) => events.slice(0, -1))).rejects.toThrow('The log has a gap')
    for (const next of [1, 20, 22, 23]) {
      const skipping = verifyingPages((page, from) => (from === 1 ? { ...page, next } : page))
      await expect(skipping).rejects.toThrow('The log has a gap')
    }
  })

  it('does not loop forever', async () => {
    const empty = verifyingPages((page, from) => ({ ...page, events: [], next: from }))
    await expect(empty).rejects.toThrow('The log has a gap')
    const atTheEnd = verifyingPages((page) => (page.next === null ? { ...page, next: 24 } : page))
    await expect(atTheEnd).rejects.toThrow('The log has a gap')
  })

  it('detects a log cut short of its head', async () => {
    const cut = 'The log was truncated'
    await expect(verifyingPages((page) => ({ ...page, next: null }))).rejects.toThrow(cut)
    await expect(verifyingPages((page) => ({ ...page, events: [], next: null }))).rejects.toThrow(cut)
    const unrevoked = verifyingPages((page, from) =>
      from === 1 ? page : { ...page, events: page.events.slice(0, -1) },
    )
    await expect(unrevoked).rejects.toThrow(cut)
  })

  it('reports how far it went, since a head can be withdrawn along with the events before it', async () => {
    const { head, devices } = await verifyingPages((page, from) => {
      const events = from === 1 ? page.events : page.events.slice(0, -1)
      return { ...page, events, head: following(events.at(-1)!) }
    })
    expect(head.sequence).toBe(22)
    expect(devices).toMatchObject([{ status: 'active' }])
  })

  it('rejects the log of another identity', async () => {
    const other = await loggedOwner()
    const pages = new Map([
      [1, await other.client.devices.page(1)],
      [21, await other.client.devices.page(21)],
    ])
    const foreign = verifyingPages((page, from) => (pages.get(from) as Page | undefined) ?? page)
    await expect(foreign).rejects.toThrow('The inception log is invalid at 1: owner_mismatch')
  })

  it('rejects a genesis record that does not belong to the DID', async () => {
    const other = await freshCaller()
    const record = await other.client.chain.readGenesis(other.identity.did)
    const path = '/api/genesis/'
    const fault = 'The genesis record does not match the DID'
    await expect(verifying(path, () => record)).rejects.toThrow(fault)
    await expect(verifying(path, (data: object) => ({ ...data, hash: 'a7'.repeat(48) }))).rejects.toThrow(fault)
  })

  it('rejects root keys that do not belong to the DID, are omitted or form a cycle', async () => {
    const path = `/api/chain/root/${owner.identity.did}/history`
    const mallory = await freshKeys()
    const { publicKeyB64u, userId } = mallory
    type History = { keys: object[]; next: number | null }
    const swapped = verifying(path, ({ keys, ...data }: History) => ({
      ...data,
      keys: keys.with(1, { ...keys[1], publicKeyB64u, userId }),
    }))
    await expect(swapped).rejects.toThrow('The root keys do not match the DID: broken_link at 1')
    const fewer = verifying(path, ({ keys, ...data }: History) => ({ ...data, keys: keys.slice(0, 1) }))
    await expect(fewer).rejects.toThrow('The inception log is invalid at 22: unknown_epoch')
    const circling = verifying(path, (data: History) => ({ ...data, keys: [], next: 0 }))
    await expect(circling).rejects.toThrow('Core left out root keys')
  })
})

describe('devices.verify of an organization', () => {
  it('accepts officers who were rotated or deactivated later', async () => {
    const { org, officers } = await organizationOf(3, 1)
    await rotated(officers[0]!)
    await officers[1]!.client.security.deactivate()
    expect((await org.client.devices.verify()).roster?.officers).toHaveLength(3)
  })

  it('detects an officer who signed with someone else’s key', async () => {
    const [org, ann, ben] = (await callers(3)) as [TestCaller, TestCaller, TestCaller]
    const inception = await inceptionBy(org, [ann, ben], 1)
    const [byAnn, byBen] = inception.acceptances
    const { publicKeyB64u } = ann.identity
    const forged = {
      publicKeyB64u,
      ...(await signStatement(byBen!.statement, signerOf(ann.identity))),
    }
    const event = { ...inception, acceptances: [byAnn!, forged] }
    const page = { events: [event], next: null, head: following(event) }
    const verified = verifying('/api/inception/events', () => page, org)
    await expect(verified).rejects.toThrow(`An officer’s key does not belong to ${ben.identity.did}`)
  })
})
