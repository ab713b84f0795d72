import { expect, it } from 'vitest'
import { REALMS } from '../../test/realm.ts'
import { alice, heirOfAlice } from '../../test/sides.ts'
import { safeVerifyKeyHistory, verifyKeyHistory } from '../verify.ts'

const { heir, keys } = await heirOfAlice()
const { activatedAt } = keys[1]
const { publicKeyB64u, userId } = alice
const saved = JSON.stringify(keys)
const commitment = { next: [], replaceable: false }

it('returns the root keys that the saved answers prove', async () => {
  expect(await verifyKeyHistory(JSON.parse(saved), alice.did, REALMS)).toEqual([
    { epoch: 0, userId, publicKeyB64u, commitment, activated: 'proved', activatedAt },
    { epoch: 1, userId: heir.userId, publicKeyB64u: heir.publicKeyB64u, commitment, activated: 'claimed', activatedAt },
  ])
})

it('returns a fault of its twin for what is not a key history', async () => {
  const fault = { ok: false, error: { subject: 'answer', reason: 'malformed', where: { member: '0.userId' } } }
  expect(await safeVerifyKeyHistory([{ epoch: 0 }], alice.did, REALMS)).toMatchObject(fault)
})
