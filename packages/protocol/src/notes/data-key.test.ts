import { expect, it } from 'vitest'
import { dekWrapPurpose, noteKeyHash } from './data-key.ts'

const place = { realm: 'https://core.test', did: 'did:svc:a', noteId: 'n1' }
const reader = { kemPublicKeyB64u: 'kem', x25519B64u: 'x' }
const text = (info: Uint8Array) => new TextDecoder().decode(info)

it('hashes a data key as another implementation does', () => {
  // Python: hashlib.sha3_384(b'svc/note-key/v1' + bytes(range(32))).hexdigest()
  expect(noteKeyHash(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(
    '603ba3ff7786906482aef810def33c73cda62be716a4d75f286e02eefba6e63420659f623e9ef07d2b419506d27e256a',
  )
})

it('binds a wrap to its deployment, identity, note and reader, and to nothing else', () => {
  const { label, info } = dekWrapPurpose(Object.assign({ more: 1 }, place), Object.assign({ more: 1 }, reader))
  expect(label).toBe('svc/dek-wrap/v2')
  expect(text(info)).toBe(
    '{"did":"did:svc:a","kemPublicKeyB64u":"kem","noteId":"n1","realm":"https://core.test","type":"svc/dek-wrap/v2","x25519B64u":"x"}',
  )
})
