import type { MlDsa65 } from './interface.ts'

export const refuses = () => Promise.reject(new Error('noble was called'))

/** Disables the fallback: with noble behind it, a native backend that always throws would pass every comparison. */
export const noMlDsa65: MlDsa65 = {
  backend: 'noble',
  publicKeyOf: refuses,
  sign: refuses,
  signerOf: refuses,
  verify: refuses,
  verifierOf: refuses,
}
