/** Recovery with the SDK: a thief holds a copy of the root key, and the owner what `prepareRecovery` kept. */
import type { Identity, KeptRecovery, Lazy, Recovery } from '@svc/client'
import { identityOfWords, printedKey } from '@svc/client/recovery-words'
import { CONTEST_MS, rotationIdOf, type SignedRotationRequest, STANDING_MS } from '@svc/protocol/chain/rotation'
import { callerOf, REALM, type TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { anonymous, freshCaller, send } from '../harness.ts'
import { approvalOf, at, DAY_MS, memberOf, OPERATOR_SEED, opened, submit } from './rotation.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
})

type Capability = Parameters<typeof memberOf>[1]

/** A day after the owner prepared. `thief` has the root key; the owner sends through `bob`. */
async function prepared(...capabilities: Capability[]) {
  const [thief, bob] = [await freshCaller(), await freshCaller()]
  const phone = await memberOf(thief, ...capabilities)
  const { kept, successor } = await thief.identity.prepareRecovery({ realm: REALM, now: Date.now() })
  at(Date.now() + DAY_MS)
  return { thief, bob, phone, kept, successor, recovery: over(bob, kept) }
}

/** What is kept came from a file. */
function over({ client }: TestCaller, kept: KeptRecovery): Lazy<Recovery> {
  return client.recovery(JSON.parse(JSON.stringify(kept)))
}

const stageOf = async (recovery: Lazy<Recovery>) => {
  const { stage, next } = await recovery.status()
  return [stage, next.act, next.at]
}

async function expectRecovered(recovery: Lazy<Recovery>, successor: Identity): Promise<void> {
  expect(await stageOf(recovery)).toEqual(['done', 'continue', null])
  const { client } = callerOf(successor, { fetch: send })
  expect((await client.chain.append({})).index).toBe('1')
  expect(await client.chain.root(successor.did)).toMatchObject({ publicKeyB64u: successor.publicKeyB64u })
}

const approve = async ({ did, rotationId, request }: Awaited<ReturnType<Recovery['forOperator']>>) =>
  anonymous('POST', '/api/operator/acts', await approvalOf(did, rotationId, OPERATOR_SEED, request))

describe('a recovery that is walked through', () => {
  it('starts, waits, and finishes, by what it is called with', async () => {
    const { thief, phone, recovery, successor } = await prepared('rotation:cosign')
    await thief.client.devices.revoke(phone.device.deviceId)
    expect(await recovery.recover({ successor })).toMatchObject({
      acts: [],
      needs: 'device',
      status: { stage: 'ready' },
    })
    const { device } = phone
    const begun = Date.now()
    const started = await recovery.recover({ successor, device })
    expect(started).toMatchObject({ acts: ['start'], needs: null, request: null })
    expect(started.status).toMatchObject({ stage: 'waiting', next: { act: 'finish', at: begun + DAY_MS } })
    expect(await recovery.recover({ successor, device })).toMatchObject({ acts: [], status: { stage: 'waiting' } })
    at(begun + DAY_MS)
    const { words } = printedKey(successor)
    const finished = await recovery.recover({ successor: await identityOfWords({ signing: words.signing }) })
    expect(finished).toMatchObject({ acts: ['finish'], needs: null, status: { stage: 'done' } })
    expect(await recovery.recover({ successor })).toMatchObject({ acts: [], status: { stage: 'done' } })
    await expectRecovered(recovery, successor)
  })

  it('contests what a device of the thief co-signed, and then starts', async () => {
    const { thief, phone, recovery, successor } = await prepared('rotation:cosign')
    const second = await memberOf(thief, 'rotation:cosign')
    // No device agreed to it.
    at(Date.now() + STANDING_MS)
    const { rotation } = await opened(thief, 2)
    await second.client.rotation.cosign(rotation)
    expect(await stageOf(recovery)).toEqual(['blocked', 'contest', rotation.deadline])
    expect(await recovery.recover({ successor })).toMatchObject({ acts: [], needs: 'device' })
    const { acts, status } = await recovery.recover({ successor, device: phone.device })
    expect([acts, status.stage]).toEqual([['contest', 'start'], 'waiting'])
  })

  it('asks for the operator where the device has no standing to co-sign', async () => {
    const { phone, recovery, successor, kept } = await prepared('account:read')
    const { acts, needs, request } = await recovery.recover({ successor, device: phone.device })
    expect([acts, needs]).toEqual([[], 'operator'])
    expect(request?.request).toEqual(kept.requests.find(({ statement }) => statement.version === 1))
  })

  it('sends nothing without the key that the requests rotate to', async () => {
    const { thief, phone, recovery } = await prepared('rotation:cosign')
    const wrong = { name: 'ConfigurationError', option: 'successor' }
    for (const successor of [await thief.identity.successor(), thief.identity])
      await expect(recovery.recover({ successor, device: phone.device })).rejects.toMatchObject(wrong)
    expect(await stageOf(recovery)).toEqual(['ready', 'start', null])
  })
})

