import { sha256 as hashed } from '@noble/hashes/sha2.js'
import { describe, expect, it } from 'vitest'
import { parseTlogProof, tlogProofText } from './tlog-proof.ts'
import { SHA256_TREE } from './tree.ts'

/** RFC 6962, section 2.1, without the code of this package. */
const sha256 = (...parts: Uint8Array[]) => {
  const hash = hashed.create()
  for (const part of parts) hash.update(part)
  return hash.digest()
}
const leaf = (entry: string) => sha256(Uint8Array.of(0), new TextEncoder().encode(entry))
const node = (a: Uint8Array, b: Uint8Array) => sha256(Uint8Array.of(1), a, b)

const [a, b, c] = ['a', 'b', 'c'].map(leaf) as [Uint8Array, Uint8Array, Uint8Array]
const root = node(node(a, b), c)
const CHECKPOINT = `example.com/log\n3\n${Buffer.from(root).toString('base64')}\n\n— example.com/log AAAA\n`
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const WRITTEN = `c2sp.org/tlog-proof@v1\nextra Yw==\nindex 2\n${base64(node(a, b))}\n\n${CHECKPOINT}`
const proof = { extra: new TextEncoder().encode('c'), index: 2, path: [node(a, b)], checkpoint: CHECKPOINT }

describe('a proof of an entry', () => {
  it('is written and read as c2sp.org/tlog-proof says', () => {
    expect(tlogProofText(proof)).toBe(WRITTEN)
    expect(parseTlogProof(WRITTEN)).toEqual(proof)
    const { extra, index, path } = parseTlogProof(WRITTEN)!
    expect(SHA256_TREE.verifyInclusion(SHA256_TREE.leafHash(extra!), index, 3, path, root)).toBe(true)
    expect(SHA256_TREE.verifyInclusion(SHA256_TREE.leafHash(extra!), 1, 3, path, root)).toBe(false)
  })

  it('may have no extra data, and no hashes', () => {
    const bare = { extra: null, index: 0, path: [], checkpoint: CHECKPOINT }
    expect(tlogProofText(bare)).toBe(`c2sp.org/tlog-proof@v1\nindex 0\n\n${CHECKPOINT}`)
    expect(parseTlogProof(tlogProofText(bare))).toEqual(bare)
  })

  it.each([
    ['another first line', WRITTEN.replace('@v1', '@v2')],
    ['no index', WRITTEN.replace('index 2\n', '')],
    ['an index with a zero in front', WRITTEN.replace('index 2', 'index 02')],
    ['a hash that is too short', WRITTEN.replace(base64(node(a, b)), 'AAAA')],
    ['extra data in another encoding', WRITTEN.replace('Yw==', 'Yw')],
    ['no checkpoint', WRITTEN.slice(0, WRITTEN.indexOf('\n\n'))],
    ['nothing', ''],
  ])('does not have the form with %s', (_, text) => {
    expect(parseTlogProof(text)).toBeNull()
  })
})
