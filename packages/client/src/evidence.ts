/**
 * Finds out what a piece of evidence is, whatever it is, and verifies it. A command line and a verifier in the browser
 * are made of it.
 *
 * @module
 */

export { SIGNER_STATES, type SignerState } from '#protocol/devices/signer-standing'
export { type Detected, detectFile, detectTyped, type Kind } from './evidence/detect/detect.ts'
export { isAgeFile } from './evidence/detect/sealed.ts'
export { judge, judgeAll } from './evidence/judge.ts'
export type { KnownKeys, Means } from './evidence/means.ts'
export {
  type Check,
  type CheckName,
  NEEDS,
  type Need,
  ORDERS,
  type Order,
  type Verdict,
} from './evidence/verdict/verdict.ts'
