import { alice } from '../../sides.ts'
import { data, type Lie, NOW, verifying } from '../situation.ts'

const CHECK = { publicKeyB64u: alice.publicKeyB64u, messageB64u: 'AAAA', signatureB64u: 'AAAA' }
/** The service says that a signature verifies. */
const checked = (path: string, members: object) => () => {
  const valid = { valid: true, keySource: 'request', nonceStatus: 'consumed', timingUs: 0, ...members }
  const situation = {
    answer: data(valid) as unknown,
    args: () => [CHECK],
    answers: () => ({ [path]: situation.answer }),
  }
  return situation
}
const refused: Lie<ReturnType<ReturnType<typeof checked>>> = {
  lie: 'says that the signature is invalid',
  tell: (s) => {
    const body = { success: false, error: 'verification_failed', message: 'x', timestamp: NOW }
    s.answer = Response.json(body, { status: 400 })
  },
  subject: 'signature',
  reason: 'invalid_signature',
}

/** Signatures that the service verifies. */
export const CHECKED_SIGNATURES = [
  verifying({ name: 'client.provenance.verify', honest: checked('/api/verify', {}), lies: [refused] }),
  verifying({
    name: 'client.provenance.verifyWithKeyStatus',
    honest: checked('/api/verify/with-key-status', {
      keyStatus: { state: 'unknown', kind: null, did: null, scope: null, epoch: null },
    }),
    lies: [refused],
  }),
]
