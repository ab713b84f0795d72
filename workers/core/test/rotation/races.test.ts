import type { TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, freshCaller, sendWith } from '../harness.ts'
import { approve, at, cosignerOf, freezeBy, interposed, memberOf, opened } from './rotation.fixture.ts'

const ACTIVATE = '/api/chain/rotation/v2/activate'
const FREEZE = '/api/chain/rotation/freeze'
const count = (answers: readonly { status: number }[], wanted: number) =>
  answers.filter(({ status }) => status === wanted).length

afterEach(() => {
  vi.useRealTimers()
})

/** What became of it: the record, the root, and whether the two agree. */
async function outcomeOf({ client, identity: { did } }: TestCaller) {
  const rotation = await client.keyHistory.rotation(did)
  const { epoch } = await client.chain.root(did)
  return { status: rotation?.status, freezes: rotation?.freezes, vetoes: rotation?.vetoes.length, epoch }
}
const STOPPED = { status: 'frozen', freezes: 1, vetoes: 1, epoch: 0 }
const ACTIVATED = { status: 'active', freezes: 0, vetoes: 0, epoch: 1 }

describe('a freeze and an activation in one instant', () => {
  const rounds = Array.from({ length: 10 }, (_, i) => [i, i % 2 === 0 ? 'a device' : 'the root key'] as const)

  it.each(rounds)('round %i, by %s: one of them is done and the other refused', async (round, who) => {
    const caller = await freshCaller()
    const { device } = await memberOf(caller)
    const { rotation } = await opened(caller, 2)
    const { rotationId } = rotation
    at(rotation.deadline ?? 0)
    const byRoot = await freezeBy(caller.identity, 'root', caller.identity, rotationId)
    const byDevice = await freezeBy(device, device.deviceId, caller.identity, rotationId)
    const freeze = () => call(caller, 'POST', FREEZE, who === 'a device' ? byDevice : byRoot)
    const activate = () => call(caller, 'POST', ACTIVATE, { rotationId })
    const first = round % 4 < 2
    const [a, b] = await Promise.all(first ? [freeze(), activate()] : [activate(), freeze()])
    const [frozen, active] = first ? [a, b] : [b, a]
    expect(count([frozen, active], 200)).toBe(1)
    if (frozen.status === 200) {
      expect(active).toMatchObject({ status: 409, body: { error: 'rotation_not_pending' } })
      expect(await outcomeOf(caller)).toEqual(STOPPED)
    } else {
      // Either its assertion by the old key came too late too, or the freeze itself.
      expect(['unauthorized', 'rotation_not_pending']).toContain(frozen.body['error'])
      expect(await outcomeOf(caller)).toEqual(ACTIVATED)
    }
  })

  it.each(['reserve', 'activateRotation'])('stops an activation that has come as far as %s', async (step) => {
    const caller = await freshCaller()
    const phone = await memberOf(caller)
    const { rotation } = await opened(caller, 2)
    const { rotationId } = rotation
    at(rotation.deadline ?? 0)
    const frozenMeanwhile = sendWith(interposed({ before: { [step]: () => phone.client.rotation.freeze(rotationId) } }))
    expect(await call(caller, 'POST', ACTIVATE, { rotationId }, frozenMeanwhile)).toMatchObject({
      status: 409,
      body: { error: 'rotation_not_pending', details: { status: 'frozen' } },
    })
    expect(await outcomeOf(caller)).toEqual(STOPPED)
  })

  it.each(['a device', 'the root key'])('is refused to %s whose activation came first', async (who) => {
    const [caller, bystander] = [await freshCaller(), await freshCaller()]
    const { device } = await memberOf(caller)
    const { rotation } = await opened(caller, 2)
    const { rotationId } = rotation
    at(rotation.deadline ?? 0)
    const activatedMeanwhile = sendWith(
      interposed({ before: { veto: () => caller.client.rotation.activate(rotation) } }),
    )
    const signed =
      who === 'a device'
        ? await freezeBy(device, device.deviceId, caller.identity, rotationId)
        : await freezeBy(caller.identity, 'root', caller.identity, rotationId)
    expect(await call(bystander, 'POST', FREEZE, signed, activatedMeanwhile)).toMatchObject({
      status: 409,
      body: { error: 'rotation_not_pending', details: { status: 'active' } },
    })
    expect(await outcomeOf(caller)).toEqual(ACTIVATED)
  })

  it('is refused to a late device that is revoked while its freeze is checked', async () => {
    const [caller, bystander] = [await freshCaller(), await freshCaller()]
    const { rotationId } = (await opened(caller, 2)).rotation
    const { device } = await memberOf(caller)
    const signed = await freezeBy(device, device.deviceId, caller.identity, rotationId)
    const revokedMeanwhile = sendWith(
      interposed({ before: { veto: () => caller.client.devices.revoke(device.deviceId) } }),
    )
    expect(await call(bystander, 'POST', FREEZE, signed, revokedMeanwhile)).toMatchObject({
      status: 403,
      body: { error: 'not_eligible' },
    })
    expect(await outcomeOf(caller)).toMatchObject({ status: 'pending', freezes: 0 })
  })

  it('comes too late for what an operator approved', async () => {
    const caller = await freshCaller()
    const phone = await memberOf(caller)
    const { rotationId } = (await opened(caller, 1)).rotation
    await approve(caller.identity.did, rotationId)
    const refused = () =>
      expect(phone.client.rotation.freeze(rotationId)).rejects.toMatchObject({ error: 'rotation_approved' })
    const frozenMeanwhile = sendWith(interposed({ before: { activateRotation: refused } }))
    const path = '/api/chain/rotation/activate'
    expect(await call(caller, 'POST', path, { rotationId }, frozenMeanwhile)).toMatchObject({ status: 200 })
    expect(await outcomeOf(caller)).toEqual(ACTIVATED)
  })

  it('leaves a co-signature in force whose device is revoked while the activation runs', async () => {
    const caller = await freshCaller()
    const phone = await cosignerOf(caller)
    const { rotation } = await opened(caller, 2)
    const { rotationId } = rotation
    await phone.client.rotation.cosign(rotation)
    at(rotation.deadline ?? 0)
    const revokedMeanwhile = sendWith(
      interposed({ before: { activateRotation: () => caller.client.devices.revoke(phone.device.deviceId) } }),
    )
    expect(await call(caller, 'POST', ACTIVATE, { rotationId }, revokedMeanwhile)).toMatchObject({ status: 200 })
    expect((await outcomeOf(caller)).epoch).toBe(1)
  })
})
