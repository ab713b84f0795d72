/**
 * The examples of the page on keys and signers, word for word.
 *
 * @module
 */
import { Identity } from '@svc/client'
import { memorySigner, type Signer, SignerError } from '@svc/client/signers'
import { expect } from 'vitest'
import { example, type SdkExample } from './sdk-example.ts'

export const KEY_EXAMPLES: Readonly<Record<string, SdkExample>> = {
  'sdk-signer': example({
    // Nobody is asked.
    run: async () => {
      // example: sdk-signer
      const key = await memorySigner(new Uint8Array(32).fill(1))
      const careful: Signer = {
        publicKey: key.publicKey,
        sign(bytes, purpose) {
          if (purpose === 'svc/did-deactivate/v1') throw new SignerError('refused', purpose, 'The owner said no')
          return key.sign(bytes, purpose)
        },
      }
      const identity = await Identity.fromSigner(careful)
      const about = { realm: 'https://core.example', audience: 'login.example.com', content: 'Sign in: 4f1c9a' }
      const outcome = await identity.signMessage(about).then(
        ({ statement }) => statement.text,
        (error: unknown) => (error instanceof SignerError ? error.reason : 'another error'),
      )
      // end
      return outcome
    },
    honest: (outcome) => expect(outcome).toBe('Sign in: 4f1c9a'),
  }),
}
