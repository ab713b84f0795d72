import { describe, expect, it } from 'vitest'
import { detectFile, detectTyped, type Kind } from './detect.ts'

const DID = `did:svc:${'A'.repeat(32)}`
const HASH = 'ab'.repeat(48)
const block = { index: '0', previousHash: HASH, ownerPublicKey: 'AAAA' }
const checkpoint = { statement: { type: 'svc/anchor-checkpoint/v1' }, signatureB64u: 'AAAA' }
const of = (value: unknown) => detectFile(new TextEncoder().encode(JSON.stringify(value)))

describe('a file', () => {
  it.each<[string, unknown, Kind]>([
    ['a chain', [block, block], 'chain'],
    ['a page of blocks', { blocks: [block] }, 'chain'],
    ['an answer of a service', { success: true, data: { blocks: [block] } }, 'chain'],
    ['blocks beside their payloads', [{ block, payloadB64u: 'AAAA' }], 'chain'],
    ['one block', block, 'chain'],
    ['a key history', { keys: [{ epoch: 0, publicKeyB64u: 'AAAA', request: null }] }, 'keys'],
    ['an anchor', { format: 'svc/anchor-bundle/v2' }, 'anchor'],
    ['an anchor of the first form', { format: 'svc/anchor-bundle/v1' }, 'anchor'],
    ['a proof', { format: 'svc-proof-bundle/1' }, 'proof'],
    ['a capsule', { capsule: { type: 'svc/capsule/v1' }, signature: {} }, 'capsule'],
    ['the opening of a commitment', { format: 'svc/commitment-opening/v1' }, 'commitment'],
    ['a commitment with its salt', { commitment: {}, saltB64u: 'AAAA' }, 'commitment'],
    ['a message that waits', { format: 'svc/pending-message/v1' }, 'sealed'],
    ['an export of an inbox', { format: 'svc/inbox-export/v1' }, 'sealed'],
    ['a sealed reply', { format: 'svc/contact-reply/v1' }, 'sealed'],
    ['a secret of sign-in', { type: 'svc/local-wrap/v1' }, 'sealed'],
    ['the request of a rotation', { statement: { type: 'svc/rotation-request/v1' } }, 'statement'],
    ['an accepted office', { format: 'svc/org-accepted/v1' }, 'statement'],
    ['a membership', { format: 'svc/org-joined/v1' }, 'statement'],
    ['exported keys', { format: 'svc/identity-export/v1' }, 'export'],
    ['an asset', { record: { asset: {} }, transfers: [] }, 'asset'],
    ['a message', { statement: { type: 'svc/message/v1' } }, 'message'],
    ['a receipt', { statement: { type: 'svc/quota-receipt/v1' } }, 'receipt'],
    ['a checkpoint', checkpoint, 'checkpoints'],
    ['two checkpoints', [checkpoint, checkpoint], 'checkpoints'],
    ['a named pair of checkpoints', { earlier: checkpoint, later: checkpoint }, 'checkpoints'],
    ['a checkpoint with cosignatures', { checkpoint, cosignatures: [] }, 'checkpoints'],
    ['the state of an audit', { list: {}, checkpoint, frontier: [] }, 'checkpoints'],
    ['other JSON', { hello: 'world' }, 'content'],
    ['a statement of another kind', { statement: { type: 'constructor' } }, 'content'],
    ['a format of another kind', { format: 'constructor' }, 'content'],
    ['nothing', null, 'content'],
    ['an empty list', [], 'content'],
  ])('with %s', (_, value, kind) => {
    expect(of(value).kind).toBe(kind)
  })

  it('with bytes that are not text is content', () => {
    expect(detectFile(new Uint8Array([0xff, 0xd8, 0xff]))).toEqual({ kind: 'content', value: null })
  })

  it('that an export of notes begins is that, whatever follows', () => {
    const [head, page] = [{ format: 'svc/note-archive/v1', did: DID }, { kind: 'page' }].map((one) =>
      JSON.stringify(one),
    )
    const found = detectFile(new TextEncoder().encode(`${head}\n${page}\n`))
    expect(found).toEqual({ kind: 'notes', value: [head, page] })
    expect(detectFile(new TextEncoder().encode(`${page}\n${head}\n`)).kind).toBe('content')
  })

  it.each(['age-encryption.org/v1\n-> X25519 …', '-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n'])(
    'that age encrypted is sealed: %j',
    (start) => {
      expect(detectFile(new TextEncoder().encode(start)).kind).toBe('sealed')
    },
  )

  it('with a DID or a hash alone is that', () => {
    expect(detectFile(new TextEncoder().encode(`${DID}\n`))).toEqual({ kind: 'did', value: DID })
    expect(detectFile(new TextEncoder().encode(HASH))).toEqual({ kind: 'hash', value: HASH })
  })
})

describe('what is typed', () => {
  it('is a DID, a hash, or the name of a file', () => {
    expect(detectTyped(DID)?.kind).toBe('did')
    expect(detectTyped(HASH)?.kind).toBe('hash')
    expect(detectTyped(HASH.slice(2))).toBeNull()
    expect(detectTyped('proof.json')).toBeNull()
  })

  it('is the id of an anchor', () => {
    expect(detectTyped('A'.repeat(32))).toEqual({ kind: 'anchor', value: 'A'.repeat(32) })
    expect(detectTyped('A'.repeat(31))).toBeNull()
  })

  it('is the address of a page, if consent would take it', () => {
    expect(detectTyped('https://photos.example/a.jpg')?.kind).toBe('page')
    expect(detectTyped('http://a.example')?.kind).toBe('page')
    for (const text of ['https://a.exam', 'https://two words.example', `https://a.example/${'a'.repeat(256)}`])
      expect(detectTyped(text)).toBeNull()
  })
})
