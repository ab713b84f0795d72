import { expect, it } from 'vitest'
import { deviceStandingOf } from './standing.ts'

const device = { status: 'active', rootEpoch: 1, expiresAt: null } as const

it.each([
  ['acts under the root key that attested it', device, 'active'],
  ['may be suspended', { ...device, status: 'suspended' }, 'suspended'],
  ['expires at its time', { ...device, expiresAt: 1000 }, 'expired'],
  ['acts until then', { ...device, expiresAt: 1001 }, 'active'],
  ['ends with the root key that attested it', { ...device, rootEpoch: 0, expiresAt: 1000 }, 'ended'],
  ['is revoked for good', { ...device, rootEpoch: 0, status: 'revoked' }, 'revoked'],
] as const)('a device %s', (_, given, standing) => {
  expect(deviceStandingOf(given, { epoch: 1, now: 1000 })).toBe(standing)
})
