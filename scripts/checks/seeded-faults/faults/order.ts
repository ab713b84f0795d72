import { defineFaults } from '../fault.ts'

/** What was signed before a key ended, and after. */
export const ORDER_FAULTS = defineFaults([
  {
    id: 'ended-root-key-counts',
    promise: 'What a superseded root key signed counts only if something from before its end follows it.',
    find: "return followedAt && followedAt.epoch <= root.epoch ? { signer: 'superseded' } : { fault: 'unordered' }",
    replace: "return { signer: 'superseded' }",
    tests: ['signer-standing'],
  },
  {
    id: 'revoked-device-counts',
    promise: 'What a revoked device signed counts only if something from before its end follows it.',
    find: "if (!until || !followedAt || !isBeforeEnd(until, last, followedAt)) return { fault: 'unordered' }",
    replace: '',
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
])