describe('a recovery from a stolen root key', () => {
  it('that nobody contests takes one window', async () => {
    const { thief, phone, recovery, successor } = await prepared('rotation:cosign')
    await thief.client.devices.revoke(phone.device.deviceId)
    expect(await stageOf(recovery)).toEqual(['ready', 'start', null])
    const begun = Date.now()
    expect(await recovery.start(phone.device)).toMatchObject({ status: 'pending', cosignatures: 1 })
    expect(await stageOf(recovery)).toEqual(['waiting', 'finish', begun + DAY_MS])
    await expect(recovery.finish()).rejects.toThrow('The recovery cannot be finished yet: it is waiting')
    at(begun + DAY_MS)
    expect(await stageOf(recovery)).toEqual(['due', 'finish', null])
    expect((await recovery.finish()).status).toBe('active')
    expect((await recovery.finish()).status).toBe('active')
    await expectRecovered(recovery, successor)
  })

  it('that the thief contests takes seven days', async () => {
    const { thief, phone, recovery, successor } = await prepared('rotation:cosign')
    await thief.client.devices.revoke(phone.device.deviceId)
    const begun = Date.now()
    const { rotationId } = await recovery.start(phone.device)
    await thief.client.rotation.cancel(rotationId)
    expect(await stageOf(recovery)).toEqual(['contested', 'finish', begun + CONTEST_MS])
    await expect(thief.client.rotation.freeze(rotationId)).rejects.toMatchObject({ error: 'rotation_cosigned' })
    await expect(opened(thief, 2)).rejects.toThrow('rotation_pending')
    at(begun + CONTEST_MS - 1)
    await expect(recovery.finish()).rejects.toThrow('it is contested')
    at(begun + CONTEST_MS)
    await recovery.finish()
    await expectRecovered(recovery, successor)
  })

  it('displaces what the thief has pending, and reopens what the thief has stopped', async () => {
    const { thief, phone, recovery, kept, successor } = await prepared('rotation:cosign')
    await submit(kept.requests[0] as SignedRotationRequest)
    expect(await stageOf(recovery)).toEqual(['opened', 'start', null])
    await thief.client.rotation.cancel(rotationIdOf(kept.requests[0]!.statement))
    expect(await stageOf(recovery)).toEqual(['stopped', 'start', null])
    const theirs = await opened(thief, 2)
    expect(await stageOf(recovery)).toEqual(['ready', 'start', null])
    const { rotationId } = await recovery.start(phone.device)
    expect(rotationId).not.toBe(theirs.rotation.rotationId)
    at(Date.now() + DAY_MS)
    expect(await stageOf(recovery)).toEqual(['due', 'finish', null])
    await recovery.finish()
    await expectRecovered(recovery, successor)
  })

  it('takes the operator if the device can only veto', async () => {
    const { thief, phone, recovery, successor } = await prepared('account:read')
    await thief.client.devices.revoke(phone.device.deviceId)
    const { rotation } = await opened(thief, 2)
    await expect(recovery.start(phone.device)).rejects.toMatchObject({ error: 'not_eligible' })
    expect(await recovery.contest(phone.device)).toMatchObject({ rotationId: rotation.rotationId, status: 'frozen' })
    expect((await approve(await recovery.forOperator())).status).toBe(200)
    expect(await stageOf(recovery)).toEqual(['due', 'finish', null])
    await expect(thief.client.rotation.cancel((await recovery.forOperator()).rotationId)).rejects.toMatchObject({
      error: 'rotation_approved',
    })
    await recovery.finish()
    await expectRecovered(recovery, successor)
  })

  it('takes the operator if a device of the thief has stopped it', async () => {
    const { phone, recovery, kept, bob, successor } = await prepared('rotation:cosign')
    const { rotationId } = await recovery.start(phone.device)
    // The thief has the phone too.
    await phone.client.rotation.freeze(rotationId)
    expect(await stageOf(recovery)).toEqual(['stopped', 'operator', null])
    const requests = kept.requests.filter(({ statement }) => statement.version === 2)
    expect(await stageOf(over(bob, { ...kept, requests }))).toEqual(['stopped', 'none', null])
    await approve(await recovery.forOperator())
    await recovery.finish()
    await expectRecovered(recovery, successor)
  })

  it('waits behind a co-signed rotation of the thief, which a copy of the root key delays until the operator acts', async () => {
    const { thief, phone, recovery, successor } = await prepared('rotation:cosign')
    const { rotation } = await opened(thief, 2)
    const { rotationId, requestedAt, deadline } = rotation
    await phone.client.rotation.cosign(rotation)
    expect(await stageOf(recovery)).toEqual(['blocked', 'contest', deadline])
    await expect(recovery.start(phone.device)).rejects.toMatchObject({ error: 'rotation_pending' })
    expect(await recovery.contest(thief.identity)).toMatchObject({
      rotationId,
      status: 'pending',
      deadline: requestedAt + CONTEST_MS,
    })
    at(requestedAt + 6 * DAY_MS)
    await approve(await recovery.forOperator())
    await recovery.finish()
    await expectRecovered(recovery, successor)
  })
})

