/**
 * The TypeScript examples that ask no service, word for word.
 *
 * @module
 */
import { Identity } from '@svc/client'
import { explain } from '@svc/client/functions'
import { safeVerifyMessage } from '@svc/client/verify'
import { expect } from 'vitest'
import { example, type SdkExample } from './sdk-example.ts'

export const OFFLINE_EXAMPLES: Readonly<Record<string, SdkExample>> = {
  'sdk-identity': example({
    run: async () => {
      // example: sdk-identity
      const identity = await Identity.create()
      const again = await Identity.fromSeeds(identity.revealSeeds())
      const sameDid = again.did === identity.did
      // end
      return sameDid
    },
    honest: (sameDid) => expect(sameDid).toBe(true),
  }),
  'sdk-message': example({
    // Nobody is asked: what does not verify is in the tests of the SDK.
    run: async () => {
      // example: sdk-message
      const identity = await Identity.fromSeeds({
        signing: new Uint8Array(32).fill(1),
        kem: new Uint8Array(32).fill(2),
      })
      const challenge = { audience: 'login.example.com', content: 'Sign in: 4f1c9a' }
      const signed = await identity.signMessage({ realm: 'https://core.example', ...challenge })
      const keys = { did: identity.did, keys: [identity] }
      const verified = await safeVerifyMessage(signed, { ...keys, realms: ['https://core.example'], ...challenge })
      const answer = verified.ok ? verified.value.statement.text : verified.error.reason
      // end
      return { answer, signed, keys, challenge }
    },
    honest: async ({ answer, signed, keys, challenge }) => {
      expect(answer).toBe('Sign in: 4f1c9a')
      const expected = { ...keys, realms: ['https://core.example'], ...challenge, audience: 'x' } as const
      expect(await safeVerifyMessage(signed, expected)).toMatchObject({ ok: false, error: { reason: 'mismatch' } })
    },
  }),
  'sdk-explain': example({
    run: async () => {
      // example: sdk-explain
      const identity = await Identity.fromSeeds({
        signing: new Uint8Array(32).fill(1),
        kem: new Uint8Array(32).fill(2),
      })
      const url = 'https://core.example/api/chain/blocks?limit=10'
      const assertion = await identity.assertion({ audience: 'chain', method: 'GET', url })
      const sent = { method: 'GET', url: 'https://core.example/api/chain/blocks', audiences: ['chain'] }
      const { ok, code, member, text } = await explain(assertion, sent)
      // end
      return { ok, code, member, text }
    },
    honest: ({ text, ...found }) => {
      expect(found).toEqual({ ok: false, code: 'url', member: 'htu' })
      expect(text).toMatch(/blocks\?limit=10".+blocks"/)
    },
  }),
}
