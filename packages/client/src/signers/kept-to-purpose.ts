import { classify } from '../identity/signing-key.ts'
import type { Signer } from './signer.ts'
import { SignerError } from './signer-error.ts'

/** The same signer, which refuses bytes that are not of the purpose it is given: so it signs nothing else. */
export function keptToPurpose(signer: Signer): Signer {
  return {
    publicKey: signer.publicKey,
    async sign(given, purpose) {
      const bytes = given.slice()
      if ((await classify(bytes)) !== purpose)
        throw new SignerError('wrong_purpose', purpose, `These bytes are no ${purpose}: an application signs a message`)
      return signer.sign(bytes, purpose)
    },
  }
}
