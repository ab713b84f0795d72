import { encodeBase64url } from '@svc/protocol/base/base64url'
import { describe, expect, it } from 'vitest'
import { alice } from '../../test/sides.ts'
import { wrapLocal } from '../auth/local-wrap.ts'
import { detectFile } from './detect/detect.ts'
import { judge } from './judge.ts'
import { MALFORMED, OFFLINE, text } from './means.fixture.ts'

const filled = (length: number) => encodeBase64url(new Uint8Array(length).fill(5))
const envelope = {
  kemKeyId: filled(24),
  kemCiphertextB64u: filled(1088),
  nonceB64u: filled(12),
  ciphertextB64u: filled(1040),
}
const hybrid = { ...envelope, ephemeralB64u: filled(32) }
const about = { requestId: filled(60), assetId: `asset:sha3-384:${'ab'.repeat(48)}` }
const message = { msgId: filled(16), ...about, envelope, receivedAt: 1, readAt: null }
const ARMORED = '-----BEGIN AGE ENCRYPTED FILE-----\nYWdlLWVuY3J5cHRpb24=\n-----END AGE ENCRYPTED FILE-----\n'

const SEALED: readonly [as: string, content: string | object, found: object][] = [
  ['age', ARMORED, {}],
  ['age', 'age-encryption.org/v1\n-> scrypt …', {}],
  ['secret', wrapLocal(new Uint8Array(64).fill(1), 'svc', text('a secret')), {}],
  ['reply', { format: 'svc/contact-reply/v1', ...about, envelope: hybrid }, {}],
  [
    'message',
    { format: 'svc/pending-message/v1', core: 'https://core.test', contact: { ...about, owner: alice.did }, envelope },
    { did: alice.did },
  ],
  [
    'inbox',
    { format: 'svc/inbox-export/v1', did: alice.did, exportedAt: '2026-11-01T00:00:00Z', messages: [message] },
    { did: alice.did, count: 1 },
  ],
]

const judgeFile = (content: string | object) => {
  const bytes = text(typeof content === 'string' ? content : JSON.stringify(content))
  return judge(detectFile(bytes), bytes, OFFLINE)
}

describe('what is encrypted', () => {
  it.each(SEALED)('as %s is named, and only its owner can open it', async (as, content, found) => {
    expect(await judgeFile(content)).toMatchObject({
      kind: 'sealed',
      verdict: 'undecided',
      needs: 'owner',
      checks: [{ check: 'sealed', result: 'unchecked', found: { as, ...found } }],
    })
  })

  it.each<[string, string | object]>([
    ['an armored file without its end', ARMORED.slice(0, 60)],
    [
      'a reply without its ciphertext',
      { format: 'svc/contact-reply/v1', ...about, envelope: { ...hybrid, ciphertextB64u: '' } },
    ],
    ['a reply of ML-KEM-768 alone', { format: 'svc/contact-reply/v1', ...about, envelope }],
    [
      'an inbox with a message that is cut',
      { format: 'svc/inbox-export/v1', did: alice.did, exportedAt: '', messages: [{}] },
    ],
    ['a message for nobody', { format: 'svc/pending-message/v1', core: '', contact: {}, envelope }],
    ['a secret without its salt', { type: 'svc/local-wrap/v1', application: 'svc' }],
  ])('and was cut does not have its form: %s', async (_, content) => {
    await expect(judgeFile(content)).rejects.toMatchObject(MALFORMED)
  })
})
