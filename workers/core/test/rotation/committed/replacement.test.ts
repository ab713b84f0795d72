/** Rule R19: the evidence of a key that replaced the committed keys, and what core reports to the key directory. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { type RootKeyEvidence, rotationIdOf, STANDING_MS } from '@svc/protocol/chain/rotation'
import { verifyKeyHistory } from '@svc/protocol/chain/rotation-verification'
import { openedHash, replacementJudge } from '@svc/protocol/keys/replacement'
import { loggedOf } from '@svc/protocol/keys/replacement.fixture'
import { callerOf, REALMS } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ROOT_UPDATES } from '../../../src/rotation/updates/outbox.ts'
import { anonymous, send } from '../../harness.ts'
import { at, DAY_MS, memberOf } from '../rotation.fixture.ts'
import { activated, asks, committed, cosigns, heirFreezes, sends, withPhone } from './committed.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
})

async function keysOf(did: string): Promise<RootKeyEvidence[]> {
  const { body } = await anonymous('GET', `/api/chain/root/${did}/history`)
  return (body['data'] as { keys: RootKeyEvidence[] }).keys
}

/** Returns the updates that wait for the directory, in order. */
function waitingOf(did: string): Promise<string[]> {
  return runInDurableObject(env.IDENTITIES.getByName(did), ({ stored }) =>
    stored
      .tables(ROOT_UPDATES)
      .exec<{ id: string }>('SELECT id FROM root_updates ORDER BY seq')
      .toArray()
      .map(({ id }) => id),
  )
}

describe('a replacement', () => {
  it('is proved by the evidence from core and the log of the directory', async () => {
    const owner = await withPhone(true)
    const { did } = owner.alice.identity
    const request = await asks(owner, await owner.alice.identity.successor())
    const rotationId = rotationIdOf(request.statement)
    const requestedAt = Date.now()
    at(requestedAt)
    await cosigns(owner, request)
    at(requestedAt + STANDING_MS)
    await activated(owner, request)
    const keys = await keysOf(did)
    expect(keys[1]?.replacement).toMatchObject({ requestedAt, cosigned: { statement: { rotationId } }, events: [{}] })
    const logged = await loggedOf({ did, rotationId, requestedAt })
    const proved = await verifyKeyHistory(keys, did, REALMS, replacementJudge(logged, REALMS))
    expect(proved.ok && proved.value.at(-1)?.publicKeyB64u).toBe(request.statement.newPublicKeyB64u)
    const refused = { ok: false, error: { reason: 'not_in_log', epoch: 1 } }
    expect(await verifyKeyHistory(keys, did, REALMS)).toEqual(refused)
    expect(await waitingOf(did)).toEqual([openedHash({ did, rotationId, requestedAt }), rotationId])
  })

  it('is reported to the directory when it is requested, other rotations only when they take effect', async () => {
    const owner = await withPhone(true)
    const { did } = owner.alice.identity
    const told: string[] = []
    for (let i = 0; i < 2; i++) {
      const request = await asks(owner, await owner.alice.identity.successor())
      const rotationId = rotationIdOf(request.statement)
      const requestedAt = Date.now() + DAY_MS
      at(requestedAt)
      await cosigns(owner, request)
      await heirFreezes(owner, owner.sheets[0], rotationId)
      told.push(openedHash({ did, rotationId, requestedAt }))
    }
    expect(await waitingOf(did)).toEqual(told)
    await sends(owner, await asks(owner, owner.sheets[0]))
    expect(await waitingOf(did)).toEqual(told)
  })

  it('is opened by what the SDK sends for a root key and a device, and ended by what it sends for a sheet', async () => {
    const { alice, bob, sheets, phone } = await withPhone(true)
    const { did, scope } = alice.identity
    const successor = await alice.identity.successor()
    const request = await alice.client.rotation.makeRequest(successor, { version: 2 })
    const kept = { format: 'svc/recovery/v1', did, scope, epoch: successor.epoch, requests: [request] } as const
    const opened = await bob.client.recovery(kept).start(phone.device)
    expect(opened).toMatchObject({ status: 'pending', basis: 'replacement', cosignatures: 1 })
    const frozen = await bob.client.rotation.freezeAs(sheets[0], opened.rotationId)
    expect(frozen).toMatchObject({ rotationId: opened.rotationId, status: 'frozen' })
  })

  it('is not opened before the device also has standing by the clock of the root key, as readers judge it', async () => {
    at(Date.now())
    const owner = await committed(true)
    // Core accepts such a clock, so the SDK does not correct it.
    const aheadMs = 100_000
    const now = () => Date.now() + aheadMs
    const phone = await memberOf(callerOf(owner.alice.identity, { fetch: send, now }), 'rotation:cosign')
    at(Date.now() + DAY_MS)
    const request = await asks(owner, await owner.alice.identity.successor())
    const opened = () => cosigns({ ...owner, phone }, request)
    expect(await opened()).toMatchObject({ status: 403, body: { error: 'not_eligible' } })
    at(Date.now() + aheadMs)
    expect(await opened()).toMatchObject({ status: 200 })
  })

  it('includes no events of its device from after it was opened', async () => {
    const owner = await withPhone(true)
    const { alice, phone } = owner
    const request = await asks(owner, await alice.identity.successor())
    const requestedAt = Date.now()
    at(requestedAt)
    await cosigns(owner, request)
    at(requestedAt + 1)
    await alice.client.devices.suspend(phone.device.deviceId)
    at(requestedAt + STANDING_MS)
    await activated(owner, request)
    const [, last] = await keysOf(alice.identity.did)
    expect(last?.replacement?.events).toHaveLength(1)
  })

  it('shows no such evidence for a key that was committed', async () => {
    const owner = await withPhone(true)
    const request = await asks(owner, owner.sheets[0])
    await sends(owner, request)
    at(Date.now() + DAY_MS)
    await activated(owner, request)
    const [, last] = await keysOf(owner.alice.identity.did)
    expect(last).toMatchObject({ epoch: 1 })
    expect(last).not.toHaveProperty('replacement')
  })
})
