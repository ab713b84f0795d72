import { defineFaults } from '../../fault.ts'

/** Who can see the devices of an identity, and for how long. */
export const WATCH_FAULTS = defineFaults([
  {
    id: 'devices-in-public',
    promise: 'Without a watch token, only the owner can see the devices of an identity.',
    find: 'if (!mayLook && caller?.did !== did) return rootOf(reading)',
    replace: '',
    tests: ['test/watch/public.test'],
  },
  {
    id: 'steps-of-strangers',
    promise: 'The response to a stranger, and the steps to it, depend on neither the request nor the devices.',
    find: 'const mayLook = tokenHash !== null && reading.watchers.includes(tokenHash)',
    replace: 'const mayLook = tokenHash !== null && reading.watchers.length > 0',
    tests: ['test/watch/public.test'],
  },
  {
    id: 'watched-root-hides-changes',
    promise: 'A client with a watch token detects that core hides the devices or their changes.',
    find: 'if (!devices || !changes)',
    replace: 'if (!devices && !changes)',
    tests: ['lies/lies'],
  },
  {
    id: 'watch-ends-at-once',
    promise: 'A watch token that a thief withdraws works for 30 more days.',
    find: 'return withdrawnAt === null ? null : withdrawnAt + standingMs',
    replace: 'return withdrawnAt',
    tests: ['src/watch/rules.test', 'test/watch/tokens.test'],
  },
  {
    id: 'watch-token-in-clear',
    promise: 'Core stores only the hash of a watch token.',
    find: 'export function watchTokenHash(token: string): string { return hashTextHex(token) }',
    replace: 'export function watchTokenHash(token: string): string { return token }',
    tests: ['test/watch/tokens.test'],
  },
  {
    id: 'watch-outlives-device',
    promise: 'The watch token of a device ends 30 days after its revocation.',
    find: 'this.#transaction.watch.withdraw(({ madeBy }) => madeBy === deviceId, now)',
    replace: '',
    tests: ['test/watch/tokens.test'],
  },
  {
    id: 'watch-withdrawn-by-device',
    promise: 'A device can withdraw only its own watch tokens.',
    find: 'return deviceId === null || madeBy === deviceId',
    replace: 'return true',
    tests: ['src/watch/rules.test', 'test/watch/tokens.test'],
  },
  {
    id: 'change-hidden-early',
    promise: 'A revocation is shown for a full window.',
    find: 'return now - at < windowMs',
    replace: 'return now - at < windowMs / 2',
    tests: ['src/watch/changes.test', 'test/watch/look.test'],
  },
  {
    id: 'veto-of-thief-untold',
    promise: 'Who looks sees when a device begins to count, also if it has lost the right to co-sign before.',
    find: 'const spans = added < 0 ? [] : own.slice(added)',
    replace: 'const spans = added < 0 ? [] : own.slice(added, added + 1)',
    tests: ['src/watch/changes.test'],
  },
  {
    id: 'watch-outlives-expired-device',
    promise: 'Watch tokens of devices that came and went do not pile up.',
    find: 'watch.withdraw(({ madeBy }) => hasExpired(madeBy), now)',
    replace: '',
    tests: ['test/watch/tokens.test'],
  },
  {
    id: 'standing-that-is-over-shown',
    promise: 'A change of a device shows no end of standing that has passed.',
    find: '[span.until + times.standingMs] : [], ) .filter((end) => end > now)',
    replace: '[span.until + times.standingMs] : [], ) .filter((end) => end > 0 && now > 0)',
    tests: ['watch/changes'],
  },
])
