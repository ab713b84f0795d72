import { activationCodeHash, activationCodePattern } from '@svc/protocol/licences'
import { expect, it } from 'vitest'
import { epochAct, newActivationCode, orgLicenceAct } from './operator-act.ts'

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

const ORG = `did:svc:${'A'.repeat(32)}`

it('an organization’s licence is granted for days from now, and revoked for good', () => {
  const type = 'svc/operator-org-licence/v1'
  expect(orgLicenceAct(['grant-org-licence', ORG, '30'], 1000)).toEqual({
    type,
    members: { orgDid: ORG, action: 'grant', expiresAt: 2_592_001_000 },
  })
  expect(orgLicenceAct(['revoke-org-licence', ORG], 1000)).toEqual({
    type,
    members: { orgDid: ORG, action: 'revoke', expiresAt: null },
  })
})

it.each([
  [],
  ['grant-org-licence'],
  ['grant-org-licence', ORG],
  ['grant-org-licence', ORG, '0'],
  ['grant-org-licence', ORG, '-1'],
  ['grant-org-licence', 'did:web:x', '30'],
  ['revoke-org-licence', 'x'],
  ['activation-code', 'notes', '30'],
])('%s %s %s is no licence of an organization', (...operands) => {
  expect(orgLicenceAct(operands, 0)).toBeNull()
})

it('an epoch is opened from now on for so many hours', () => {
  const members = { epoch: 3, opensAt: 1000, closesAt: 7_201_000 }
  expect(epochAct(['3', '2'], 1000)).toEqual({ type: 'svc/operator-epoch/v1', members })
  for (const operands of [[], ['3'], ['0', '1'], ['1', '0'], ['x', '1'], ['1', '-1']]) {
    expect(epochAct(operands, 1000)).toBeNull()
  }
})
