import { activationCodeHash, activationCodePattern } from '@svc/protocol/licences'
import { expect, it } from 'vitest'
import { newActivationCode } from './operator-act.ts'

it('an activation code is new each time, and its act carries the hash alone', () => {
  const [first, second] = [newActivationCode('notes', 30), newActivationCode('notes', 30)]
  expect(first.code).toMatch(activationCodePattern)
  expect(first.code).not.toBe(second.code)
  const { code, act } = first
  expect(act).toEqual({
    type: 'svc/operator-activation-code/v1',
    members: {
      codeHash: activationCodeHash(code),
      tier: 'notes',
      redeemableUntil: expect.any(Number),
      licenceDays: 30,
    },
  })
  expect(JSON.stringify(act)).not.toContain(code)
})