describe('what is kept', () => {
  it('is void after another rotation, and says so', async () => {
    const { thief, phone, recovery } = await prepared('rotation:cosign')
    const { rotation, signed } = await opened(thief, 1)
    await approve({ did: thief.identity.did, rotationId: rotation.rotationId, request: signed })
    await thief.client.rotation.activate(rotation)
    expect(await recovery.status()).toMatchObject({ stage: 'void', next: { act: 'none', at: null } })
    await expect(recovery.start(phone.device)).rejects.toThrow('The recovery is void')
    await expect(recovery.finish()).rejects.toThrow('The recovery is void')
  })

  it('is refused if its signatures are not by the root key, or its requests for another identity', async () => {
    const { bob, kept } = await prepared('rotation:cosign')
    const forged = await bob.identity.prepareRecovery({ realm: REALM, now: Date.now() })
    const [one, two] = kept.requests
    const swapped = { ...kept, requests: [{ ...one!, signatureB64u: two!.signatureB64u }] }
    await expect(over(bob, swapped).status()).rejects.toThrow('The kept requests have an invalid signature')
    const others = over(bob, { ...kept, requests: forged.kept.requests })
    await expect(others.status()).rejects.toThrow('must be for this identity')
    await expect(over(bob, { ...kept, requests: [one!, one!] }).status()).rejects.toThrow('one of each version')
  })

  it('has the requests that were asked for', async () => {
    const { thief, bob, phone } = await prepared('rotation:cosign')
    const { kept } = await thief.identity.prepareRecovery({ version: 1, realm: REALM, now: Date.now() })
    const recovery = over(bob, kept)
    expect(await stageOf(recovery)).toEqual(['ready', 'operator', null])
    await expect(recovery.start(phone.device)).rejects.toThrow('No request of version 2 is kept')
    await expect(recovery.contest(phone.device)).rejects.toThrow('Nothing is pending')
  })

  it('is not vetoed as if it were of the thief', async () => {
    const { phone, recovery } = await prepared('rotation:cosign')
    await recovery.start(phone.device)
    await expect(recovery.contest(phone.device)).rejects.toThrow('The pending rotation is this recovery')
  })
})
