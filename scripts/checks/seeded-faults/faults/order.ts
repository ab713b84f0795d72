import { defineFaults } from '../fault.ts'

/** What was signed before a key ended, and after. */
export const ORDER_FAULTS = defineFaults([
  {
    id: 'ended-root-key-counts',
    promise: 'What a superseded root key signed counts only if something from before its end follows it.',
    find: 'const isFollowed = followedAt !== null && followedAt.epoch <= root.epoch',
    replace: 'const isFollowed = keys.length > 0',
    tests: ['signer-standing'],
  },
  {
    id: 'revoked-device-counts',
    promise: 'What a revoked device signed counts only if something from before its end follows it.',
    find: 'isPlaced && until ? isBeforeEnd(until, last, followedAt) : false',
    replace: 'isPlaced',
    tests: ['signer-standing'],
  },
  {
    id: 'device-without-capability-signs',
    promise: 'A device signs only what it may at the event that it names.',
    find: 'isCapable(device, capability) && (device.expiresAt',
    replace: '(device.expiresAt',
    tests: ['signer-standing'],
  },
  {
    id: 'head-of-another-log',
    promise: 'What a statement names must be an event of the log.',
    find: "return step?.hash === inception.hash ? step : 'unknown'",
    replace: "return step ?? 'unknown'",
    tests: ['signer-standing'],
  },
  {
    id: 'capsule-follows-itself',
    promise: 'A block of the key that signed a capsule does not follow it: its thief could make both.',
    find: "const isFollowed = owner === 'verified' && block?.ownerPublicKey !== publicKeyB64u",
    replace: "const isFollowed = owner === 'verified'",
    tests: ['judge-capsule'],
  },
  {
    id: 'device-capsule-unplaced',
    promise: 'A capsule of a device names the event that made it one.',
    find: "if (signer.value.kind === 'device' && capsule.inception === null) return err(UNPLACED)",
    replace: '',
    tests: ['test/capsules/devices'],
  },
  {
    id: 'note-of-ended-key-opens',
    promise: 'A note of a revoked device or a superseded root key opens only if something from before follows it.',
    find: "if (acceptEnded) return { signer, order: 'unknown' }",
    replace: "if (fault === 'unordered') return { signer, order: 'unknown' }",
    tests: ['lies/lies'],
  },
  {
    id: 'note-names-older-event',
    promise: 'A version of a note names no older event than the one before.',
    find: 'if (base && isOlderHead(statement.inception, base.inception))',
    replace: 'if (base === statement)',
    tests: ['lies/lies'],
  },
  {
    id: 'anchor-signer-untold',
    promise: 'An anchor says what the key that attested it is today.',
    find: "return newest.epoch === keys.at(-1)?.epoch ? 'active' : 'superseded'",
    replace: "return 'active'",
    tests: ['judge-anchor'],
  },
  {
    id: 'core-takes-older-event',
    promise: 'Core takes no version of a note that names an older event than the one that it follows.',
    find: 'return statement ? checkPlace(statement, before) : null',
    replace: 'return statement ? checkPlace(statement, null) : null',
    tests: ['notes/append'],
  },
  {
    id: 'statement-without-place',
    promise: 'Every statement of a root key or a device names the newest event that its signer knew.',
    find: 'return statementSchema(type, { ...shape, inception: knownInceptionSchema })',
    replace: 'return statementSchema(type, { ...shape, inception: knownInceptionSchema.optional() })',
    tests: ['statements/order'],
  },
  {
    id: 'signer-forgets-what-it-knows',
    promise: 'What the SDK signs names the newest event that the client knows.',
    find: 'inception: (await this.#asserter?.known?.()) ?? null }',
    replace: 'inception: null }',
    tests: ['identity/signing'],
  },
])
