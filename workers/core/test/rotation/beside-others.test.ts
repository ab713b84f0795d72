/** What `recover` does for an owner of an identity without sheets while a request of somebody else is pending. */
import type { SignedRotationRequest } from '@svc/protocol/chain/rotation'
import { REALM } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { freshCaller } from '../harness.ts'
import { at, DAY_MS, memberOf, opened, submit } from './rotation.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe('a recovery without sheets, beside another rotation', () => {
  it('a kept request that needs no co-signer is due after its window, and a device can finish it', async () => {
    const caller = await freshCaller()
    const phone = await memberOf(caller, 'rotation:request')
    const { kept } = await caller.identity.prepareRecovery({ realm: REALM, now: Date.now() })
    at(Date.now() + 2 * DAY_MS)
    const request = kept.requests.find(({ statement }) => statement.version === 2) as SignedRotationRequest
    expect(await submit(request)).toMatchObject({ body: { status: 'pending', requiredCosigners: 0 } })
    const recovery = phone.client.recovery(kept)
    at(Date.now() + DAY_MS)
    expect(await recovery.status()).toMatchObject({ stage: 'due', next: { act: 'finish' } })
    await recovery.finish()
    expect(await recovery.status()).toMatchObject({ stage: 'done' })
  })
  it('a device without standing does not keep a copy of the root key from delaying a thief', async () => {
    const { recovery, successor, phone, caller } = await stolen()
    const { needs } = await recovery.recover({ successor, device: phone.device, rootCopy: caller.identity })
    const { contestedAt } = (await caller.client.keyHistory.rotation(caller.identity.did)) ?? {}
    expect({ needs, isDelayed: contestedAt !== null }).toEqual({ needs: 'operator', isDelayed: true })
  })

  it('a copy of the root key that has delayed a thief needs the operator', async () => {
    const { recovery, successor, caller } = await stolen()
    const { acts, needs, request } = await recovery.recover({ successor, rootCopy: caller.identity })
    expect({ acts, needs, hasRequest: request !== null }).toEqual({
      acts: ['contest'],
      needs: 'operator',
      hasRequest: true,
    })
  })

  it.each(['device', 'rootCopy'] as const)(
    'stops what a thief of the root key has pending, with what cannot co-sign: %s',
    async (by) => {
      const caller = await freshCaller()
      const phone = by === 'device' ? await memberOf(caller, 'account:read') : null
      const { kept, successor } = await caller.identity.prepareRecovery({ realm: REALM, now: Date.now() })
      at(Date.now() + 2 * DAY_MS)
      const { rotation } = await opened(caller, 2)
      const recovery = (await freshCaller()).client.recovery(kept)
      const given = phone ? { device: phone.device } : { rootCopy: caller.identity }
      const { needs } = await recovery.recover({ successor, ...given })
      expect(needs).not.toBeNull()
      const newest = await caller.client.keyHistory.rotation(caller.identity.did)
      expect(newest).toMatchObject({ rotationId: rotation.rotationId, requiredCosigners: 0, status: 'frozen' })
    },
  )

  /** A thief of root key and device asks for another key of an identity without sheets; the owner has a copy of the key. */
  async function stolen() {
    const caller = await freshCaller()
    const theirs = await memberOf(caller, 'rotation:cosign')
    const { kept, successor } = await caller.identity.prepareRecovery({ realm: REALM, now: Date.now() })
    at(Date.now() + 2 * DAY_MS)
    const phone = await memberOf(caller, 'account:read')
    const { rotation } = await opened(caller, 2)
    await theirs.client.rotation.cosign(rotation)
    return { caller, successor, phone, recovery: (await freshCaller()).client.recovery(kept) }
  }
})
