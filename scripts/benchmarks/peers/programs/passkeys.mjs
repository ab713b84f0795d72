/** @simplewebauthn/server: the verification of a login alone. */
import { verifyAuthenticationResponse } from '@simplewebauthn/server'
import { answer } from './answer.mjs'

answer({
  /** Milliseconds for this many verifications of one response. */
  async verify({ count, response, challenge, origin, rpId, publicKeyB64 }) {
    const credential = { id: response.id, publicKey: new Uint8Array(Buffer.from(publicKeyB64, 'base64')), counter: 0 }
    const options = { response, expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpId, credential }
    const startedAt = performance.now()
    for (let i = 0; i < count; i++) {
      const { verified } = await verifyAuthenticationResponse(options)
      if (!verified) throw new Error('not verified')
    }
    return performance.now() - startedAt
  },
})
