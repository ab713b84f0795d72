import type { MlDsa65 } from './interface.ts'

export const refuses = () => Promise.reject(new Error('noble was asked'))

/** Native alone: with noble behind it, a native that always threw would pass every comparison. */
export const noMlDsa65: MlDsa65 = {
  backend: 'noble',
  publicKeyOf: refuses,
  sign: refuses,
  signerOf: refuses,
  verify: refuses,
  verifierOf: refuses,
}
