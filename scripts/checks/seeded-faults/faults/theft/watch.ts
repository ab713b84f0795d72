import { defineFaults } from '../../fault.ts'

/** Who sees the devices of an identity, and for how long. */
export const WATCH_FAULTS = defineFaults([
  {
    id: 'devices-in-public',
    promise: 'Nobody learns about devices without a watch token of the identity.',
    find: 'if (!mayLook && caller?.did !== did) return rootOf(reading)',
    replace: '',
    tests: ['test/watch/public.test'],
  },
  {
    id: 'steps-of-strangers',
    promise: 'What a stranger sends changes no step of the answer, whatever happens to devices.',
    find: 'const mayLook = tokenHash !== null && reading.watchers.includes(tokenHash)',
    replace: 'const mayLook = tokenHash !== null && reading.watchers.length > 0',
    tests: ['test/watch/public.test'],
  },
  {
    id: 'watched-root-hides-changes',
    promise: 'Who looks with a watch token notices if core does not show the devices and what changed.',
    find: 'if (!devices || !changes)',
    replace: 'if (!devices && !changes)',
    tests: ['lies/lies'],
  },
  {
    id: 'watch-ends-at-once',
    promise: 'A thief who withdraws a watch token blinds nobody for 30 days.',
    find: 'return withdrawnAt === null ? null : withdrawnAt + standingMs',
    replace: 'return withdrawnAt',
    tests: ['src/watch/rules.test', 'test/watch/tokens.test'],
  },
  {
    id: 'watch-token-in-clear',
    promise: 'Core keeps the hash of a watch token, and never the token.',
    find: 'export function watchTokenHash(token: string): string { return hashTextHex(token) }',
    replace: 'export function watchTokenHash(token: string): string { return token }',
    tests: ['test/watch/tokens.test'],
  },
  {
    id: 'watch-outlives-device',
    promise: 'The watch token of a revoked device ends 30 days later.',
    find: 'this.#transaction.watch.withdraw(({ madeBy }) => madeBy === deviceId, now)',
    replace: '',
    tests: ['test/watch/tokens.test'],
  },
  {
    id: 'watch-withdrawn-by-device',
    promise: 'A device withdraws no watch token but its own.',
    find: 'return deviceId === null || madeBy === deviceId',
    replace: 'return true',
    tests: ['src/watch/rules.test', 'test/watch/tokens.test'],
  },
  {
    id: 'change-hidden-early',
    promise: 'A revocation is shown for a whole window.',
    find: 'return now - at < windowMs',
    replace: 'return now - at < windowMs / 2',
    tests: ['src/watch/changes.test', 'test/watch/look.test'],
  },
])
