import { encodeBase64url } from '@svc/protocol/base/base64url'
import { commitmentHash } from '@svc/protocol/provenance/commitments'
import { commitmentOf } from '../../commitment.ts'
import { mallory } from '../../sides.ts'
import { NOW, verifying } from '../situation.ts'
import { oneAnswer } from './one-answer.ts'
import { FILE, verify } from './registered.ts'

const SALT = new Uint8Array(32)

function commitment() {
  const shown = commitmentOf(SALT, FILE, NOW)
  return oneAnswer(`/api/commitment/${shown.id}`, shown, shown.id)
}

export const COMMITMENTS = [
  verifying({
    name: 'client.provenance.commitment',
    honest: commitment,
    lies: [
      {
        lie: 'answers for another identity',
        tell: ({ shown }) => void Object.assign(shown, { did: mallory.did }),
        subject: 'commitment',
        reason: 'different_answer',
      },
      {
        lie: 'shows another hash under the id',
        tell: ({ shown }) => void Object.assign(shown, { commitment_hash: '0'.repeat(96) }),
        subject: 'commitment',
        reason: 'different_answer',
      },
    ],
  }),
  verifying({
    name: 'verifyOpening',
    honest: () => {
      const made = commitment()
      return Object.assign(made, { of: verify, args: () => [made.shown, encodeBase64url(SALT), FILE] })
    },
    lies: [
      {
        lie: 'shows a commitment to other content',
        tell: ({ shown }) => void Object.assign(shown, { commitment_hash: commitmentHash(SALT, new Uint8Array()) }),
        subject: 'commitment',
        reason: 'hash_mismatch',
      },
      {
        lie: 'shows a commitment with another salt',
        tell: ({ shown }) =>
          void Object.assign(shown, { commitment_hash: commitmentHash(new Uint8Array(32).fill(1), FILE) }),
        subject: 'commitment',
        reason: 'hash_mismatch',
      },
    ],
  }),
]
