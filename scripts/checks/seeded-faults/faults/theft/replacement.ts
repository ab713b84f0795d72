import { defineFaults } from '../../fault.ts'

/** Attacks on committed keys whose sheets are lost: by a thief of root key and device, or by a lying service. */
export const REPLACEMENT_FAULTS = defineFaults([
  {
    id: 'replacement-unlogged',
    promise: 'A key that was not committed is refused without log proofs of its request.',
    find: "const unlogged: JudgeReplacement = () => Promise.resolve('not_in_log')",
    replace: 'const unlogged: JudgeReplacement = () => Promise.resolve(null)',
    tests: ['keys/replacement.test', 'src/chain/replaced-key.test'],
  },
  {
    id: 'replacement-too-early',
    promise: 'A key that was not committed is proved only if the log had its request for 30 days.',
    find: 'isDated && activated.at - requestedAt >= STANDING_MS',
    replace: 'isDated && activated.at >= requestedAt',
    tests: ['keys/replacement.test'],
  },
  {
    id: 'replacement-misdated',
    promise: 'Core cannot backdate a request for a key that was not committed: the log has its time.',
    find: 'const isDated = Math.abs(requested.at - requestedAt) <= LOGGED_WITHIN_MS',
    replace: 'const isDated = true',
    tests: ['keys/replacement.test'],
  },
  {
    id: 'replacement-by-any-device',
    promise: 'A device without standing cannot replace a committed key.',
    find: 'return isSeasoned && requestedAt - until < STANDING_MS',
    replace: 'return isSeasoned || requestedAt - until < STANDING_MS',
    tests: ['keys/replacement.test'],
  },
  {
    id: 'replacement-untold',
    promise: 'Every request for a key that was not committed is logged when it is opened.',
    find: "if (basis === 'replacement') { const statement = rotationOpened(",
    replace: "if (basis === 'full') { const statement = rotationOpened(",
    tests: ['committed/replacement.test'],
  },
  {
    id: 'replacement-dated-before',
    promise: 'An update is dated by a map that includes it.',
    find: 'from + i > index && (mapEntryOf(line)?.size ?? 0) > index',
    replace: 'mapEntryOf(line) !== null',
    tests: ['test/transparency/dated.test'],
  },
  {
    id: 'replacement-unprovable',
    promise: 'Core opens no replacement that readers would refuse once it took effect.',
    find: "if (checked.value.basis === 'replacement' && !this.#isProvable(identity, signed, now))",
    replace: 'if (false)',
    tests: ['committed/replacement.test'],
  },
  {
    id: 'replacement-undated-after-outage',
    promise: 'A replacement that the log took while no maps were made can be proved.',
    find: 'yield first + ahead yield last',
    replace: 'yield first + ahead',
    tests: ['transparency/first-map.test'],
  },
])
