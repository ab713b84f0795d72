import type { Client, PendingChange, StandingChange } from '@svc/client'
import { callerOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { freshCaller, send } from '../harness.ts'
import { cosignerOf, memberOf, opened } from './rotation.fixture.ts'

type Read = (client: Client) => Promise<{ readonly pending?: PendingChange | undefined }>

/** Where owners look. */
const READS: [string, Read][] = [
  ['the head of the chain', (client) => client.chain.head()],
  ['sync status', (client) => client.chain.syncStatus()],
  ['the head of the inception log', (client) => client.devices.head()],
  ['the events of the inception log', (client) => client.devices.page()],
  ['the state of the hold', (client) => client.security.hold()],
]

describe('a pending rotation', () => {
  it.each(READS)('is told with %s', async (_, read) => {
    const alice = await freshCaller()
    const { client } = alice
    expect(await read(client)).not.toHaveProperty('pending')
    const { rotation } = await opened(alice, 2)
    const { rotationId, kind, requestedAt, deadline } = rotation
    const expected = { rotationId, kind, version: 2, requestedAt, deadline, isCosigned: false, isApproved: false }
    expect((await read(client)).pending).toEqual(expected)
    expect(client.pending).toEqual(expected)
    await client.rotation.freeze(rotationId)
    expect(await read(client)).not.toHaveProperty('pending')
    expect(client.pending).toBeNull()
  })

  it('is told to a device, and with the answer to a change of devices', async () => {
    const alice = await freshCaller()
    const phone = await memberOf(alice, 'account:read')
    const { rotation } = await opened(alice, 2)
    expect((await phone.client.devices.head()).pending?.rotationId).toBe(rotation.rotationId)
    const revoked = await alice.client.devices.revoke(phone.device.deviceId)
    expect(revoked.pending?.rotationId).toBe(rotation.rotationId)
  })

  it('is told with a deactivation that waits, and who has co-signed', async () => {
    const alice = await freshCaller()
    const phone = await cosignerOf(alice)
    const { rotationId, deadline } = await alice.client.security.deactivate()
    const { pending } = await phone.client.security.hold()
    expect(pending).toMatchObject({ rotationId, kind: 'deactivation', deadline, isCosigned: false })
    const { latest } = await alice.client.rotation.current()
    await phone.client.rotation.cosign(latest!)
    expect((await phone.client.security.hold()).pending).toMatchObject({ isCosigned: true })
  })
})

describe('onPending', () => {
  it('is called once for each pending change, whatever shows it', async () => {
    const alice = await freshCaller()
    const told: (PendingChange | StandingChange)[] = []
    const onPending = (pending: PendingChange | StandingChange) => void told.push(pending)
    const ids = () => told.map((one) => ('rotationId' in one ? one.rotationId : one.deviceId))
    const { client } = callerOf(alice.identity, { fetch: send, onPending })
    await client.chain.head()
    expect(told).toEqual([])
    const first = await opened(alice, 2)
    for (const [, read] of READS) await read(client)
    await client.rotation.current()
    await client.chain.root(alice.identity.did)
    expect(ids()).toEqual([first.rotation.rotationId])
    await client.rotation.freeze(first.rotation.rotationId)
    const second = await opened(alice, 1)
    await client.chain.root(alice.identity.did)
    expect(ids()).toEqual([first, second].map(({ rotation }) => rotation.rotationId))
    expect(client.pending).toMatchObject({ version: 1, deadline: null })
  })

  it('is not called for another identity', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    await opened(alice, 2)
    await bob.client.chain.root(alice.identity.did)
    expect(bob.client.pending).toBeNull()
  })
})
