import { expectRefusal } from '@svc/service/testing'
import { describe, it } from 'vitest'
import { caller, creation, DISALLOW, deletion, freshHash, put, read, rootKey, update, type Write } from '../harness.ts'

const changed = (write: Write, members: object): Write => ({
  ...write,
  body: JSON.stringify({ ...(JSON.parse(write.body) as object), ...members }),
})
const without = (write: Write, member: string) => changed(write, { [member]: undefined })

const PREFERENCES = [
  null,
  [],
  {},
  'disallow',
  { ai_training: 'no' },
  { ai_training: true },
  { ai_training: null },
  { search: 'ALLOW' },
  { 'train-ai': 'disallow' },
  { ...DISALLOW, title: 'my picture' },
  { conditional: 'only on Sundays' },
]
const KEYS = ['', 'AAAA', 'A'.repeat(2602), `${'A'.repeat(2602)}=`, 5, null]

describe('what is malformed is 400, before the record is looked at', () => {
  it('in a creation', async () => {
    const [by, hash] = [rootKey(await caller()), freshHash()]
    const write = await creation(by, hash)
    const wrong = [
      ...['content_hash', 'creator_did', 'public_key_b64u', 'preferences'].map((member) => without(write, member)),
      ...PREFERENCES.map((preferences) => changed(write, { preferences })),
      ...KEYS.map((public_key_b64u) => changed(write, { public_key_b64u })),
      ...['short', 'x'.repeat(257), 5, null, `${'x'.repeat(20)}\0`].map((content_hash) =>
        changed(write, { content_hash }),
      ),
      ...['did:web:example.com', by.did.slice(1), `${by.did}A`, by.did.toUpperCase(), null].map((creator_did) =>
        changed(write, { creator_did }),
      ),
      changed(write, { more: 1 }),
      changed(write, { action: 'create' }),
    ]
    for (const refused of wrong) expectRefusal(await put(refused), 'invalid_request')
    const { status } = await read(hash)
    if (status !== 404) throw new Error('something was written')
  })

  it('in an update and a deletion', async () => {
    const [by, hash] = [rootKey(await caller()), freshHash()]
    const [put_, delete_] = [await update(by, hash, DISALLOW), await deletion(by, hash)]
    const wrong = [
      ...PREFERENCES.map((preferences) => changed(put_, { preferences })),
      ...KEYS.flatMap((public_key_b64u) => [put_, delete_].map((write) => changed(write, { public_key_b64u }))),
      // The creator is the record’s; nobody names one.
      changed(put_, { creator_did: by.did }),
      changed(put_, { content_hash: hash }),
      changed(delete_, { preferences: DISALLOW }),
      changed(delete_, { action: 'delete' }),
      { ...put_, path: '/api/v1/consent/short' },
      { ...delete_, path: `/api/v1/consent/${'x'.repeat(257)}` },
    ]
    for (const refused of wrong) expectRefusal(await put(refused), 'invalid_request')
  })
})
